"""Paired differences over seeds and examples, their intervals, and the least that a design could have seen.

Of two ways of training that share seeds and examples the difference is taken seed by seed and example by example.
Examples are drawn again together for all seeds, seeds by themselves; few seeds drawn again understate how much they
differ, so their distances are stretched as in ``unfooled.scores.differences``, with Student's t of one seed less.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev

import numpy as np
from grid import Row

from unfooled.scores.differences import DRAWS, chunks, drawn_weights, families
from unfooled.scores.intervals import LEVEL, student

NORMAL = NormalDist().inv_cdf((1 + LEVEL) / 2)
POWER = NORMAL + NormalDist().inv_cdf(0.8)  # standard errors away: seen in 80 % of cases at 5 %
Statistic = Callable[[np.ndarray], np.ndarray]  # weights of the examples [draws, n] → a number each [draws]


@dataclass(frozen=True)
class Paired:
    """Second minus first with its 95 % interval; ``least``: the difference this design sees in 80 % of cases."""

    value: float
    low: float
    high: float
    examples: int
    seeds: int

    @property
    def least(self) -> float:
        """POWER standard errors, as the interval has them."""
        return POWER * (self.high - self.low) / (2 * NORMAL)

    def shown(self, factor: float = 100, digits: int = 1) -> str:
        """Value and interval."""
        value, low, high = (f"{factor * number:+.{digits}f}" for number in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]"


def paired(first: Sequence[Statistic], second: Sequence[Statistic], examples: int, seed: int = 0) -> Paired:
    """The difference of two ways of training, a statistic for each seed, the same examples for all."""
    whole = np.full((1, examples), 1 / examples)
    seeds = len(first)
    own = np.array([float(two(whole)[0] - one(whole)[0]) for one, two in zip(first, second, strict=True)])
    factor = math.sqrt(seeds / (seeds - 1)) * student(seeds - 1) / NORMAL if seeds > 1 else 1.0
    apart = (factor - 1) * (own - own.mean())
    random, drawn = np.random.default_rng(seed), []
    for size in chunks(DRAWS, examples):
        weights = drawn_weights(random, size, examples)
        by_seed = np.stack([two(weights) - one(weights) for one, two in zip(first, second, strict=True)], axis=1)
        chosen = random.integers(seeds, size=by_seed.shape)
        drawn.append(np.take_along_axis(by_seed + apart, chosen, axis=1).mean(axis=1))
    low, high = np.quantile(np.concatenate(drawn), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Paired(float(own.mean()), float(low), float(high), examples, seeds)


def over_seeds(differences: Sequence[float], examples: int) -> Paired:
    """The mean of one difference a seed, with Student's interval; one seed has none, and says so by infinity."""
    value, seeds = fmean(differences), len(differences)
    half = student(seeds - 1) * stdev(differences) / math.sqrt(seeds) if seeds > 1 else math.inf
    return Paired(value, value - half, value + half, examples, seeds)


def outcomes(row: Row) -> np.ndarray:
    """What was held: by example, or by group where examples come in groups."""
    return families([[int(one) for one in row["held"]]], row.get("groups"))[0]


def shares(rows: Sequence[Row]) -> list[Statistic]:
    """The share of examples that were held, row by row."""
    return [mean_of(outcomes(row)) for row in rows]


def mean_of(values: Sequence[float] | np.ndarray) -> Statistic:
    """The weighted mean of values."""
    column = np.asarray(values, float)
    return lambda weights: weights @ column


def ratio_of(above: Sequence[float], below: Sequence[float], transform: Callable = lambda value: value) -> Statistic:
    """A weighted sum over another, as a loss over words; ``transform`` of it, as its exponential."""
    top, bottom = np.asarray(above, float), np.asarray(below, float)
    return lambda weights: transform((weights @ top) / (weights @ bottom))


def macro_f1(truth: Sequence[int], said: Sequence[int], classes: Sequence[int]) -> Statistic:
    """The mean F1 of some classes; 0 for one that is neither there nor said."""
    true, own = np.asarray(truth), np.asarray(said)
    columns = [((true == one).astype(float), (own == one).astype(float)) for one in classes]

    def statistic(weights: np.ndarray) -> np.ndarray:
        found = [
            2 * (weights @ (is_ * is_said)) / np.maximum(weights @ (is_ + is_said), 1e-12) for is_, is_said in columns
        ]
        return np.mean(found, axis=0)

    return statistic


