"""What a loader yields becomes a batch; what a method has no use for, or misses, is said."""

from typing import Any

import pytest
import torch

from unfooled.errors import BadInput
from unfooled.loops.inputs import INDEX, batch_of, reduced_precision

IDS = torch.tensor([[2, 5, 3, 0], [2, 6, 7, 3]])
GOOD: dict[str, Any] = {"input_ids": IDS, "labels": torch.tensor([1, 0]), INDEX: torch.tensor([4, 9])}


def test_a_batch_has_counts_of_all_units() -> None:
    batch = batch_of({**GOOD, "attention_mask": (IDS > 0).long()}, "classification", (3, 1))
    assert batch.counts == {"examples": 2, "tokens": 7} and batch.key == (3, 1)
    assert batch.index.tolist() == [4, 9] and batch.tokens.mask.sum(1).tolist() == [3, 4]
    assert batch_of(GOOD, "classification", (0, 0)).counts["tokens"] == 8  # no mask: no padding


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"position_ids": IDS}, "the batches hold position_ids, which methods have no use for; leave it out"),
        ({"labels": None}, "the batches hold no labels; tokenise the texts, and call the label label or labels"),
        ({"input_ids": None}, "the batches hold no input_ids"),
        ({INDEX: None}, "the batches do not say which rows they hold; leave the making of the training loader to us"),
        ({"attention_mask": torch.ones(2, 1, 4, 4)}, r"a mask of \(2, 1, 4, 4\); give \[rows, tokens\] for both"),
    ],
)
def test_batches_that_do_not_do_are_refused(change: dict[str, Any], sentence: str) -> None:
    given = {name: value for name, value in {**GOOD, **change}.items() if value is not None}
    with pytest.raises(BadInput, match=sentence):
        batch_of(given, "classification", (0, 0))


def test_a_precision_that_needs_scaling_is_refused() -> None:
    assert reduced_precision(torch.bfloat16) is torch.bfloat16
    with pytest.raises(BadInput, match="which no scaler knows of; use bfloat16, not torch.float16"):
        reduced_precision(torch.float16)
