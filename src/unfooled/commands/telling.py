"""Numbers of a page: the table of models or methods, and what the differences between them are worth."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from unfooled.commands.gathering import Gathered, judged
from unfooled.commands.outcomes import Answers, Question, outcomes
from unfooled.commands.outcomes import families as families_in
from unfooled.evaluation.metrics import Score, mean
from unfooled.evaluation.results import Row
from unfooled.evaluation.significance import bootstrap, families, holm, mcnemar
from unfooled.evaluation.verdict import FEW
from unfooled.report.story import Gap, Measure, Number, Standing

# Metrics that are better the lower they are, that are neither better nor worse, and that are no shares.
LESS = {
    *("attack_success", "attack_success_of_all", "failure_rate", "unmoved", "mean_distance", "distance"),
    *("alignment", "uniformity", "error_rate", "budget_rate", "zero_candidate_rate", "squared_error"),
}
NEITHER = {"asked", "queries", "words_changed", "similarity", "mean_confidence"}
NOT_SHARES = {
    *("mean_cosine", "mean_distance", "cosine", "distance", "alignment", "uniformity", "queries", "asked"),
    *("matthews", "pearson", "spearman", "squared_error"),
}
NAMES = {
    "matthews": "Matthews correlation",
    "attack_success": "fooled",
    "ori": "right on originals (Ori)",
    "rev": "right on revisions (Rev)",
    "con_pair": "right on both of a pair (Con)",
    "con_group": "right on a whole group (Con)",
    "unmoved": "unmoved by another meaning",
    "failure_rate": "failures",
}
INTERVAL_DRAWS = 1000  # an interval needs fewer than a p value
TESTED = ("accuracy", "accuracy_under_attack", "con_pair", "failure_rate")


@dataclass(frozen=True)
class Group:
    """What stands in one column: a model, or the models of one method with different seeds."""

    name: str
    members: tuple[str, ...]


Place = tuple[str, str, float | None, str | None]  # trial, metric, radius, part


def place_of(row: Row) -> Place:
    """Which number a row is, whatever the model."""
    return row.trial, row.metric, row.eps, row.part


def number(score: Score) -> Number:
    """A score as a page has it."""
    return Number(score.value, score.low, score.high, score.n)


def measures(told: Gathered, groups: Sequence[Group]) -> tuple[Measure, ...]:
    """Every number but details, one column a group."""
    rows = [row for row in told.rows() if not (row.detail or is_test(row) or row.eps == 0) and row.score.n]
    answers, known = answers_of(told), families_of(told)
    found = []
    for place in dict.fromkeys(map(place_of, rows)):
        own = {row.model: row.score for row in rows if place_of(row) == place}
        numbers = tuple(
            combined(group, own, answers.get(Question(*place), {}), known.get(place[0])) for group in groups
        )
        definition = defined(own)
        trial, metric, eps, part = place
        what = NAMES.get(metric, metric.replace("_", " ")) + ("" if part is None else f", {part}")
        title = trial if eps is None else f"{trial}, eps {eps:g}"
        better: Literal["more", "less", ""] = "less" if metric in LESS else "" if metric in NEITHER else "more"
        found.append(Measure(title, what, definition, numbers, metric not in NOT_SHARES, better))
    return tuple(found)


def defined(scores: Mapping[str, Score]) -> str:
    """What a number is, by model where it is not the same for all, such as the best layer."""
    definitions = {score.definition for score in scores.values()}
    if len(definitions) == 1:
        return definitions.pop()
    return "; ".join(f"{model}: {score.definition}" for model, score in scores.items())


def is_test(row: Row) -> bool:
    """Whether a row is of one behavioural test, which has a table of its own."""
    return row.metric == "failure_rate" and row.part is not None and " " in row.part


def answers_of(told: Gathered) -> dict[Question, dict[str, Answers]]:
    """Every question's answers, by model."""
    found: dict[Question, dict[str, Answers]] = {}
    for one in told.trials:
        for question, answers in outcomes(one).items():
            found.setdefault(question, {})[one.model] = answers
    return found


def families_of(told: Gathered) -> dict[str, dict[int, str]]:
    """Which records belong together, by trial."""
    return {one.trial: families_in(one) for one in told.trials}


