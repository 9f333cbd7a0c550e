"""The columns of a page: models, or methods with the models of all their seeds, and one number for each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from unfooled.results.folder import Results
from unfooled.results.verdict import Coordinate, Verdict
from unfooled.scores.differences import bootstrap, families
from unfooled.scores.intervals import mean
from unfooled.scores.score import SHARE, Score
from unfooled.trials.columns import in_arrays
from unfooled.trials.trial import AXES, Answers, Axis

INTERVAL_DRAWS = 1000  # an interval needs fewer than a p value
ROUNDING = 1e-9


@dataclass(frozen=True)
class Group:
    """What stands in one column: a model, or the models of one method with different seeds.

    ``seconds`` and ``megabytes`` are what its trainings took, where methods were compared.
    """

    name: str
    members: tuple[str, ...]
    seconds: tuple[float, ...] = ()
    megabytes: tuple[float, ...] = ()


def each_model(results: Results) -> tuple[Group, ...]:
    """Every model in a column of its own."""
    return tuple(Group(model, (model,)) for model in results.models)


def common(answers: Sequence[Answers]) -> np.ndarray:
    """The numbers of the examples that all have answers for, in order."""
    return reduce(np.intersect1d, [in_arrays(one).indices for one in answers]) if answers else np.zeros(0, dtype=int)


def outcomes(answers: Sequence[Answers], shared: np.ndarray) -> np.ndarray:
    """The answers for some examples [answers, examples]."""
    known = [in_arrays(one) for one in answers]
    return np.stack([one.array[np.searchsorted(one.indices, shared)].astype(float) for one in known])


def combined(
    group: Group, scores: Mapping[str, Score], answers: Mapping[str, Answers], family: Mapping[int, str] | None = None
) -> Score | None:
    """A group's number: of several seeds the mean, its interval over examples and seeds where both are known."""
    own = [scores[name] for name in group.members if name in scores]
    if len(own) < 2:
        return own[0] if own else None
    ends = drawn_ends([answers[name] for name in group.members if name in answers], own, family or {})
    if ends is not None:
        return possible(replace(own[0], value=float(np.mean([score.value for score in own]))), *ends)
    seeds = mean([score.value for score in own], "")
    return possible(replace(own[0], value=seeds.value), seeds.low, seeds.high)


def possible(score: Score, low: float, high: float) -> Score:
    """The number with this interval, cut at what it can be: shares stay shares, correlations correlations."""
    return score.between(max(low, 0.0), min(high, 1.0)) if score.unit == SHARE else score.between(low, high)


def drawn_ends(
    asked: Sequence[Answers], scores: Sequence[Score], family: Mapping[int, str]
) -> tuple[float, float] | None:
    """An interval over examples and seeds; None where the number is no mean of the answers, nor of their opposite."""
    shared = common(asked)
    if not len(shared):
        return None
    rows = families(outcomes(asked, shared), grouped(shared, family))
    drawn = bootstrap(np.zeros((1, rows.shape[1])), rows, draws=INTERVAL_DRAWS)
    value, share = float(np.mean([score.value for score in scores])), scores[0].unit == SHARE
    if abs(drawn.value - value) <= ROUNDING:
        return drawn.low, drawn.high
    if share and abs(1 - drawn.value - value) <= ROUNDING:  # failures are counted, passes are answered
        return 1 - drawn.high, 1 - drawn.low
    return None


def grouped(shared: np.ndarray, family: Mapping[int, str]) -> list[str] | None:
    """The family of each example; None where all stand for themselves."""
    return [family.get(index, str(index)) for index in shared.tolist()] if family else None


def standings(results: Results, groups: Sequence[Group]) -> tuple[Verdict, ...]:
    """Where each group stands: of several seeds, the mean of their coordinates; none where nothing was measured."""
    verdicts = {one.model: one for one in results.verdicts}
    columns = [together(group.name, [verdicts[name] for name in group.members if name in verdicts]) for group in groups]
    return tuple(columns) if any(own.score for one in columns for own in one.axes.values()) else ()


def together(name: str, verdicts: Sequence[Verdict]) -> Verdict:
    """The verdict on the models of one group."""
    axes: dict[Axis, Coordinate] = {}
    for axis in AXES:
        own = [one.axes[axis] for one in verdicts]
        names = dict.fromkeys(part for one in own for part in one.parts)
        parts = {part: averaged([one.parts.get(part) for one in own]) for part in names}
        known = {part: score for part, score in parts.items() if score is not None}
        left_out = {part: why for one in own for part, why in one.left_out.items()}
        axes[axis] = Coordinate(averaged([one.score for one in own]), known, left_out)
    return Verdict(name, axes)


def averaged(scores: Sequence[Score | None]) -> Score | None:
    """The mean of shares and of their bounds; Student's interval over seeds where that is wider."""
    own = [score for score in scores if score is not None]
    if not own:
        return None
    value, low, high = (float(np.mean([getattr(score, name) for score in own])) for name in ("value", "low", "high"))
    if len(own) > 1:
        wide = mean([score.value for score in own], "")
        low, high = min(low, wide.low), max(high, wide.high)
    return possible(replace(own[0], value=value), low, high)
