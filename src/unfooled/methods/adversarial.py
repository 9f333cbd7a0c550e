"""FGM and PGD training: learn from the worst case near each text.

FGM   Miyato, Dai and Goodfellow, Adversarial Training Methods for Semi-Supervised Text Classification, 2017.
PGD   Madry et al., Towards Deep Learning Models Resistant to Adversarial Attacks, 2018.

    E       looked-up embeddings [B, T, d]          L_C     task loss
    r       the perturbation                        eps     its radius, per sentence unless said otherwise

Paper says / we do: Miyato et al. first normalise the embedding table to zero mean and unit variance; we leave a
pretrained table as it is. We perturb the looked-up vectors, never the table itself: with the table, all
occurrences of a word and all examples of a batch would share one perturbation and one norm.
"""

from typing import ClassVar

from pydantic import Field, model_validator
from torch import Tensor

from unfooled.methods.objective import PREDICTING, Backward, Method, Objective, TrainingTask, task_term
from unfooled.models.encoders.classifier import Classifier, still
from unfooled.perturb import Ascent, Ball, Norm, Scope, Start, worst_case
from unfooled.types import Batch, Loss


class FGM(Method):
    """L_C(E) + weight · L_C(E + r), r = eps · g / ‖g‖ with g the gradient of L_C at E.

    With ``scope = "token"`` every token is moved by eps, each along its own gradient.
    """

    tasks: ClassVar = PREDICTING
    off: ClassVar = {"weight": 0.0}  # the adversarial pass is left out

    radius: float = Field(0.1, ge=0)
    weight: float = Field(1.0, ge=0)
    norm: Norm = Norm.L2
    scope: Scope = Scope.SENTENCE

    def ascent(self) -> Ascent:
        """One step of the radius."""
        return Ascent(Ball(self.radius, self.norm, self.scope), steps=1)

    def build(self, model: Classifier, task: TrainingTask) -> "CleanAndWorst":
        """The sum of the clean loss and the loss one step up its gradient; without a radius, the clean loss alone."""
        return CleanAndWorst(model, self)


class CleanAndWorst(Objective):
    """Two passes that both pay parameter gradients; the ascent is free, read off the clean pass's backward."""

    settings: FGM

    def step(self, engine: Backward, batch: Batch) -> Loss:
        """The clean pass with a perturbation of 0 that collects its own gradient, then the pass at the worst case."""
        weight, ascent, mask = self.settings.weight, self.settings.ascent(), batch.tokens.mask
        if weight == 0 or ascent.ball.radius == 0:
            return super().step(engine, batch)
        nothing = ascent.begin(mask, self.model.width, batch.key, batch.index).requires_grad_()
        clean = self(batch, nothing)
        engine.backward(clean)
        delta = ascent.climb(nothing, nothing.grad, mask)
        worst = task_term(self.model(batch.tokens, delta), batch, weight)
        engine.backward(Loss({"adversarial": worst}))
        return Loss({**clean.terms, "adversarial": worst})


class PGD(Method):
    """L_C(E + delta_k) after k projected ascent steps; only that last pass pays parameter gradients."""

    tasks: ClassVar = PREDICTING
    off: ClassVar = {"radius": 0.0}  # the worst case is the text itself

    radius: float | None = Field(0.1, ge=0)  # None is unlimited
    steps: int = Field(3, ge=1)
    step_size: float = Field(0.05, gt=0)
    start: Start = Start.ZERO
    spread: float | None = Field(None, ge=0)  # of a uniform or normal start; None is the radius
    norm: Norm = Norm.L2
    scope: Scope = Scope.SENTENCE

    @model_validator(mode="after")
    def noise_has_a_size(self) -> "PGD":
        """Refuse a start from noise of no stated size."""
        if self.start is not Start.ZERO and self.spread is None and self.radius is None:
            raise ValueError("an unlimited ascent that starts from noise needs its spread")
        return self

    def ascent(self) -> Ascent:
        """k projected steps."""
        ball = Ball(self.radius, self.norm, self.scope)
        spread = 0.0 if self.start is Start.ZERO else self.spread if self.spread is not None else self.radius
        return Ascent(ball, self.steps, self.step_size, self.start, spread or 0.0)

    def build(self, model: Classifier, task: TrainingTask) -> "WorstOnly":
        """The task loss at the worst case that k steps find."""
        return WorstOnly(model, self)


class WorstOnly(Objective):
    """The loss at the end of an ascent made with dropout off and no parameter gradients."""

    settings: PGD

    def forward(self, batch: Batch, delta: Tensor | None = None) -> Loss:
        """L_C at E + delta; without a delta, at the worst case."""
        return super().forward(batch, self.worst(batch) if delta is None else delta)

    def worst(self, batch: Batch) -> Tensor:
        """delta_k, a constant."""
        ascent, mask = self.settings.ascent(), batch.tokens.mask
        start = ascent.begin(mask, self.model.width, batch.key, batch.index)
        if ascent.ball.radius == 0:
            return start
        with still(self.model):
            return worst_case(ascent, start, mask, lambda delta: self(batch, delta).terms["task"].sum)
