"""Masked language modelling alone: the control beside every pre-training method, and how a new head is trained first.

Devlin, Chang, Lee and Toutanova, BERT, 2019: 15 % of the tokens are chosen; 80 % of them become [MASK], 10 % any other
word, 10 % stay; all of them are to be guessed.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
from pydantic import Field
from torch import Tensor, nn

from unfooled.data.batches.views import ViewSettings
from unfooled.losses.tokens import reconstruction
from unfooled.methods.objective import Backward, Method, Objective, TrainingTask
from unfooled.models.encoders.masked import MaskedModel, TokenStates
from unfooled.types import NO_LABEL, Batch, Loss, Progress, Term, Tokens

HEAD_SHARE, MOST_HEAD_STEPS = 0.2, 500  # of the steps, a new head learns alone


class MLM(Method):
    """Guess the tokens behind the masks."""

    tasks: ClassVar[tuple[str, ...]] = ("pretraining",)

    masking: float = Field(0.15, gt=0, lt=1)
    room: float = Field(0.0, ge=0, lt=1)  # share of the longest input that blocks leave free, as beside a method's
    head_first: int | None = Field(None, ge=0)  # steps of a vocabulary head alone; None: a fifth where it is new

    def views(self) -> ViewSettings:
        """The original alone."""
        return ViewSettings(masking=self.masking, room=self.room)

    def build(self, model: Any, task: TrainingTask) -> "Guess":
        """The guessing loss over the model."""
        return Guess(model, head_steps(self.head_first, model, task.steps))


class HeadFirst(Objective):
    """What reads a masked-language model whose head learns alone for the first steps, its encoder frozen.

    A new head sends nothing but noise back into an encoder that knew better. The steps done are a buffer, so that a
    run that is gone on with thaws where it would have.
    """

    model: Any  # a MaskedModel

    def __init__(self, model: Any, settings: Any, head_first: int) -> None:
        super().__init__(model, settings)
        self.head_first = head_first
        self.steps_done = nn.Buffer(torch.zeros((), dtype=torch.int64)) if head_first else None
        if head_first:
            count = f"{head_first:,} step{'' if head_first == 1 else 's'}"
            self.notes = (f"the vocabulary head learns alone for {count}, the encoder frozen",)

    def step(self, engine: Backward, batch: Batch) -> Loss:
        """One pass, the encoder frozen as long as the head learns alone."""
        self.model.encoder_frozen = self.steps_done is not None and int(self.steps_done) < self.head_first
        try:
            return super().step(engine, batch)
        finally:
            self.model.encoder_frozen = False

    def after_step(self, progress: Progress) -> None:
        """Count the step."""
        if self.steps_done is not None:
            self.steps_done.fill_(progress.step)


def head_steps(wanted: int | None, model: MaskedModel, steps: int) -> int:
    """For how many of all steps the head learns alone: as told, or a fifth, at most 500, where it is new."""
    if wanted is not None:
        return wanted
    return min(round(HEAD_SHARE * steps), MOST_HEAD_STEPS) if model.new_head else 0


class Guess(HeadFirst):
    """L_MLM."""

    def __init__(self, model: Any, head_first: int = 0) -> None:
        super().__init__(model, None, head_first)
        model.train_pooler(False)

    def forward(self, batch: Batch, delta: Tensor | None = None) -> Loss:
        """L_MLM at the embeddings, or at E + delta."""
        reading = self.model(batch.tokens, behind(batch), delta)
        return Loss({"masked": masked_term(self.model, reading, batch)})

    def represent(self, reading: TokenStates) -> Mapping[str, Tensor]:
        """The first token's state, which the validation looks at."""
        return {"text": reading.states[:, 0]}


def behind(batch: Batch, views: int = 1) -> Tensor:
    """Where tokens are to be guessed [views · B, T]: in the original, which comes first, and nowhere else."""
    chosen = batch.targets["masked"] != NO_LABEL
    return torch.cat([chosen, chosen.new_zeros((views - 1) * len(chosen), chosen.shape[1])])


def masked_term(model: MaskedModel, reading: TokenStates, batch: Batch, weight: float | Tensor = 1.0) -> Term:
    """The cross-entropy of the hidden tokens, summed; the vocabulary is gone through in pieces."""
    assert reading.masked is not None
    hidden = batch.targets["masked"]
    total = reconstruction(reading.masked, *model.word_scores, hidden[hidden != NO_LABEL])
    return Term(total, batch.counts["masked"], "masked", weight)


def stacked(views: Sequence[Tokens]) -> Tokens:
    """Views of one width, one below the other, for a single pass."""
    return Tokens(torch.cat([view.ids for view in views]), torch.cat([view.mask for view in views]))


def moved(delta: Tensor | None, views: int) -> Tensor | None:
    """A perturbation of the original, and none of the other views."""
    return None if delta is None else torch.cat([delta, delta.new_zeros((views - 1) * len(delta), *delta.shape[1:])])
