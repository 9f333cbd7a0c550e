"""What walks between the rooms: texts, tokens, batches, outputs and losses.

Shapes are written with B examples, T padded tokens, C classes and H features.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:  # whoever only reads tables asks for Texts here and does not wait for torch
    from torch import Tensor, device

Texts = tuple[str, ...]  # one text, or two of a pair

NO_LABEL = -100  # of a token that asks for nothing, as PyTorch's cross-entropy has it


@dataclass(frozen=True)
class Tokens:
    """Padded token ids [B, T], their mask (True = a real token) and, for pairs, the segment of each token."""

    ids: Tensor
    mask: Tensor
    segments: Tensor | None = None
    decoder: Tensor | None = None  # [B, S], what a translator's decoder reads while it is taught

    def to(self, where: device) -> Self:
        """The same tokens on another device."""
        segments = None if self.segments is None else self.segments.to(where)
        decoder = None if self.decoder is None else self.decoder.to(where)
        return replace(self, ids=self.ids.to(where), mask=self.mask.to(where), segments=segments, decoder=decoder)


@dataclass(frozen=True)
class Batch:
    """Examples as the objectives see them."""

    index: Tensor  # [B], names each example in its training set
    label: Tensor  # what the task asks for, in the form of ``kind``
    views: Mapping[str, Tokens]  # named texts; "original" is always there
    key: tuple[int, int]  # (seed, epoch), on which, with the index, all drawing for this batch depends
    counts: Mapping[str, int] = field(default_factory=dict)  # of each unit (examples, tokens), for means of processes
    kind: str = "classification"  # the name of a task, or "tokens": ``losses.targets``
    smoothing: float = 0.0  # of token labels: the share of their weight that all words get alike
    targets: Mapping[str, Tensor] = field(default_factory=dict)  # asked for besides, as the tokens behind a mask

    @property
    def tokens(self) -> Tokens:
        """The original texts."""
        return self.views["original"]

    def __len__(self) -> int:
        return int(self.index.shape[0])

    def to(self, where: device) -> Self:
        """The same batch on another device."""
        views = {name: tokens.to(where) for name, tokens in self.views.items()}
        targets = {name: target.to(where) for name, target in self.targets.items()}
        return replace(self, index=self.index.to(where), label=self.label.to(where), views=views, targets=targets)


@dataclass(frozen=True)
class Output:
    """What a network says of B texts: logits [B, C], features [B, H] its last layer reads, token states [B, T, H]."""

    logits: Tensor
    features: Tensor
    states: Tensor | None = None  # of the encoder's last layer, where they were asked for
    vector: Tensor | None = None  # of a classifier: the features [B, H] before the dropout right in front of that layer
    layers: tuple[Tensor, ...] = ()  # token states [B, T, H] of every layer, where they were asked for
    rated: Callable[[Tensor], Tensor] | None = None  # the loss of each label, where not all logits are made


@dataclass(frozen=True)
class Term:
    """One summand of a loss: a sum over units, how many there were, and its weight.

    Keeping sum and count apart is what makes a mean right when a batch is spread over processes
    or accumulated over passes: both are added up before they are divided.
    """

    sum: Tensor
    count: int
    unit: str = "examples"
    weight: float | Tensor = 1.0  # a tensor where it is learned

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
    best_by: str = "accuracy"  # the score that weights are chosen by
    lower_is_better: bool = False
    keeps: str | None = None  # a score of which the choice may lose a point at most, for the sake of another

    def beats(self, best: float | None) -> bool:
        """Whether the score that counts is better than the best so far."""
        if best is None:
            return True
        score = self.scores[self.best_by]
        return score < best if self.lower_is_better else score > best


@dataclass(frozen=True)
class Progress:
    """Where training stands: optimiser steps done, steps planned, epoch begun."""

    step: int
    steps: int
    epoch: int
