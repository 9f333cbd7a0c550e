"""Masked language modelling alone: the control beside every pre-training method, and how a new head is trained first.

Devlin, Chang, Lee and Toutanova, BERT, 2019: 15 % of the tokens are chosen; 80 % of them become [MASK], 10 % any other
word, 10 % stay; all of them are to be guessed.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
from pydantic import Field
from torch import Tensor

from unfooled.data.batches.views import ViewSettings
from unfooled.losses.tokens import reconstruction
from unfooled.methods.objective import Method, Objective, TrainingTask
from unfooled.models.encoders.masked import MaskedModel, TokenStates
from unfooled.types import NO_LABEL, Batch, Loss, Term, Tokens


class MLM(Method):
    """Guess the tokens behind the masks."""

    tasks: ClassVar[tuple[str, ...]] = ("pretraining",)

    masking: float = Field(0.15, gt=0, lt=1)

    def views(self) -> ViewSettings:
        """The original alone."""
        return ViewSettings(masking=self.masking)

    def build(self, model: Any, task: TrainingTask) -> "Guess":
        """The guessing loss over the model."""
        return Guess(model)


class Guess(Objective):
    """L_MLM."""

    model: Any  # a MaskedModel

    def __init__(self, model: Any) -> None:
        super().__init__(model)
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
    decoder = model.decoder
    bias = decoder.weight.new_zeros(len(decoder.weight)) if decoder.bias is None else decoder.bias
    total = reconstruction(reading.masked, decoder.weight, bias, hidden[hidden != NO_LABEL])
    return Term(total, batch.counts["masked"], "masked", weight)


def stacked(views: Sequence[Tokens]) -> Tokens:
    """Views of one width, one below the other, for a single pass."""
    return Tokens(torch.cat([view.ids for view in views]), torch.cat([view.mask for view in views]))


def moved(delta: Tensor | None, views: int) -> Tensor | None:
    """A perturbation of the original, and none of the other views."""
    return None if delta is None else torch.cat([delta, delta.new_zeros((views - 1) * len(delta), *delta.shape[1:])])
