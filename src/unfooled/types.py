"""What walks between the rooms: tokens, batches, outputs and losses.

Shapes are written with B examples, T padded tokens, C classes and H features.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from pydantic import BaseModel, ConfigDict
from torch import Tensor, device


class Settings(BaseModel):
    """Frozen, typed settings that refuse unknown names; every room's settings derive from it."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True)
class Tokens:
    """Padded token ids [B, T], their mask (True = a real token) and, for pairs, the segment of each token."""

    ids: Tensor
    mask: Tensor
    segments: Tensor | None = None

    def to(self, where: device) -> Self:
        """The same tokens on another device."""
        segments = None if self.segments is None else self.segments.to(where)
        return replace(self, ids=self.ids.to(where), mask=self.mask.to(where), segments=segments)


@dataclass(frozen=True)
class Batch:
    """Examples as the objectives see them.

    ``index`` [B] names each example in its training set; ``label`` [B]; ``views`` are named texts ("original"
    is always there); ``key`` is (seed, epoch), on which, with the index, all drawing for this batch depends;
    ``counts`` says how many of each unit (examples, tokens) the batch holds, for means across processes.
    """

    index: Tensor
    label: Tensor
    views: Mapping[str, Tokens]
    key: tuple[int, int]
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def tokens(self) -> Tokens:
        """The original texts."""
        return self.views["original"]

    def __len__(self) -> int:
        return int(self.index.shape[0])

    def to(self, where: device) -> Self:
        """The same batch on another device."""
        views = {name: tokens.to(where) for name, tokens in self.views.items()}
        return replace(self, index=self.index.to(where), label=self.label.to(where), views=views)


@dataclass(frozen=True)
class Output:
    """What a network says of B texts: logits [B, C], features [B, H] its last layer reads, token states [B, T, H]."""

    logits: Tensor
    features: Tensor
    states: Tensor | None = None  # of the encoder's last layer, where they were asked for


@dataclass(frozen=True)
class Term:
    """One summand of a loss: a sum over units, how many there were, and its weight.

    Keeping sum and count apart is what makes a mean right when a batch is spread over processes
    or accumulated over passes: both are added up before they are divided.
    """

    sum: Tensor
    count: int
    unit: str = "examples"
    weight: float = 1.0

    @property
    def mean(self) -> Tensor:
        """The mean over the units of this batch alone."""
        return self.sum / max(self.count, 1)


@dataclass(frozen=True)
class Loss:
    """Named terms; what is minimised is the sum of their weighted means."""

    terms: Mapping[str, Term]

    def total(self, counts: Mapping[str, int] | None = None) -> Tensor:
        """The weighted sum of means, over this batch or over the wider ``counts`` of units."""
        wider = counts or {}
        values = [term.weight * term.sum / max(wider.get(term.unit, term.count), 1) for term in self.terms.values()]
        return sum(values[1:], start=values[0])


@dataclass(frozen=True)
class Evaluation:
    """What a look at the validation split found: scores by name, and confusion [C, C] (row = true class)."""

    scores: Mapping[str, float]
    confusion: Tensor | None = None


@dataclass(frozen=True)
class Progress:
    """Where training stands: optimiser steps done, steps planned, epoch begun."""

    step: int
    steps: int
    epoch: int
