"""Tensors of all processes as one, with gradients; in a single process, the tensor itself.

An objective that compares examples with each other (a batch-wide contrast) or remembers them (a memory bank) must see
the global batch, or two processes would not be one with the doubled batch.
"""

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor


def together() -> bool:
    """Whether several processes train one model."""
    return dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1


def gather(rows: Tensor) -> Tensor:
    """The rows of all processes, this one's gradient flowing back to its own; processes may differ in number of rows.

    >>> gather(torch.arange(3)).tolist()
    [0, 1, 2]
    """
    if not together():
        return rows
    return _Gather.apply(rows) if rows.requires_grad else _gathered(rows)[0]


def added_up(values: Tensor) -> Tensor:
    """The sum of a tensor over all processes, as a constant.

    >>> added_up(torch.tensor([2, 3])).tolist()
    [2, 3]
    """
    if not together():
        return values.detach()
    total = values.detach().clone()
    dist.all_reduce(total)
    return total


def first_row(rows: Tensor) -> int:
    """Where this process's rows begin among those of all."""
    if not together():
        return 0
    return sum(_counts(rows)[: dist.get_rank()])


def _counts(rows: Tensor) -> list[int]:
    mine = torch.tensor([rows.shape[0]], device=rows.device)
    every = [torch.zeros_like(mine) for _ in range(dist.get_world_size())]
    dist.all_gather(every, mine)
    return [int(count) for count in every]


def _gathered(rows: Tensor) -> tuple[Tensor, list[int]]:
    counts = _counts(rows)
    padded = rows.new_zeros(max(counts), *rows.shape[1:])
    padded[: rows.shape[0]] = rows.detach()
    every = [torch.empty_like(padded) for _ in counts]
    dist.all_gather(every, padded)
    return torch.cat([part[:count] for part, count in zip(every, counts, strict=True)]), counts


class _Gather(torch.autograd.Function):
    """Forward: everyone's rows. Backward: the sum of everyone's gradients for this process's rows."""

    @staticmethod
    def forward(context: Any, rows: Tensor) -> Tensor:
        every, counts = _gathered(rows)
        context.start, context.size = sum(counts[: dist.get_rank()]), rows.shape[0]
        return every

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> Tensor:
        total = gradient.contiguous().clone()
        dist.all_reduce(total)
        return total[context.start : context.start + context.size]
