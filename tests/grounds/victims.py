"""Victims whose answers under attack can be computed by hand, and a random BERT."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    BertTokenizerFast,
    PretrainedConfig,
    PreTrainedModel,
)
from transformers.modeling_outputs import SequenceClassifierOutput

from unfooled.models import Classifier, TextModel
from unfooled.types import Texts

WORDS = [
    "good",
    "bad",
    "film",
    "story",
    "actor",
    "the",
    "a",
    "not",
    "very",
    "dull",
    "bright",
    "slow",
    "quick",
]
RADII = (0.0, 0.3, 1.0)


class Linear(PreTrainedModel):
    """Logits are linear in the sum of the word vectors; ``bend`` may spoil them."""

    config_class = PretrainedConfig
    base_model_prefix = "none"

    def __init__(self, config: PretrainedConfig, bend: Callable[[Tensor], Tensor] = lambda logits: logits) -> None:
        super().__init__(config)
        self.table = nn.Embedding(len(WORDS) + 5, 6)
        self.last = nn.Linear(6, config.num_labels)
        self.bend = bend

    def get_input_embeddings(self) -> nn.Module:
        return self.table

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> SequenceClassifierOutput:
        total = (self.table(input_ids) * attention_mask[..., None]).sum(dim=1)
        return SequenceClassifierOutput(logits=self.bend(self.last(total)))


class Reversed(torch.autograd.Function):
    """Passes values on and turns gradients round."""

    @staticmethod
    def forward(_: object, value: Tensor) -> Tensor:
        return value.clone()

    @staticmethod
    def backward(_: object, gradient: Tensor) -> Tensor:
        return -gradient


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> BertTokenizerFast:
    path = tmp_path_factory.mktemp("vocabulary") / "vocab.txt"
    path.write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]), encoding="utf-8")
    return BertTokenizerFast(vocab=str(path))


@pytest.fixture(scope="module")
def bert(tokenizer: BertTokenizerFast) -> TextModel:
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(WORDS) + 5, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=32, num_labels=3, initializer_range=0.5,
    )  # fmt: skip
    return TextModel(Classifier(BertForSequenceClassification(config)), tokenizer, ("a", "b", "c"), 32, "tiny")


def linear(tokenizer: BertTokenizerFast, bend: Callable[[Tensor], Tensor] = lambda logits: logits) -> TextModel:
    torch.manual_seed(1)
    network = Linear(PretrainedConfig(num_labels=2), bend)
    return TextModel(Classifier(network), tokenizer, ("no", "yes"), 32, "linear")


def examples(count: int, classes: int, seed: int = 0) -> tuple[list[Texts], list[int]]:
    random = np.random.default_rng(seed)
    texts = [(" ".join(random.choice(WORDS, random.integers(1, 20))),) for _ in range(count)]
    return texts, [int(label) for label in random.integers(0, classes, count)]


def values(records: Sequence[Any]) -> np.ndarray:
    """All that was measured of each example, one row each, by index; clean records were not attacked."""
    rows = []
    for one in sorted(records, key=lambda record: record.index):
        hits = [
            part
            for hit in getattr(one, "attacks", ())
            for part in (hit.loss, hit.confidence, hit.cosine, hit.distance, hit.size, *hit.losses)
        ]
        rows.append([one.loss, one.confidence, *hits])
    return np.array(rows)
