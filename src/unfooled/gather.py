"""Tensors of all processes as one, with gradients; in a single process, the tensor itself.

An objective that compares examples with each other (a batch-wide contrast) or remembers them (a memory bank) must see
the global batch, or two processes would not be one with the doubled batch.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from unfooled.errors import BadInput

_IN_STEP: ContextVar[bool] = ContextVar("in step", default=False)


def together() -> bool:
    """Whether several processes train one model."""
    return dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1


@contextmanager
def in_step() -> Iterator[None]:
    """While open, all processes make the same passes, and whatever stops one of them must stop all at one place."""
    before = _IN_STEP.set(True)
    try:
        yield
    finally:
        _IN_STEP.reset(before)


@contextmanager
def refusing_what_is_no_number() -> Iterator[None]:
    """Stop all processes in step where one of them meets what is no number outside of an update."""
    try:
        with in_step():
            yield
    except FloatingPointError as error:
        raise BadInput(f"{error}; lower the method's radius or step_size, or plan.learning_rate") from None


def anywhere(here: bool) -> bool:
    """Whether something is so in any of the processes that go in step with this one; in this one, where none do.

    >>> anywhere(True), anywhere(False)
    (True, False)
    """
    if not (_IN_STEP.get() and together()):
        return here
    where = "cuda" if dist.get_backend() == "nccl" else "cpu"
    return bool(added_up(torch.tensor(int(here), device=where)))


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


def add_up_gradients(parameters: Iterable[Tensor]) -> list[Tensor]:
    """Every parameter's gradient, summed over processes in its place; a parameter no pass reached keeps none."""
    reached = [parameter for parameter in parameters if parameter.grad is not None]
    if together() and reached:
        flat = torch.cat([parameter.grad.reshape(-1) for parameter in reached])
        dist.all_reduce(flat)
        pieces = flat.split([parameter.numel() for parameter in reached])
        for parameter, piece in zip(reached, pieces, strict=True):
            parameter.grad = piece.view_as(parameter)
    return [parameter.grad for parameter in reached]


def said_by_first(text: str) -> str:
    """What the first process says, in all of them.

    >>> said_by_first("so it is")
    'so it is'
    """
    if not together():
        return text
    where = "cuda" if dist.get_backend() == "nccl" else "cpu"
    size = torch.tensor(len(text.encode()), device=where)
    dist.broadcast(size, 0)
    letters = torch.zeros(int(size), dtype=torch.uint8, device=where)
    if dist.get_rank() == 0:
        letters = torch.frombuffer(bytearray(text.encode()), dtype=torch.uint8).to(where)
    dist.broadcast(letters, 0)
    return bytes(letters.tolist()).decode()


def said_by_all(text: str) -> list[str]:
    """What each process says, in all of them.

    >>> said_by_all("so it is")
    ['so it is']
    """
    if not together():
        return [text]
    where = "cuda" if dist.get_backend() == "nccl" else "cpu"
    letters, counts = _gathered(torch.tensor(list(text.encode()), dtype=torch.uint8, device=where))
    return [bytes(part.tolist()).decode() for part in letters.split(counts)]


def added_up_by_name(sums: Mapping[str, Sequence[float]], where: torch.device | str) -> dict[str, list[float]]:
    """Rows of two numbers by name, added up over all processes; one may have met names that another has not.

    >>> added_up_by_name({"task": [3.0, 2.0]}, "cpu")
    {'task': [3.0, 2.0]}
    """
    names = sorted({name for known in said_by_all("\n".join(sums)) for name in known.splitlines()})
    if not names:
        return {}
    mine = torch.tensor([list(sums.get(name, (0.0, 0.0))) for name in names], dtype=torch.float64)
    return dict(zip(names, added_up(mine.to(where)).tolist(), strict=True))


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
