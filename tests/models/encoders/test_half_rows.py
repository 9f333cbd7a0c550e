"""Rows on their way into half precision and back: what is filled up has no value and teaches nothing."""

import pytest
import torch

from unfooled.models.encoders.half_rows import ROWS, half_rows, whole_rows


@pytest.mark.parametrize("count", [1, ROWS - 1, ROWS, ROWS + 1])
def test_rows_are_rounded_filled_up_with_zeros_and_cut_off_again(count: int) -> None:
    rows = torch.randn(count, 5)
    filled = half_rows(rows, torch.bfloat16)
    assert filled.dtype == torch.bfloat16
    assert len(filled) % ROWS == 0
    assert 0 <= len(filled) - count < ROWS
    assert not filled[count:].any()
    back = whole_rows(filled, count)
    assert back.dtype == rows.dtype
    assert torch.equal(back, rows.bfloat16().float())


def test_gradients_are_those_of_padding_and_casting() -> None:
    weights, target = torch.randn(5, 3), torch.randn(7, 3)

    def gradient_of(there: object, back: object) -> torch.Tensor:
        rows = torch.linspace(-2, 2, 35).view(7, 5).requires_grad_()
        (back(there(rows) @ weights.bfloat16()) - target).square().sum().backward()
        assert rows.grad is not None
        return rows.grad

    ours = gradient_of(lambda rows: half_rows(rows, torch.bfloat16), lambda made: whole_rows(made, 7))
    theirs = gradient_of(
        lambda rows: torch.nn.functional.pad(rows, (0, 0, 0, ROWS - 7)).bfloat16(), lambda made: made[:7].float()
    )
    assert torch.equal(ours, theirs)
    assert ours.abs().min() > 0
