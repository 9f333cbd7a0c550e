"""The set a perturbation may not leave: so large, in this norm, per sentence or per token."""

from dataclasses import dataclass
from enum import StrEnum

import torch
from torch import Tensor


class Norm(StrEnum):
    """How the size of a perturbation is measured."""

    L1 = "l1"
    L2 = "l2"
    LINF = "linf"

    @property
    def order(self) -> float:
        """The p of the p-norm."""
        return {Norm.L1: 1.0, Norm.L2: 2.0, Norm.LINF: float("inf")}[self]


class Scope(StrEnum):
    """What has one size: a whole sentence (the Frobenius norm over its tokens) or each token."""

    SENTENCE = "sentence"
    TOKEN = "token"  # noqa: S105


@dataclass(frozen=True)
class Ball:
    """All perturbations of size at most ``radius``; None is no limit, 0 allows no perturbation.

    A perturbation has shape [B, T, d]; its size is taken per example, never over the batch, so that one
    example's perturbation does not depend on its neighbours. Padding (mask False) is always exactly 0.

    >>> ball = Ball(radius=1.0)
    >>> far = torch.full((1, 2, 2), 3.0)
    >>> ball.project(far, torch.ones(1, 2, dtype=torch.bool)).norm().item()
    1.0
    """

    radius: float | None
    norm: Norm = Norm.L2
    scope: Scope = Scope.SENTENCE

    def size(self, delta: Tensor) -> Tensor:
        """The norm of each sentence [B, 1, 1] or of each token [B, T, 1]."""
        scaled, largest = self._scaled(delta)
        return largest * self._norm(scaled, self.norm)

    def direction(self, gradient: Tensor, mask: Tensor) -> Tensor:
        """The gradient at size 1 in this norm and scope; 0 where it is 0 and on padding.

        Methods usually clamp the norm at 1e-8. We divide by the largest entry first, because a confident
        example's gradient may be smaller than that, and its direction must not depend on its scale.
        """
        precision = torch.promote_types(gradient.dtype, torch.float32)
        scaled, _ = self._scaled(gradient.to(precision) * mask[..., None])
        size = self._norm(scaled, self.norm)
        return scaled / torch.where(size > 0, size, 1.0)

    def _norm(self, delta: Tensor, norm: Norm) -> Tensor:
        dims = (1, 2) if self.scope is Scope.SENTENCE else (2,)
        return torch.linalg.vector_norm(delta, ord=norm.order, dim=dims, keepdim=True)

    def _scaled(self, delta: Tensor) -> tuple[Tensor, Tensor]:
        """The perturbation with its largest entry at 1, and that entry: squares neither overflow nor vanish."""
        largest = self._norm(delta, Norm.LINF)
        return delta / torch.where(largest > 0, largest, 1.0), largest

    def project(self, delta: Tensor, mask: Tensor) -> Tensor:
        """The perturbation brought back into the ball, padding set to 0.

        Outside the ball, L2 and L1 shrink the whole vector to the radius, LINF clamps each entry.
        """
        delta = delta * mask[..., None]
        if self.radius is None:
            return delta
        if self.norm is Norm.LINF:
            return delta.clamp(-self.radius, self.radius)
        size = self.size(delta)
        return delta * torch.where(size > self.radius, self.radius / size.clamp(min=1e-30), 1.0)
