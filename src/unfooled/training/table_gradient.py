"""The gradient of the table of word vectors, in memory that is kept from update to update.

A batch looks up some hundred rows of a table of thirty thousand. PyTorch makes a gradient of all of them in every pass:
fresh memory that the system hands over page by page and that is filled with zeros, 25 ms of a processor for MiniLM's.
Here a pass leaves the rows it has looked up, they are put into one dense gradient when the update is due, and taken out
of it again behind it. All sums are made in the same order, so that weights are the same to the bit.
"""

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from unfooled.methods.objective import Objective


class TableGradient:
    """One table's gradient: sparse while passes go back, dense for the optimiser, the dense memory always the same."""

    def __init__(self, lookup: nn.Embedding) -> None:
        self.weight = lookup.weight
        self.dense: Tensor | None = None
        self.rows: Tensor | None = None  # of the dense gradient, those that are not 0
        self.hook = lookup.register_forward_hook(looked_up)

    def settle(self) -> None:
        """Put what the passes of an update have left into the dense gradient."""
        left = self.weight.grad
        if left is None or not left.is_sparse:
            return
        left = left.coalesce()
        if self.dense is None:
            self.dense = torch.zeros_like(self.weight, requires_grad=False)
        self.rows = left.indices()[0]
        self.dense.index_copy_(0, self.rows, left.values())
        self.weight.grad = self.dense

    def scale(self, factor: Tensor) -> None:
        """Multiply the gradient: its rows alone where it is this process's own, not one summed over several."""
        if self.weight.grad is None:
            return
        if self.rows is None or self.weight.grad is not self.dense:
            self.weight.grad.mul_(factor)
        else:
            self.dense.index_copy_(0, self.rows, self.dense[self.rows] * factor)

    def wipe(self) -> None:
        """Take the rows out again."""
        if self.dense is not None and self.rows is not None:
            self.dense.index_fill_(0, self.rows, 0.0)
        self.rows = None

    def close(self) -> None:
        """Let the table be as it was."""
        self.hook.remove()


def table_of(objective: Objective) -> TableGradient | None:
    """The gradient of an objective's table, where it is a plain one that nothing but the lookup is made of."""
    lookup: Any = getattr(objective.model, "lookup", None)
    if type(lookup) is not nn.Embedding or not lookup.weight.requires_grad or lookup.weight.device.type != "cpu":
        return None
    owners = [one for module in objective.modules() for one in module._parameters.values() if one is lookup.weight]
    is_plain = lookup.max_norm is None and not lookup.scale_grad_by_freq and not lookup.sparse
    return TableGradient(lookup) if is_plain and len(owners) == 1 else None


def looked_up(lookup: nn.Module, given: tuple[Tensor, ...], vectors: Tensor) -> Tensor | None:
    """The vectors with a way back that leaves rows instead of a table; as they are where no way back is asked for."""
    if not vectors.requires_grad:
        return None
    found: Tensor = RowsLeft.apply(vectors.detach(), lookup.weight, given[0], lookup.padding_idx)
    return found


class RowsLeft(torch.autograd.Function):
    """Forward: the vectors. Backward: of each row that was looked up its sum, from the first token to the last."""

    @staticmethod
    def forward(context: Any, vectors: Tensor, weight: Tensor, ids: Tensor, padding: int | None) -> Tensor:
        """The vectors as they are."""
        context.save_for_backward(ids)
        context.shape, context.padding = weight.shape, padding
        return vectors.clone()

    @staticmethod
    @once_differentiable  # type: ignore[untyped-decorator]
    def backward(context: Any, gradient: Tensor) -> tuple[None, Tensor, None, None]:
        """A sparse gradient of the table."""
        (ids,) = context.saved_tensors
        rows, places = ids.flatten().unique(return_inverse=True)
        sums = gradient.new_zeros(len(rows), context.shape[1])
        sums.index_add_(0, places, gradient.reshape(-1, context.shape[1]))
        if context.padding is not None:
            real = rows != context.padding
            rows, sums = rows[real], sums[real]
        told = {"is_coalesced": True, "check_invariants": False}  # as ``unique`` gives them; unsaid, PyTorch warns
        return None, torch.sparse_coo_tensor(rows[None], sums, context.shape, **told), None, None
