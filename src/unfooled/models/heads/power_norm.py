"""Power normalisation: features over the running quadratic mean of their batches, with its approximate gradient.

Shen, Yao, Gholami, Mahoney and Keutzer, PowerNorm, 2020, written from its equations. Symbols, each of C features:

    psi2    running mean of x²        psi_B2   mean of x² over the batch        alpha   how much of both is kept
    nu      running mean of the gradient along the output, which stands for what flows through psi
    W       calls in training that still divide by the batch's own psi_B2

    forward     xhat = x / sqrt(psi2 + eps),   psi2 ← alpha · psi2 + (1 - alpha) · psi_B2
    backward    dx = (g - nu · xhat) / psi,    nu ← nu · (1 - (1 - alpha) · Gamma) + (1 - alpha) · Lambda
                with g the gradient at xhat, Gamma = mean xhat², Lambda = mean g · xhat

No mean is subtracted. The backward is an approximation by design, so a numerical check of it fails once nu is not 0.
All means are over the rows of all processes.
"""

from typing import Any, Literal

import torch
import torch.distributed as dist
from torch import Tensor, nn

from unfooled.gather import first_row, gather, together

Norm = Literal["power", "batch", "none"]


class PowerNorm(nn.Module):
    """Rows [..., C] over their running quadratic mean; the statistics move once per call in training.

    ``group_scaling`` first divides each row by its own quadratic mean, as the code released with DCL does and its Eq. 9
    does not. ``batch_backward`` divides the gradient by the batch's psi instead of the one the forward used, and
    ``cumulative_warmup`` moves psi2 to the mean of all batches so far before its usual step: both as released.
    """

    psi2: Tensor
    nu: Tensor
    it: Tensor

    def __init__(
        self,
        width: int,
        warmup: int = 1000,
        alpha_forward: float = 0.9,
        alpha_backward: float = 0.9,
        eps: float = 1e-5,
        group_scaling: bool = True,
        batch_backward: bool = False,
        cumulative_warmup: bool = False,
    ) -> None:
        super().__init__()
        self.warmup, self.eps = warmup, eps
        self.alpha_forward, self.alpha_backward = alpha_forward, alpha_backward
        self.group_scaling, self.batch_backward = group_scaling, batch_backward
        self.cumulative_warmup = cumulative_warmup
        self.weight = nn.Parameter(torch.ones(width))  # gamma
        self.bias = nn.Parameter(torch.zeros(width))  # beta
        self.register_buffer("psi2", torch.ones(width))
        self.register_buffer("nu", torch.zeros(width))
        self.register_buffer("it", torch.tensor(0))

    def forward(self, rows: Tensor, mask: Tensor | None = None) -> Tensor:
        """gamma · xhat + beta; rows where ``mask`` is False take no part in any mean and become 0."""
        if mask is not None:
            normalised = rows.new_zeros(rows.shape)
            normalised[mask] = self(rows[mask]).to(rows.dtype)
            return normalised
        flat = rows.reshape(-1, rows.shape[-1])
        flat = flat.to(torch.promote_types(flat.dtype, torch.float32))
        if self.group_scaling:
            flat = flat * torch.rsqrt(flat.square().mean(dim=1, keepdim=True) + self.eps)
        normal = self._in_training(flat) if self.training else flat * torch.rsqrt(self.psi2 + self.eps)
        return (self.weight * normal + self.bias).reshape(rows.shape)

    def _in_training(self, rows: Tensor) -> Tensor:
        self.it += 1
        with torch.no_grad():
            batch = mean_over_all(rows.square())  # psi_B2
            scale = torch.rsqrt(torch.where(self.it <= self.warmup, batch, self.psi2) + self.eps)
            back = torch.rsqrt(batch + self.eps) if self.batch_backward else scale
            if self.cumulative_warmup:
                mean = self.psi2 + (batch - self.psi2) / self.it
                self.psi2.copy_(torch.where(self.it < self.warmup, mean, self.psi2))
            self.psi2.lerp_(batch, 1 - self.alpha_forward)
        normal: Tensor = _Normalise.apply(rows, scale, back, self.nu, self.alpha_backward)
        return normal


class _Normalise(torch.autograd.Function):
    """Forward: a plain division. Backward: the approximation by nu, which learns after it was used."""

    @staticmethod
    def forward(context: Any, rows: Tensor, scale: Tensor, back: Tensor, nu: Tensor, alpha: float) -> Tensor:
        normal = rows * scale
        context.save_for_backward(normal, back)
        context.nu, context.alpha = nu, alpha
        return normal

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator]
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        normal, back = context.saved_tensors
        nu, keep = context.nu, context.alpha
        moved = (gradient - nu * normal) * back
        means = mean_over_all(torch.cat([normal.square(), gradient * normal], dim=1))
        gamma, along = means.chunk(2)  # Gamma and Lambda
        nu.copy_(nu * (1 - (1 - keep) * gamma) + (1 - keep) * along)
        return moved, None, None, None, None


def mean_over_all(rows: Tensor) -> Tensor:
    """The mean over the rows [n, C] of all processes; 0 where there are none."""
    sums = torch.cat([rows.sum(dim=0), rows.new_full((1,), len(rows))])
    if together():
        dist.all_reduce(sums)
    return sums[:-1] / sums[-1].clamp(min=1)


class BatchNorm(nn.BatchNorm1d):
    """Batch normalisation whose mean and variance are those of all processes' rows [n, C]."""

    def forward(self, rows: Tensor) -> Tensor:
        """The rows of this process, normalised among those of all."""
        if not self.training or not together():
            return super().forward(rows)
        start = first_row(rows)
        return super().forward(gather(rows))[start : start + len(rows)]


def normalisation(kind: Norm, width: int, warmup: int, group_scaling: bool = True, released: bool = False) -> nn.Module:
    """The layer of this name: power, batch, or none at all."""
    if kind == "power":
        as_released = {"batch_backward": released, "cumulative_warmup": released}
        return PowerNorm(width, warmup, group_scaling=group_scaling, **as_released)
    return BatchNorm(width) if kind == "batch" else nn.Identity()