def combined(
    group: Group, scores: dict[str, Score], answers: dict[str, Answers], family: dict[int, str] | None = None
) -> Number | None:
    """A group's number: of several seeds the mean, its interval over examples and seeds where both are known."""
    own = [scores[name] for name in group.members if name in scores]
    if len(own) < 2:
        return number(own[0]) if own else None
    asked = [answers[name] for name in group.members if name in answers]
    shared = common(asked)
    if shared:
        value = float(np.mean([score.value for score in own]))
        rows, names = [[float(one[index]) for index in shared] for one in asked], [str(index) for index in shared]
        rows = families(rows, [(family or {}).get(index, name) for index, name in zip(shared, names, strict=True)])
        found = bootstrap([[0.0] * len(rows[0])], rows, draws=INTERVAL_DRAWS)
        turned = abs(found.value - value) > 1e-9  # failures are counted, passes are answered
        low, high = (1 - found.high, 1 - found.low) if turned else (found.low, found.high)
        return Number(value, max(low, 0.0), min(high, 1.0), own[0].n)
    seeds = mean([score.value for score in own], "")
    inside = all(score.low >= 0 and score.high <= 1 for score in own)  # shares stay shares
    low, high = (max(seeds.low, 0.0), min(seeds.high, 1.0)) if inside else (seeds.low, seeds.high)
    return Number(seeds.value, low, high, own[0].n)


def common(answers: Sequence[Answers]) -> list[int]:
    """The examples that all have answers for."""
    return sorted(set.intersection(*(set(one) for one in answers))) if answers else []


def gaps(told: Gathered, groups: Sequence[Group]) -> tuple[Gap, ...]:
    """Every group against the first in every question that can be asked example by example, corrected by Holm."""
    found, known = [], families_of(told)
    for question, answers in answers_of(told).items():
        if question.metric not in TESTED or question.eps == 0:
            continue
        for group in groups[1:]:
            gap = between(question, groups[0], group, answers, known.get(question.trial, {}))
            if gap is not None:
                found.append(gap)
    corrected = holm([gap.p for gap in found])
    return tuple(Gap(**{**vars(gap), "corrected": p}) for gap, p in zip(found, corrected, strict=True))


def between(
    question: Question, first: Group, second: Group, answers: dict[str, Answers], family: dict[int, str]
) -> Gap | None:
    """One group against another: McNemar's mid-p for single models on examples that have nothing to do with each other.

    For several seeds, and for examples that come in families, a bootstrap over seeds and over examples or families.
    """
    members = [[answers[name] for name in group.members if name in answers] for group in (first, second)]
    shared = common([one for side in members for one in side])
    # McNemar's mid-p of four examples is 1/16 at the least: fewer than five cannot tell models apart, and asking them
    # would only make Holm's correction of the others stricter.
    if not all(members) or len(shared) < FEW:
        return None
    one, two = ([[float(answer[index]) for index in shared] for answer in side] for side in members)
    groups = [family.get(index, str(index)) for index in shared]
    alone, single = len(set(groups)) == len(groups), len(one) == len(two) == 1
    gap = bootstrap(one, two) if alone else bootstrap(families(one, groups), families(two, groups))
    number = Number(gap.value, gap.low, gap.high, len(shared))
    test = mcnemar([value > 0 for value in one[0]], [value > 0 for value in two[0]]) if single else None
    counts = (None, None) if test is None else (test.first_only, test.second_only)
    if test is not None and alone:
        return Gap(question.said, first.name, second.name, number, test.mid, 1.0, "McNemar, mid-p", *counts)
    how = " and ".join(["bootstrap over examples" if alone else "bootstrap over texts", *([] if single else ["seeds"])])
    return Gap(question.said, first.name, second.name, number, gap.p, 1.0, how, *counts)


def standings(told: Gathered, groups: Sequence[Group]) -> tuple[Standing, ...]:
    """Where each group stands: of several seeds, the mean of their coordinates."""
    verdicts = {one.model: one for one in judged(told)}
    found = []
    for group in groups:
        own = [verdicts[name] for name in group.members if name in verdicts]
        coordinates = [
            averaged([axis.score for axis in axes])
            for axes in ([one.fickleness for one in own], [one.obstinacy for one in own])
        ]
        parts = [
            (axis, name, part)
            for axis in ("fickleness", "obstinacy")
            for name in dict.fromkeys(name for one in own for name in getattr(one, axis).parts)
            if (part := averaged([getattr(one, axis).parts.get(name) for one in own])) is not None
        ]
        found.append(Standing(group.name, coordinates[0], coordinates[1], tuple(parts)))
    return tuple(found) if any(one.fickleness or one.obstinacy for one in found) else ()


def averaged(scores: Sequence[Score | None]) -> Number | None:
    """The mean of scores and of their bounds; Student's interval over seeds where that is wider."""
    own = [score for score in scores if score is not None]
    if not own:
        return None
    value, low, high = (float(np.mean([getattr(score, name) for score in own])) for name in ("value", "low", "high"))
    if len(own) > 1:
        wide = mean([score.value for score in own], "")
        low, high = max(min(low, wide.low), 0.0), min(max(high, wide.high), 1.0)
    return Number(value, low, high, own[0].n)
