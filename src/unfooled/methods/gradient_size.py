"""How large the gradient of a loss is over the batches of all processes: what losses are weighed against each other by.

Gradients are summed over processes before their norm is taken: two processes find what one with the doubled batch does.
"""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor, nn

from unfooled.gather import added_up
from unfooled.types import Batch, Loss


def whole_counts(batch: Batch) -> dict[str, int]:
    """How many of each unit the batches of all processes hold."""
    units = sorted(batch.counts)
    total = added_up(torch.tensor([batch.counts[unit] for unit in units], device=batch.index.device))
    return dict(zip(units, total.tolist(), strict=True))


def flat_gradient(value: Tensor, parameters: Sequence[nn.Parameter], keep_graph: bool = False) -> Tensor:
    """The gradient of a scalar as one vector, 0 where a parameter has no part in it; nothing is left in ``.grad``."""
    found = torch.autograd.grad(value, list(parameters), retain_graph=keep_graph, allow_unused=True)
    pairs = zip(found, parameters, strict=True)
    whole = [torch.zeros_like(own) if one is None else one.to_dense() for one, own in pairs]  # a table's may be sparse
    return torch.cat([one.reshape(-1) for one in whole])


def size(gradient: Tensor) -> float:
    """The norm of a gradient that each process has a part of."""
    return float(torch.linalg.vector_norm(added_up(gradient), dtype=torch.float64))


class TermSizes:
    """Stands in for the engine in a step that is only measured: how large the gradient of each term's mean is."""

    def __init__(self, batch: Batch, parameters: Sequence[nn.Parameter]) -> None:
        self.counts, self.parameters = whole_counts(batch), parameters
        self.sizes: dict[str, float] = {}

    def backward(self, loss: Loss, share: float = 1.0) -> None:
        """Note the size of every term's gradient, whatever it weighs; no parameter keeps any."""
        for name, term in loss.terms.items():
            mean = Loss({name: replace(term, weight=share)}).total(self.counts)
            self.sizes[name] = size(flat_gradient(mean, self.parameters, keep_graph=True))


def root_mean_square(sizes: Sequence[float]) -> float:
    """The root of the mean of squares.

    >>> root_mean_square([3.0, 4.0, 5.0, 0.0])
    3.5355339059327378
    """
    return (sum(value * value for value in sizes) / len(sizes)) ** 0.5
