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
MANY = 20_000  # examples, above which those that are alike are counted instead of drawn one by one
PATTERNS = 16  # models, of which right and wrong can be alike in 2^16 ways
DENSE = 20_000_000  # numbers of a matrix that is made
Outcomes = Sequence[Sequence[float]] | np.ndarray  # one row a seed, one column an example


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
    one, two = np.asarray(first, dtype=bool), np.asarray(second, dtype=bool)
    if one.shape != two.shape:
        raise ValueError("both models must have answered the same examples")
    lost, won = int((one & ~two).sum()), int((two & ~one).sum())
    split, few = lost + won, min(lost, won)
    if split > MANY:
        return by_logarithms(lost, won)
    below, equal = 0, 1  # whole numbers, C(split, few) from term to term: nothing is rounded
    for count in range(few):
        below, equal = below + equal, equal * (split - count) // (count + 1)
    if lost == won:
        return McNemar(lost, won, 1.0, 1 - equal / 2 ** (split + 1))
    return McNemar(lost, won, 2 * (below + equal) / 2**split, (2 * below + equal) / 2**split)


def by_logarithms(lost: int, won: int) -> McNemar:
    """McNemar's test of a split so large that whole numbers would take minutes: right to some eight digits."""
    split, few = lost + won, min(lost, won)
    ways = math.lgamma(split + 1) - math.lgamma(few + 1) - math.lgamma(split - few + 1)
    counts = np.arange(few, 0, -1, dtype=float)  # from term to term downwards, each a part of the one before
    equal = math.exp(ways - split * math.log(2))
    below = equal * float(np.cumprod(counts / (split - counts + 1)).sum())
    if lost == won:
        return McNemar(lost, won, 1.0, 1 - equal / 2)
    return McNemar(lost, won, min(1.0, 2 * (below + equal)), min(1.0, 2 * below + equal))


def bootstrap(first: Outcomes, second: Outcomes, seed: int = 0, draws: int = DRAWS) -> Difference:
    """The difference of two ways of training, with examples and seeds drawn again, seeds apart for each side.

    Drawing few seeds with replacement understates how much seeds differ: by √(k/(k-1)) in spread, and by Student's
    t against the normal in the tails. Deviations between seeds are stretched by both. A single seed cannot be
    drawn again: then the result speaks of these models, not of the way they were trained. Of very many examples that
    are right or wrong, how many of each pattern are drawn is drawn at once, which is the same chance.
    """
    one, two = np.asarray(first, float), np.asarray(second, float)
    if one.ndim != 2 or two.ndim != 2 or one.shape[1] != two.shape[1] or one.shape[1] == 0:
        raise ValueError("both sides need rows of values for the same examples, at least one")
    value = float(two.mean() - one.mean())
    if one.shape[1] == 1:  # drawn again it is always itself, which shows nothing
        return Difference(value, -1.0, 1.0, 1.0, 1, min(len(one), len(two)))
    random = np.random.default_rng(seed)
    n, sides, times = one.shape[1], (stretched(one), stretched(two)), None
    rows = np.concatenate([one, two]) if n > MANY and len(one) + len(two) <= PATTERNS else None
    if rows is not None and bool(((rows == 0) | (rows == 1)).all()):
        first_of, times = alike(rows)
        sides = sides[0][:, first_of], sides[1][:, first_of]
    differences = []
    for size in chunks(draws, sides[0].shape[1]):
        weights = drawn_weights(random, size, n) if times is None else random.multinomial(n, times / n, size) / n
        means = [drawn_seeds(random, side, weights) for side in sides]
        differences.append(means[1] - means[0])
    values = np.concatenate(differences)
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    # One is added to both counts: a p of 0 is not something draws can show.
    tail = min(int((values <= 0).sum()), int((values >= 0).sum()))
    p = min(1.0, 2 * (tail + 1) / (draws + 1))
    return Difference(value, float(low), float(high), p, one.shape[1], min(len(one), len(two)))


def alike(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of columns of 0 and 1, an example of each that differs from the others, and how many there are of it.

    Examples answered alike are drawn alike, so of very many examples these can be drawn instead.

    >>> [part.tolist() for part in alike(np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]]))]
    [[1, 0], [2, 1]]
    """
    marks = np.zeros(rows.shape[1], dtype=np.int32)
    for place, row in enumerate(rows):
        marks |= row.astype(np.int32) << place
    _, first, times = np.unique(marks, return_index=True, return_counts=True)
    return first, times


def families(rows: Outcomes, groups: Sequence[Hashable] | None) -> np.ndarray:
    """Rows over groups instead of over examples, where examples of one group are not independent.

    Without groups every example is one.

    The mean over groups of r + (s_g - r·m_g)·G/n, with s_g the sum and m_g the size of group g of G and r the mean over
    all n examples, is r, and its variance over groups is that of a ratio estimate: so groups can be drawn instead.
    """
    values = np.asarray(rows, float)
    number: dict[Hashable, int] = {}
    places = np.array([number.setdefault(group, len(number)) for group in groups]) if groups is not None else None
    n, m = values.shape[1], values.shape[1] if places is None else len(number)
    if places is None:
        sums, sizes = values, np.ones(n)
    elif n * m > DENSE:  # a matrix of who is in which group would not fit
        sums = np.stack([np.bincount(places, row, m) for row in values])
        sizes = np.bincount(places, minlength=m).astype(float)
    else:
        member = np.zeros((n, m))
        member[np.arange(n), places] = 1
        sums, sizes = values @ member, member.sum(axis=0)
    means = values.mean(axis=1, keepdims=True)
    whole: np.ndarray = means + (sums - means * sizes) * m / n
    return whole


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
