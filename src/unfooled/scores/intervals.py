"""Intervals: of shares, of shares of dependent examples, of means, and of anything by drawing again."""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from statistics import NormalDist

import numpy as np

from unfooled.scores.score import Score

LEVEL = 0.95
DRAWS = 2000
CHUNK = 4096  # numbers of an array that are objects at the same time
MANY = 10_000  # examples, above which one counts instead of drawing each, and Student's distribution is nearly normal
INTERVAL = (
    "95 %: Wilson for shares, with groups of dependent examples weighed by their design effect; Student's t for means, "
    "cut at what a mean can be; Fisher's z for correlations; a bootstrap where the definition says so"
)
Groups = Sequence[Hashable] | None  # which rows are versions of one text
Statistic = Callable[[np.ndarray], float]  # of rows, by number; a row may be there more than once


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
        return Score(math.nan, 0.0, 1.0, 0, definition, least=0.0, most=1.0)
    size = n if effective is None else effective
    share, square = successes / n, NormalDist().inv_cdf((1 + LEVEL) / 2) ** 2
    centre = (share + square / (2 * size)) / (1 + square / size)
    half = math.sqrt(square * (share * (1 - share) / size + square / (4 * size * size))) / (1 + square / size)
    # At both ends Wilson's bound is the end itself; rounding must not move it inside.
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == n else centre + half
    return Score(share, low, high, n, definition, least=0.0, most=1.0)


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


def mean(
    values: Sequence[float] | np.ndarray, definition: str, least: float = -math.inf, most: float = math.inf
) -> Score:
    """The mean, with Student's t interval; without limits for fewer than two values.

    ``least`` and ``most`` are what a value can be: no mean lies beyond them, so the interval is cut there.

    >>> score = mean([1.0, 2.0, 3.0], "a mean")
    >>> score.value, round(score.low, 3), round(score.high, 3)
    (2.0, -0.484, 4.484)
    >>> mean([0.0, 0.1], "a mean", least=0, most=1).low
    0
    """
    n = len(values)
    centre = math.fsum(one_by_one(values)) / n if n else math.nan
    unknown = Score(centre, least, most, n, definition, least=least, most=most)
    if n < 2:
        return unknown
    variance = math.fsum((value - centre) ** 2 for value in one_by_one(values)) / (n - 1)
    half = student(n - 1) * math.sqrt(variance / n)
    return unknown.between(centre - half, centre + half)


def one_by_one(values: Sequence[float] | np.ndarray) -> Iterator[float]:
    """The numbers of a list or of an array, of which few are objects at the same time."""
    if not isinstance(values, np.ndarray):
        yield from values
        return
    for start in range(0, len(values), CHUNK):
        yield from values[start : start + CHUNK].tolist()


@cache
def student(freedom: int) -> float:
    """The t within which 95 % of Student's distribution lies, for whole degrees of freedom.

    The distribution function is a finite sum then (Abramowitz and Stegun 26.7.3 and 26.7.4); it is bisected. Of many
    degrees that sum is long, and the first terms of an expansion (26.7.5) are as exact.
    """
    if freedom > MANY:
        z = NormalDist().inv_cdf((1 + LEVEL) / 2)
        first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + (first + (second + third / freedom) / freedom) / freedom
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


def drawn_together(score: Score, groups: Groups, statistic: Statistic) -> Score:
    """A score as it is where no two rows are of one group; else with an interval from drawing whole groups again."""
    if groups is None or len(set(groups)) == len(groups):
        return score
    number = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    places, rows = np.array([number[group] for group in groups]), np.arange(len(groups))
    times = np.random.default_rng(0).multinomial(len(number), np.full(len(number), 1 / len(number)), DRAWS)
    drawn = [statistic(np.repeat(rows, counts[places])) for counts in times]
    low, high = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    # Where nearly every draw is better or worse than the whole, the value itself still belongs to its interval.
    said = f"{score.definition.split('; interval by')[0]}; interval by {DRAWS:,} bootstrap draws over original texts"
    return replace(score, low=min(float(low), score.value), high=max(float(high), score.value), definition=said)
