"""What a difference between models, or between ways of training, is worth.

Two models on the same examples: McNemar's test, or a bootstrap over the examples. Two ways of training, each with
several seeds: a bootstrap over examples and seeds. Many questions at once: Holm's correction.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from unfooled.scores.intervals import LEVEL, student

DRAWS = 4000
CHUNK = 2_000_000  # examples drawn at once, which bounds the memory
Outcomes = Sequence[Sequence[float]]  # one row a seed, one column an example


@dataclass(frozen=True)
class McNemar:
    """Examples that only the first and only the second model gets right, and how probable so uneven a split is.

    ``exact`` is the two-sided binomial p; ``mid`` counts outcomes as probable as the one seen by half, which
    makes up for the exact test's caution.
    """

    first_only: int
    second_only: int
    exact: float
    mid: float


@dataclass(frozen=True)
class Difference:
    """Second minus first, its 95 % interval and two-sided p; ``seeds`` is the smaller number behind either side."""

    value: float
    low: float
    high: float
    p: float
    examples: int
    seeds: int


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> McNemar:
    """Whether two models that answered the same examples differ.

    >>> mcnemar([True] * 5 + [False] * 5, [False] * 5 + [True] + [False] * 4).exact
    0.21875
    """
    pairs = list(zip(first, second, strict=True))
    lost = sum(1 for one, two in pairs if one and not two)
    won = sum(1 for one, two in pairs if two and not one)
    split, few = lost + won, min(lost, won)
    below, equal = 0, 1  # whole numbers, C(split, few) from term to term: nothing is rounded
    for count in range(few):
        below, equal = below + equal, equal * (split - count) // (count + 1)
    if lost == won:
        return McNemar(lost, won, 1.0, 1 - equal / 2 ** (split + 1))
    return McNemar(lost, won, 2 * (below + equal) / 2**split, (2 * below + equal) / 2**split)


def bootstrap(first: Outcomes, second: Outcomes, seed: int = 0, draws: int = DRAWS) -> Difference:
    """The difference of two ways of training, with examples and seeds drawn again, seeds apart for each side.

    Drawing few seeds with replacement understates how much seeds differ: by √(k/(k-1)) in spread, and by Student's
    t against the normal in the tails. Deviations between seeds are stretched by both. A single seed cannot be
    drawn again: then the result speaks of these models, not of the way they were trained.
    """
    one, two = np.asarray(first, float), np.asarray(second, float)
    if one.ndim != 2 or two.ndim != 2 or one.shape[1] != two.shape[1] or one.shape[1] == 0:
        raise ValueError("both sides need rows of values for the same examples, at least one")
    value = float(two.mean() - one.mean())
    if one.shape[1] == 1:  # drawn again it is always itself, which shows nothing
        return Difference(value, -1.0, 1.0, 1.0, 1, min(len(one), len(two)))
    random = np.random.default_rng(seed)
    sides = stretched(one), stretched(two)
    differences = []
    for size in chunks(draws, one.shape[1]):
        weights = drawn_weights(random, size, one.shape[1])
        means = [drawn_seeds(random, side, weights) for side in sides]
        differences.append(means[1] - means[0])
    values = np.concatenate(differences)
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    # One is added to both counts: a p of 0 is not something draws can show.
    tail = min(int((values <= 0).sum()), int((values >= 0).sum()))
    p = min(1.0, 2 * (tail + 1) / (draws + 1))
    return Difference(value, float(low), float(high), p, one.shape[1], min(len(one), len(two)))


def families(rows: Outcomes, groups: Sequence[Hashable]) -> list[list[float]]:
    """Rows over groups instead of over examples, where examples of one group are not independent.

    The mean over groups of r + (s_g - r·m_g)·G/n, with s_g the sum and m_g the size of group g of G and r the mean over
    all n examples, is r, and its variance over groups is that of a ratio estimate: so groups can be drawn instead.
    """
    values = np.asarray(rows, float)
    names = list(dict.fromkeys(groups))
    places = {name: place for place, name in enumerate(names)}
    member = np.zeros((len(groups), len(names)))
    member[np.arange(len(groups)), [places[group] for group in groups]] = 1
    means = values.mean(axis=1, keepdims=True)
    return (means + (values @ member - means * member.sum(axis=0)) * len(names) / len(groups)).tolist()


def chunks(draws: int, examples: int) -> list[int]:
    """The draws in parts that fit into memory."""
    size = max(1, min(draws, CHUNK // examples))
    return [min(size, draws - start) for start in range(0, draws, size)]


def drawn_weights(random: np.random.Generator, draws: int, examples: int) -> np.ndarray:
    """How often each example is drawn, as shares [draws, examples]."""
    places = random.integers(examples, size=(draws, examples)) + examples * np.arange(draws)[:, None]
    counts = np.bincount(places.ravel(), minlength=draws * examples)
    return counts.reshape(draws, examples) / examples


def stretched(side: np.ndarray) -> np.ndarray:
    """The rows [seeds, examples] with each seed's distance from the mean of all seeds made wider."""
    seeds = len(side)
    if seeds == 1:
        return side
    normal = NormalDist().inv_cdf((1 + LEVEL) / 2)
    factor = math.sqrt(seeds / (seeds - 1)) * student(2 * (seeds - 1)) / normal
    means = side.mean(axis=1, keepdims=True)
    return side + (factor - 1) * (means - means.mean())


def drawn_seeds(random: np.random.Generator, side: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The mean over seeds drawn again of the weighted means over examples [draws]."""
    by_seed = weights @ side.T
    chosen = random.integers(len(side), size=by_seed.shape)
    return np.take_along_axis(by_seed, chosen, axis=1).mean(axis=1)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p of each question, corrected for how many were asked (Holm 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = highest
    return adjusted


def smallest_p(seeds: int) -> float:
    """The smallest two-sided p that k runs against k runs can reach by themselves, in an exact permutation test.

    >>> smallest_p(3), round(smallest_p(4), 4)
    (0.1, 0.0286)
    """
    return 1.0 if seeds < 1 else min(1.0, 2 / math.comb(2 * seeds, seeds))


def supports(seeds: int) -> str:
    """What so many seeds allow to be said."""
    if seeds < 2:
        return (
            "Each model was trained once. The tests below say whether these models differ on these examples; they "
            "cannot say whether the ways of training differ, because another seed might turn the result round."
        )
    least = smallest_p(seeds)
    if least > 1 - LEVEL:
        return (
            f"{seeds} seeds a method by themselves can never show a difference: the smallest p that {seeds} runs "
            f"against {seeds} can reach is {least:.2g}. The p values below also draw the examples again and assume "
            "that seeds vary alike; read a small one as a reason to train more seeds, not as proof."
        )
    return (
        f"{seeds} seeds a method: the smallest p that they can reach by themselves is {least:.2g}. Intervals and p "
        "values draw both examples and seeds again."
    )
