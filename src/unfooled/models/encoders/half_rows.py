"""Between single and half precision, a copy each way: rows filled up on the way there, cut off on the way back.

Autocast alone would copy what is filled up, copy it again to round it, and do both once more for every gradient.
"""

from typing import Any

import torch
from torch import Tensor

ROWS = 64  # the steps in which products grow: of every size that it meets a processor keeps a program, for good


def half_rows(rows: Tensor, dtype: torch.dtype) -> Tensor:
    """Rows [N, H] in half precision, with rows of 0 up to a whole multiple of ``ROWS``."""
    filled: Tensor = Halved.apply(rows, dtype)
    return filled


def whole_rows(filled: Tensor, count: int) -> Tensor:
    """The first rows in single precision [count, H]."""
    rows: Tensor = Made.apply(filled, count)
    return rows


def filled_up(rows: Tensor, dtype: torch.dtype) -> Tensor:
    """A copy, rounded and filled up."""
    count, width = rows.shape
    filled = rows.new_empty(count + -count % ROWS, width, dtype=dtype)
    filled[:count].copy_(rows)
    filled[count:].zero_()
    return filled


class Halved(torch.autograd.Function):
    """Rounds and fills up; what fills up has no gradient."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, dtype: torch.dtype) -> Tensor:
        """The filled rows."""
        ctx.count, ctx.dtype = len(rows), rows.dtype
        return filled_up(rows, dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        """The gradient of the rows that there were."""
        return gradients[0][: ctx.count].to(ctx.dtype), None


class Made(torch.autograd.Function):
    """Cuts off and makes whole again; what is cut off has a gradient of 0."""

    @staticmethod
    def forward(ctx: Any, filled: Tensor, count: int) -> Tensor:
        """The rows that there were."""
        ctx.dtype = filled.dtype
        return filled[:count].float()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        """The gradient, rounded and filled up."""
        return filled_up(gradients[0], ctx.dtype), None
