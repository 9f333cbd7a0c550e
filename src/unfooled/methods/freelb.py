"""FreeLB: every ascent step also trains.

Zhu, Cheng, Gan, Sun, Goldstein and Liu, FreeLB: Enhanced Adversarial Training for Natural Language
Understanding, 2020. Symbols as in its Algorithm 1:

    K  (passes)       forward/backward passes of one step; their gradients are averaged
    alpha (step_size) length of an ascent step, normalised per sentence
    gamma (spread)    size of the uniform noise delta_0
    eps (radius)      largest norm of delta; None is unlimited

K passes hold K-1 ascents: the last gradient moves no delta (Algorithm 1 agrees). So K = 1 with gamma = 0 is plain
training, K = 2 with gamma = 0 is the mean of the clean loss and FGM's.
Paper says / we do: the released launch lines write 0 for an unlimited radius; here None does, and 0 is no
perturbation. delta_0 is projected too, which the release leaves out. The release shares some dropout masks among
the K passes; we replay the random state, which shares all.
"""

from dataclasses import replace
from typing import ClassVar, Literal

import torch
from pydantic import Field

from unfooled.methods.objective import PREDICTING, Backward, Method, Objective, TrainingTask
from unfooled.models.encoders.classifier import Classifier
from unfooled.perturb import Ascent, Ball, Norm, Start, free_passes
from unfooled.types import Batch, Loss


class FreeLB(Method):
    """The mean task loss over K passes along an ascent."""

    tasks: ClassVar = PREDICTING
    off: ClassVar = {"radius": 0.0}  # K equal passes

    passes: int = Field(3, ge=1)
    step_size: float = Field(0.03, ge=0)
    spread: float = Field(0.05, ge=0)
    radius: float | None = Field(None, ge=0)
    norm: Norm = Norm.L2
    share_dropout: bool = True
    count: Literal["passes", "ascents"] = "passes"  # what K counts; the release's fairseq branch counts ascents

    def ascent(self) -> Ascent:
        """K-1 steps of alpha from uniform noise of size gamma."""
        ball, steps = Ball(self.radius, self.norm), self.passes - (self.count == "passes")
        return Ascent(ball, steps, self.step_size, Start.UNIFORM, self.spread)

    def build(self, model: Classifier, task: TrainingTask) -> "FreePasses":
        """K passes over the model."""
        return FreePasses(model, self)


class FreePasses(Objective):
    """Algorithm 1 of FreeLB."""

    settings: FreeLB

    def step(self, engine: Backward, batch: Batch) -> Loss:
        """K passes, each paying 1/K of the parameter gradient, an ascent between each two."""
        ascent, mask, share = self.settings.ascent(), batch.tokens.mask, self.settings.share_dropout
        passes, sums = ascent.steps + 1, []
        # Lines 4, 8 and 9: the start and the climbs.
        for delta in free_passes(ascent, mask, self.model.width, batch.key, batch.index, share):
            loss = self(batch, delta)
            engine.backward(loss, share=1 / passes)  # line 7: g_t accumulates
            sums.append(loss.terms["task"].sum.detach())
        mean = replace(loss.terms["task"], sum=torch.stack(sums).mean())
        return Loss({"task": mean, "last pass": replace(mean, sum=sums[-1], weight=0.0)})