def matched(first: Sequence[Row], second: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The rows of both sides whose seeds both have, in their order, all trained in one precision."""
    refuse_mixed([*first, *second])
    sides = [{row["seed"]: row for row in rows} for rows in (first, second)]
    seeds = sorted(set(sides[0]) & set(sides[1]))
    return [sides[0][seed] for seed in seeds], [sides[1][seed] for seed in seeds]


def compared(first: Sequence[Row], second: Sequence[Row]) -> Paired | None:
    """Second minus first by what was held on the same examples; None where no seed is shared."""
    one, two = matched(first, second)
    if not one:
        return None
    refuse_others(one, two)
    return paired(shares(one), shares(two), len(outcomes(one[0])))


def refuse_mixed(rows: Sequence[Row]) -> None:
    """Refuse rows of which some were trained in another precision; where nothing was trained, a row has none."""
    precisions = sorted({row["precision"] for row in rows if row.get("precision")})
    if len(precisions) > 1:
        raise ValueError(f"rows trained in {' and in '.join(precisions)} cannot be paired: {rows[0]}")


def refuse_others(one: Sequence[Row], two: Sequence[Row]) -> None:
    """Refuse rows that were not measured on the same examples."""
    if len({len(row["held"]) for row in (*one, *two)}) > 1:
        raise ValueError(f"rows of different numbers of examples cannot be paired: {one[0]}, {two[0]}")


def compared_by_origin(first: Sequence[Row], second: Sequence[Row]) -> Paired | None:
    """The same of seeds "origin-seed": runs from one origin are averaged first, so that origins are what is drawn."""
    one, two = matched(first, second)
    if not one:
        return None
    refuse_others(one, two)
    origins = sorted({str(row["seed"]).split("-")[0] for row in one})
    sides = [[averaged(shares(of_origin(rows, origin))) for origin in origins] for rows in (one, two)]
    return paired(*sides, len(outcomes(one[0])))


def of_origin(rows: Sequence[Row], origin: str) -> list[Row]:
    """The rows whose runs began from one origin."""
    return [row for row in rows if str(row["seed"]).split("-")[0] == origin]


def averaged(statistics: Sequence[Statistic]) -> Statistic:
    """The mean of several statistics."""
    return lambda weights: np.mean([statistic(weights) for statistic in statistics], axis=0)


def cell(rows: Sequence[Row], control: Sequence[Row]) -> str:
    """The mean of the seeds and, beside a control, the paired difference with its interval; points."""
    if not rows:
        return ""
    mean = f"{100 * fmean(row['value'] for row in rows):.1f}"
    apart = None if rows is control else compared(control, rows)
    return mean if apart is None else f"{mean} ({apart.shown()})"


def least(rows: Sequence[Row], control: Sequence[Row]) -> str:
    """The least difference to the control that would have been seen in 80 % of cases."""
    apart = compared(control, rows) if rows and control and rows is not control else None
    return "" if apart is None or not math.isfinite(apart.least) else f"{100 * apart.least:.1f}"


def table(rows: Sequence[Row], entries: Sequence[str], whats: Sequence[str], control: str) -> list[list[str]]:
    """Lines of a table: a way of training each, and at the end what the design could have seen of the widest one."""
    own = {(row["entry"], row["what"]): [] for row in rows}
    for row in rows:
        own[row["entry"], row["what"]].append(row)
    controls = {what: own.get((control, what), []) for what in whats}
    lines = [[entry, *(cell(own.get((entry, what), []), controls[what]) for what in whats)] for entry in entries]
    seen = [[least(own.get((entry, what), []), controls[what]) for entry in entries] for what in whats]
    widest = [max((one for one in some if one), key=float, default="") for some in seen]
    sizes = [
        " × ".join((str(len(controls[what])), f"{controls[what][0]['n']:,}")) if controls[what] else ""
        for what in whats
    ]
    return [*lines, ["least to be seen (80 %)", *widest], ["seeds × texts", *sizes]]
