"""Numbers read off records: each with its definition, how many examples it stands on, and a 95 % interval."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np

from unfooled.evaluation.records import Record, at, radii

LEVEL = 0.95
INTERVAL = (
    "95 %: Wilson for shares, with groups of dependent examples weighed by their design effect; Student's t for means, "
    "cut at what a mean can be; Fisher's z for correlations; a bootstrap where the definition says so"
)
MASKED_SHARE = 0.05  # of examples without a gradient, above which an attack by gradients proves little
DROP_SHARE = 0.1  # of the rise of the mean loss, that a single ascent step may lose again


@dataclass(frozen=True)
class Score:
    """A value, its 95 % interval, the number of examples, and what was counted."""

    value: float
    low: float
    high: float
    n: int
    definition: str


def proportion(successes: int, n: int, definition: str, effective: float | None = None) -> Score:
    """A share of n examples, with Wilson's interval; of no examples it is unknown: nan in [0, 1].

    ``effective`` is how many independent examples they are worth, all of them unless told.

    >>> score = proportion(8, 10, "right answers")
    >>> score.value, round(score.low, 3), round(score.high, 3)
    (0.8, 0.49, 0.943)
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is no proportion")
    if n == 0:
        return Score(math.nan, 0.0, 1.0, 0, definition)
    size = n if effective is None else effective
    share, square = successes / n, NormalDist().inv_cdf((1 + LEVEL) / 2) ** 2
    centre = (share + square / (2 * size)) / (1 + square / size)
    half = math.sqrt(square * (share * (1 - share) / size + square / (4 * size * size))) / (1 + square / size)
    # At both ends Wilson's bound is the end itself; rounding must not move it inside.
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == n else centre + half
    return Score(share, low, high, n, definition)


def clustered(values: Sequence[bool], groups: Sequence[Hashable], definition: str) -> Score:
    """A share of values that come in groups, which are independent of each other while their members are not.

    Wilson's interval with n over the design effect: the variance of the share over groups, sum over groups of
    (successes − share·size)² · m/(m−1)/n² for m groups, by that of n independent values (Rao and Scott, 1992), at
    least 1. Where all or none succeed no variance can be seen, and groups count as single values.
    """
    n, total = len(values), sum(map(bool, values))
    members: dict[Hashable, list[bool]] = {}
    for value, group in zip(values, groups, strict=True):
        members.setdefault(group, []).append(bool(value))
    m = len(members)
    if m == n:
        return proportion(total, n, definition)
    share = total / n
    if m < 2 or total in (0, n):
        return proportion(total, n, definition, effective=m)
    spread = sum((sum(own) - share * len(own)) ** 2 for own in members.values())
    design = (m / (m - 1) * spread / n**2) / (share * (1 - share) / n)
    return proportion(total, n, definition, effective=n / max(design, 1.0))


def mean(values: Sequence[float], definition: str, least: float = -math.inf, most: float = math.inf) -> Score:
    """The mean, with Student's t interval; without limits for fewer than two values.

    ``least`` and ``most`` are what a value can be: no mean lies beyond them, so the interval is cut there.

    >>> score = mean([1.0, 2.0, 3.0], "a mean")
    >>> score.value, round(score.low, 3), round(score.high, 3)
    (2.0, -0.484, 4.484)
    >>> mean([0.0, 0.1], "a mean", least=0, most=1).low
    0
    """
    n = len(values)
    centre = math.fsum(values) / n if n else math.nan
    if n < 2:
        return Score(centre, least, most, n, definition)
    variance = math.fsum((value - centre) ** 2 for value in values) / (n - 1)
    half = student(n - 1) * math.sqrt(variance / n)
    return Score(centre, max(centre - half, least), min(centre + half, most), n, definition)


@cache
def student(freedom: int) -> float:
    """The t within which 95 % of Student's distribution lies, for whole degrees of freedom.

    The distribution function is a finite sum then (Abramowitz and Stegun 26.7.3 and 26.7.4); it is bisected.
    """
    odd, terms = freedom % 2, np.arange(freedom // 2)
    factors = np.where(terms > 0, (2 * terms - 1 + odd) / np.maximum(2 * terms + odd, 1), 1.0)
    coefficients = np.cumprod(factors)

    def within(bound: float) -> float:
        angle = math.atan(bound / math.sqrt(freedom))
        series = float((coefficients * math.cos(angle) ** (2.0 * terms)).sum()) * math.sin(angle)
        return 2 / math.pi * (angle + series * math.cos(angle)) if odd else series

    low, high = 0.0, 13.0  # one degree of freedom has the widest interval: 12.7
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) < LEVEL else (low, middle)
    return (low + high) / 2


