"""How a worst case is climbed to: where it starts, how far each step goes, how many steps."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import torch
from torch import Tensor

from unfooled.gather import anywhere
from unfooled.perturb.ball import Ball, Norm, Scope
from unfooled.perturb.remembered import Remembered
from unfooled.seeds import generator, replay


class Start(StrEnum):
    """The perturbation before the first step: none, uniform noise or normal noise."""

    ZERO = "zero"
    UNIFORM = "uniform"
    NORMAL = "normal"


@dataclass(frozen=True)
class Ascent:
    """A climb inside a ball; ``step_size`` None is the ball's radius.

    ``spread`` is the size of the noise at the start: for UNIFORM the largest norm it may have, for NORMAL the
    standard deviation of each entry. With ``accumulate`` False a step replaces the perturbation instead of
    adding to it, so that its size is exactly the step's.
    """

    ball: Ball
    steps: int
    step_size: float | None = None
    start: Start = Start.ZERO
    spread: float = 0.0
    accumulate: bool = True

    def begin(self, mask: Tensor, width: int, key: tuple[int, ...], index: Tensor) -> Tensor:
        """The perturbation [B, T, width] before the first step, inside the ball, 0 on padding.

        Noise is drawn per example, keyed by ``key`` and the example's index, and only for its real tokens:
        it is the same whatever the batch, the padding or the process.
        """
        delta = torch.zeros(*mask.shape, width)
        if self.start is not Start.ZERO and self.spread > 0:
            lengths = mask.sum(dim=1).tolist()
            for place, (example, length) in enumerate(zip(index.tolist(), lengths, strict=True)):
                random = generator(*key, example, "perturbation")
                real = mask[place].cpu()
                delta[place, real] = self._noise(length, width, random)
        return self.ball.project(delta.to(mask.device), mask)

    def _noise(self, length: int, width: int, random: torch.Generator) -> Tensor:
        if self.start is Start.NORMAL:
            return self.spread * torch.randn(length, width, generator=random)
        uniform = torch.rand(length, width, generator=random) * 2 - 1
        entries = width * (length if self.ball.scope is Scope.SENTENCE else 1)
        # With every entry at most 1 the norm is at most entries^(1/p): dividing by it bounds the norm by spread.
        largest = {Norm.L1: float(entries), Norm.L2: entries**0.5, Norm.LINF: 1.0}[self.ball.norm]
        return self.spread * uniform / largest

    def climb(self, delta: Tensor, gradient: Tensor | None, mask: Tensor) -> Tensor:
        """One step up the gradient and back into the ball; unchanged where the gradient is 0."""
        if gradient is None:
            raise RuntimeError("the perturbation received no gradient: the embedding lookup was not used")
        if anywhere(not torch.isfinite(gradient).all()):
            raise FloatingPointError("the gradient with respect to the perturbation is not finite")
        step_size = self.ball.radius if self.step_size is None else self.step_size
        if step_size is None:
            raise ValueError("an ascent without a radius needs a step size")
        step = step_size * self.ball.direction(gradient, mask)
        moved = delta.detach() + step if self.accumulate else step
        still = self.ball.size(step) == 0
        return self.ball.project(torch.where(still, delta.detach(), moved), mask)


def free_passes(
    ascent: Ascent,
    mask: Tensor,
    width: int,
    key: tuple[int, ...],
    index: Tensor,
    share_dropout: bool = True,
    memory: Remembered | None = None,
) -> Iterator[Tensor]:
    """The perturbation of each of FreeLB's passes, one more than there are ascent steps.

    Between two passes it climbs the gradient that the caller's backward left in its ``.grad``; the last pass asks for
    none. With ``share_dropout`` all passes meet the same dropout masks. With a ``memory`` an example begins where it
    was left, and the last gradient is climbed too: there it is left.
    """
    begin, climbs = partial(ascent.begin, mask, width, key, index), ascent.steps + (memory is not None)
    delta = begin() if memory is None else ascent.ball.project(memory.read(index, mask, begin), mask)
    for turn in replay(ascent.steps + 1, share_dropout):
        delta = delta.detach().requires_grad_(turn < climbs)
        yield delta
        if turn < climbs:
            delta = ascent.climb(delta, delta.grad, mask)
    if memory is not None:
        memory.write(index, mask, delta)


def worst_case(ascent: Ascent, delta: Tensor, mask: Tensor, loss_at: Callable[[Tensor], Tensor]) -> Tensor:
    """The perturbation after all steps of the ascent from ``delta``, as a constant.

    ``loss_at`` gives the scalar that is climbed; give the *sum* over examples or anything proportional to it,
    the direction does not depend on its scale. Only the perturbation is differentiated:
    no parameter's ``.grad`` is touched.

    >>> mask = torch.ones(1, 3, dtype=torch.bool)
    >>> slope = torch.tensor([[[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]]])
    >>> fgm = Ascent(Ball(radius=0.5), steps=1)
    >>> worst_case(fgm, torch.zeros(1, 3, 2), mask, lambda delta: (delta * slope).sum()).norm().item()
    0.5
    """
    for _ in range(ascent.steps):
        delta = delta.detach().requires_grad_()
        with torch.enable_grad():
            (gradient,) = torch.autograd.grad(loss_at(delta), delta)
        delta = ascent.climb(delta, gradient, mask)
    return delta.detach()
