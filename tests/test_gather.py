"""What two real processes come to is tested with every method (tests/methods/test_contract.py)."""

from pathlib import Path

import pytest
import torch
from forked import run_two
from two_processes import gathering

from unfooled.errors import BadInput
from unfooled.gather import added_up, first_row, gather, refusing_what_is_no_number, together


def test_alone_a_tensor_is_all_there_is() -> None:
    rows = torch.randn(3, 2, requires_grad=True)
    assert not together() and gather(rows) is rows and first_row(rows) == 0
    assert torch.equal(added_up(rows), rows) and not added_up(rows).requires_grad


def test_rows_that_fill_up_a_smaller_process_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """One process of two, the other with a row less: what is sent is filled up to the larger number."""
    mine, theirs = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[5.0, 6.0], [0.0, 0.0]])

    def all_gather(every: list[torch.Tensor], sent: torch.Tensor) -> None:
        other = torch.tensor([1]) if sent.dtype == torch.int64 else theirs
        for place, part in zip(every, (sent, other), strict=True):
            place.copy_(part)

    for name, found in (("together", lambda: True), ("dist.get_world_size", lambda: 2), ("dist.get_rank", lambda: 0)):
        monkeypatch.setattr(f"unfooled.gather.{name}", found)
    monkeypatch.setattr("unfooled.gather.dist.all_gather", all_gather)
    assert gather(mine).tolist() == [[1, 2], [3, 4], [5, 6]]


def test_two_processes_see_all_rows_and_get_all_gradients(tmp_path: Path) -> None:
    run_two(gathering, tmp_path)


def test_what_is_no_number_outside_of_an_update_is_one_sentence() -> None:
    with (
        pytest.raises(BadInput, match="is none; lower the method's radius"),
        refusing_what_is_no_number(),
    ):
        raise FloatingPointError("the gradient is none")