def accuracy(records: Sequence[Record]) -> Score:
    """How often the model is right on the texts as they are."""
    right = sum(record.prediction == record.label for record in records)
    return proportion(right, len(records), "share of examples whose predicted class is their label")


def accuracy_under_attack(records: Sequence[Record]) -> Score:
    """How often the model is right at the worst perturbation found."""
    right = sum(record.attack.prediction == record.label for record in records)
    return proportion(right, len(records), "share of examples whose predicted class under attack is their label")


def attack_success(records: Sequence[Record]) -> Score:
    """How often the attack turns a right answer into a wrong one."""
    known = [record for record in records if record.prediction == record.label]
    fooled = sum(record.attack.prediction != record.label for record in known)
    return proportion(fooled, len(known), "share of rightly predicted examples that are wrongly predicted under attack")


def mean_confidence(records: Sequence[Record]) -> Score:
    """How probable the model finds the right answer."""
    return mean([record.confidence for record in records], "mean probability of the label", 0.0, 1.0)


def mean_cosine(records: Sequence[Record]) -> Score:
    """How well the representation keeps its direction under attack."""
    values = [record.attack.cosine for record in records]
    return mean(values, "mean cosine of the features before and under attack, not normalised", -1.0, 1.0)


def mean_distance(records: Sequence[Record]) -> Score:
    """How far the representation moves under attack."""
    values = [record.attack.distance for record in records]
    return mean(values, "mean Euclidean distance of the features before and under attack, not normalised", 0.0)


Metric = Callable[[Sequence[Record]], Score]
CLEAN_METRICS: dict[str, Metric] = {"accuracy": accuracy, "mean_confidence": mean_confidence}
ATTACK_METRICS: dict[str, Metric] = {
    "accuracy_under_attack": accuracy_under_attack,
    "attack_success": attack_success,
    "mean_cosine": mean_cosine,
    "mean_distance": mean_distance,
}
METRICS: dict[str, Metric] = CLEAN_METRICS | ATTACK_METRICS


def scores(records: Sequence[Record]) -> list[tuple[float | None, str, Score]]:
    """Every metric these records allow, as (radius of the attack or None, name, score)."""
    if not radii(records):
        return [(None, name, metric(records)) for name, metric in CLEAN_METRICS.items()]
    return [(eps, name, metric(at(records, eps))) for eps in radii(records) for name, metric in ATTACK_METRICS.items()]


def confusion(records: Sequence[Record], classes: int) -> list[list[int]]:
    """How often each class (row) was predicted as each class (column)."""
    counts = [[0] * classes for _ in range(classes)]
    for record in records:
        counts[record.label][record.prediction] += 1
    return counts


def health(records: Sequence[Record]) -> list[str]:
    """What makes an attack by gradients untrustworthy on these records; nothing where it looks sound."""
    found = [warning for eps in radii(records) if eps > 0 for warning in masking(at(records, eps), eps)]
    gradients = [record.gradient for record in records if record.gradient is not None]
    flat = sum(gradient == 0 for gradient in gradients)
    if gradients and flat / len(gradients) > MASKED_SHARE:
        found.append(
            f"zero gradient: the loss of {flat} of {len(gradients)} examples gives the attack no direction; "
            "it left them as they were, so their accuracy under attack proves nothing. "
            "Try attacks that need no gradient, or transfer attacks from another model."
        )
    return found


def masking(records: Sequence[Record], eps: float) -> list[str]:
    """A warning if the mean loss does not grow from ascent step to ascent step."""
    path = np.asarray([record.attack.losses for record in records]).mean(axis=0)
    drop = float(np.max(np.maximum.accumulate(path) - path))
    rise = float(path[-1] - path[0])
    if rise > 0 and drop <= DROP_SHARE * rise:
        return []
    return [
        f"gradient masking at eps {eps:g}: the mean loss does not grow with the ascent steps "
        f"({' → '.join(f'{loss:.4g}' for loss in path)}), so the gradients mislead the attack and the "
        "accuracy under attack is likely too good. "
        "Try more steps and restarts, and transfer attacks from another model."
    ]
