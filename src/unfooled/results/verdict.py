"""Where a model stands on two axes: does it hold still when meaning holds still, and move when meaning moves?

**Fickleness**: how often a prediction changes though the meaning does not. Its parts:
- *word attacks*: of the examples answered rightly and attacked without an error, those that at least one of the attacks
  in words fools;
- *stored adversaries*: of those whose original is answered rightly, the ones answered otherwise;
- *unchanged meaning*: of all INV cases, those in which some version of a text is answered otherwise than the text.

**Obstinacy**: how often a prediction does not change though the meaning does. Its parts:
- *contrast set*: of the revisions with another label than their original, which is answered rightly, those answered
  with the original's label;
- *turned meaning*: of all DIR cases in which a negation or an antonym turns a text round, those in which the
  probability of the text's label does not fall.

A coordinate is the mean of its parts, each weighed alike however many examples it stands on. Its interval is the mean
of their lower and of their upper bounds, which holds whatever the parts, measured on the same model and often the same
texts, have to do with each other. Models of one table are compared by the parts that all of them have; a part without
any example is none, and one of fewer than five does not count beside a larger one. A perfect model stands at (0, 0),
one that always says the same at (0, 1).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from unfooled.scores.score import Score
from unfooled.trials.trial import AXES, Axis, Trial

FEW = 5  # examples: a part of one or two would weigh as much as one of hundreds
# Why a part does not count.
TOO_FEW = f"fewer than {FEW} examples"
ELSEWHERE = f"another model has fewer than {FEW} examples of it, or none"
MEANING: dict[Axis, str] = {
    "fickleness": "predictions that change though the meaning does not",
    "obstinacy": "predictions that do not change though the meaning does",
}


class Judged(Protocol):
    """A finished trial: its name, what reads its records, and what it reads of them."""

    @property
    def trial(self) -> str:
        """The trial's name."""

    @property
    def form(self) -> Trial:
        """The trial."""

    @property
    def briefs(self) -> Sequence[Any]:
        """What became of each unit, as far as numbers need it."""


@dataclass(frozen=True)
class Coordinate:
    """A coordinate, None where nothing was measured, and its parts by name.

    It is the mean of its parts but for those ``left_out``, which says why.
    """

    score: Score | None
    parts: Mapping[str, Score]
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """Where one model stands, by axis."""

    model: str
    axes: Mapping[Axis, Coordinate]

    @property
    def fickleness(self) -> Coordinate:
        """How often it moves though meaning holds."""
        return self.axes["fickleness"]

    @property
    def obstinacy(self) -> Coordinate:
        """How often it holds though meaning moves."""
        return self.axes["obstinacy"]


def parts_of(trials: Sequence[Judged], axis: Axis) -> dict[str, Score]:
    """What a model's trials say of one axis: a part is read off all trials that have it; no examples make none."""
    parts = dict.fromkeys(part for one in trials for part in one.form.verdict if part.axis == axis)
    scores: dict[str, Score] = {}
    for part in parts:
        score = part.score({one.trial: one.briefs for one in trials if part in one.form.verdict})
        if score.n > 0 and not math.isnan(score.value):
            scores[part.name] = score.called(part.name, better="less")
    return scores


def coordinate(parts: Mapping[str, Score], counted: Sequence[str], axis: Axis) -> Coordinate:
    """The mean of the parts that count."""
    own = [parts[name] for name in counted if name in parts]
    if not own:
        return Coordinate(None, parts, dict.fromkeys(parts, ELSEWHERE))
    names = ", ".join(name for name in counted if name in parts)
    value, low, high = (math.fsum(getattr(one, key) for one in own) / len(own) for key in ("value", "low", "high"))
    definition = f"{MEANING[axis]}: mean of {names}; its bounds are the means of theirs"
    score = Score(value, low, high, sum(one.n for one in own), definition, least=0.0, most=1.0)
    left_out = {name: TOO_FEW if one.n < FEW else ELSEWHERE for name, one in parts.items() if name not in counted}
    return Coordinate(score.called(axis, better="less"), parts, left_out)


def verdicts(models: Mapping[str, Sequence[Judged]]) -> list[Verdict]:
    """Where each model stands, from its trials; models are compared by the parts they have in common."""
    parts = {axis: {name: parts_of(trials, axis) for name, trials in models.items()} for axis in AXES}
    return [
        Verdict(name, {axis: coordinate(parts[axis][name], shared(parts[axis].values()), axis) for axis in AXES})
        for name in models
    ]


def shared(parts: Iterable[Mapping[str, Score]]) -> list[str]:
    """The parts that every model has which has any; the small ones only where there are no others."""
    some = [own for own in parts if own]
    names = [name for name in some[0] if all(name in own for own in some)] if some else []
    small = {name for own in some for name, score in own.items() if score.n < FEW}
    return [name for name in names if name not in small] or names
