"""SMART: predictions may not move much when embeddings move a little.

Jiang et al., SMART: Robust and Efficient Fine-Tuning for Pre-trained Natural Language Models through Principled
Regularized Optimization, 2020, Section 3.1.

    L_C(E) + weight · mean_i max_{‖delta_i‖ ≤ radius} l_s(f(E_i + delta_i), f(E_i)),    l_s symmetric KL

Paper says / code does / we do: the release rescales the perturbation to unit maximum per token with no radius,
which is no small change for a pretrained table (MiniLM's tokens have norm about 1); we scale to the radius. Its l2,
l1 and sentence branches fail; ours run. A gradient that is not a number raises; the release returns a
regulariser of 0. The paper's Bregman proximal term (Section 3.2) is left out.
Clean and perturbed passes share their dropout masks, so that the regulariser measures the perturbation alone.
"""

from collections.abc import Iterator
from typing import ClassVar

import torch
from pydantic import Field
from torch import Tensor

from unfooled.losses.divergence import symmetric_kl
from unfooled.methods.objective import Method, Objective, TrainingTask, task_term
from unfooled.models.encoders.classifier import Classifier, in_single_precision
from unfooled.perturb import Ascent, Ball, Norm, Scope, Start, worst_case
from unfooled.seeds import replay
from unfooled.types import Batch, Loss, Term


class SMART(Method):
    """Smoothness-inducing regularisation."""

    off: ClassVar = {"weight": 0.0}  # no regulariser

    weight: float = Field(1.0, ge=0)
    radius: float = Field(0.01, ge=0)
    steps: int = Field(1, ge=1)
    norm: Norm = Norm.LINF
    scope: Scope = Scope.TOKEN
    spread: float = Field(1e-5, gt=0)
    share_dropout: bool = True

    def ascent(self) -> Ascent:
        """Steps from faint normal noise, each replacing the last, so that the size is exactly the radius."""
        ball = Ball(self.radius, self.norm, self.scope)
        return Ascent(ball, self.steps, None, Start.NORMAL, self.spread, accumulate=False)

    def build(self, model: Classifier, task: TrainingTask) -> "Smooth":
        """The task loss and the regulariser over the model."""
        return Smooth(model, self)


class Smooth(Objective):
    """Task loss plus the divergence at the worst perturbation."""

    settings: SMART

    def forward(self, batch: Batch, delta: Tensor | None = None) -> Loss:
        """L_C(E) + weight · R(E, E + delta); without a delta, at the worst one found."""
        passes = replay(self.settings.steps + 3, self.settings.share_dropout)
        next(passes)
        clean = self.model(batch.tokens)
        task = task_term(clean, batch)
        if self.settings.weight == 0:
            return Loss({"task": task})
        if delta is None:
            delta = self.worst(batch, clean.logits.detach(), passes)
        next(passes)
        perturbed = self.model(batch.tokens, delta)
        apart = symmetric_kl(clean.logits, perturbed.logits).sum()
        return Loss({"task": task, "smoothness": Term(apart, len(batch), weight=self.settings.weight)})

    def worst(self, batch: Batch, clean: Tensor, passes: Iterator[int]) -> Tensor:
        """The perturbation that moves the prediction most, climbed in single precision."""
        ascent, mask = self.settings.ascent(), batch.tokens.mask
        with in_single_precision(self.model):
            if clean.dtype is torch.bfloat16:
                next(passes)
                with torch.no_grad():
                    clean = self.model(batch.tokens).logits

            def divergence(moved: Tensor) -> Tensor:
                next(passes)
                return symmetric_kl(self.model(batch.tokens, moved).logits, clean).sum()

            start = ascent.begin(mask, self.model.width, batch.key, batch.index)
            return worst_case(ascent, start, mask, divergence)
