"""How well answers agree with the truth where a share of right ones says too little.

Numbers by correlation (STS-B), classes by Matthews correlation and F1 (CoLA, MRPC), sets of classes by micro F1
(DialogRE). Every score comes with a 95 % interval; none needs torch.
"""

import math
from collections.abc import Callable, Collection, Sequence
from statistics import NormalDist

import numpy as np

from unfooled.scores.intervals import DRAWS, LEVEL, MANY, Groups, clustered, drawn_together, mean
from unfooled.scores.score import Score

EQUAL = "0 where either side is constant"
THRESHOLD = 0.5  # of a label's probability, from which on it is said
NOTHING = ("unanswerable", "no_relation")  # classes that say there is none, as DialogRE's and TACRED's


def pearson(truth: Sequence[float], answers: Sequence[float]) -> Score:
    """Pearson's correlation, with Fisher's interval: z = artanh r has a standard error of 1/√(n-3).

    >>> score = pearson([1, 2, 3, 4], [1, 3, 2, 4])
    >>> round(score.value, 6), round(score.low, 3), round(score.high, 3)
    (0.8, -0.697, 0.996)
    """
    value = correlation(np.asarray(truth, float), np.asarray(answers, float))
    return fisher(value, len(truth), 1.0, f"Pearson's correlation of answers and labels, {EQUAL}")


def spearman(truth: Sequence[float], answers: Sequence[float]) -> Score:
    """Spearman's rank correlation, ties at their mean rank; Fisher's interval, widened by √(1 + r²/2).

    The wider standard error is that of Bonett and Wright, Sample Size Requirements for Estimating Pearson,
    Kendall and Spearman Correlations, 2000.
    """
    value = correlation(ranks(np.asarray(truth, float)), ranks(np.asarray(answers, float)))
    wider = math.sqrt(1 + value**2 / 2)
    return fisher(value, len(truth), wider, f"Spearman's rank correlation of answers and labels, {EQUAL}")


def correlation(first: np.ndarray, second: np.ndarray) -> float:
    """The cosine of two lists of numbers about their means; 0 where one of them is constant."""
    one, two = first - first.mean(), second - second.mean()
    # Over the largest entry first: squares of tiny numbers vanish. What rounding leaves of a constant is none.
    sizes = [float(np.abs(part).max()) for part in (one, two)]
    scales = [float(np.abs(part).max()) for part in (first, second)]
    if any(size <= 1e-12 * scale or size == 0 for size, scale in zip(sizes, scales, strict=True)):
        return 0.0
    one, two = one / sizes[0], two / sizes[1]
    return float(np.clip(one @ two / math.sqrt(float(one @ one) * float(two @ two)), -1, 1))


def ranks(values: np.ndarray) -> np.ndarray:
    """The rank of each value from 1 on, equal ones at the mean of theirs.

    >>> ranks(np.array([3.0, 1.0, 3.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, group, times = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(times)
    return ((last - times + 1 + last) / 2)[group]


def fisher(value: float, n: int, wider: float, definition: str) -> Score:
    """A correlation with its interval; of three examples or fewer nothing is known."""
    unknown = Score(value, -1.0, 1.0, n, definition, least=-1.0, most=1.0)
    if n <= 3:
        return unknown
    if abs(value) == 1:
        return unknown.between(value, value)
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * wider / math.sqrt(n - 3)
    centre = math.atanh(value)
    return unknown.between(math.tanh(centre - half), math.tanh(centre + half))


def matthews(confusion: Sequence[Sequence[int]]) -> Score:
    """Matthews correlation of a confusion (row = true class), for any number of classes (Gorodkin's R_K).

    >>> round(matthews([[6, 1], [2, 3]]).value, 4)
    0.4781
    """
    definition = (
        "Matthews correlation of predicted classes and labels, 0 where either side is one class; interval by "
        f"{DRAWS:,} bootstrap draws"
    )
    return bootstrapped(np.asarray(confusion), matthews_of, definition, -1.0).called("Matthews correlation", "")


def f1_of_classes(confusion: Sequence[Sequence[int]], names: Sequence[str]) -> Score:
    """F1 of the second of two classes, or the mean F1 of more.

    >>> round(f1_of_classes([[6, 1], [2, 3]], ["no", "yes"]).value, 4)
    0.6667
    """
    two = len(names) == 2
    what = f"F1 of class {names[1]}" if two else "mean of the F1 of every class (macro F1)"
    definition = f"{what}, 0 for a class neither predicted nor true; interval by {DRAWS:,} bootstrap draws"
    return bootstrapped(np.asarray(confusion), f1_of_second if two else macro_f1, definition).called("F1")


def matthews_of(counts: np.ndarray) -> np.ndarray:
    """R_K of confusions [..., C, C]."""
    counts = counts.astype(float)
    n, true, said = counts.sum((-1, -2)), counts.sum(-1), counts.sum(-2)
    covariance = n * np.trace(counts, axis1=-2, axis2=-1) - (true * said).sum(-1)
    spread = (n**2 - (true**2).sum(-1)) * (n**2 - (said**2).sum(-1))
    return np.where(spread > 0, covariance / np.sqrt(np.where(spread > 0, spread, 1.0)), 0.0)


def f1_by_class(counts: np.ndarray) -> np.ndarray:
    """2 · right / (said + true) of every class [..., C] of confusions [..., C, C]."""
    right = np.diagonal(counts, axis1=-2, axis2=-1).astype(float)
    both = (counts.sum(-1) + counts.sum(-2)).astype(float)
    return np.where(both > 0, 2 * right / np.maximum(both, 1), 0.0)


def f1_of_second(counts: np.ndarray) -> np.ndarray:
    """F1 of the second class."""
    return f1_by_class(counts)[..., 1]


def macro_f1(counts: np.ndarray) -> np.ndarray:
    """The mean F1 over classes."""
    return f1_by_class(counts).mean(-1)


def bootstrapped(
    counts: np.ndarray, score: Callable[[np.ndarray], np.ndarray], definition: str, least: float = 0.0
) -> Score:
    """A score of a confusion, from ``least`` to 1; examples drawn again are cells drawn again, by their shares."""
    n = int(counts.sum())
    drawn = np.random.default_rng(0).multinomial(n, counts.reshape(-1) / n, DRAWS).reshape(DRAWS, *counts.shape)
    low, high = np.quantile(score(drawn), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Score(float(score(counts)), float(low), float(high), n, definition, least=least, most=1.0)


def micro_f1(truth: np.ndarray, answers: np.ndarray, definition: str) -> Score:
    """Micro F1 of sets [N, C] of 0 and 1: right ones over all that were said or true, 2R / (S + T).

    >>> micro_f1(np.array([[1, 0, 1], [0, 1, 0]]), np.array([[1, 0, 0], [0, 1, 1]]), "F1").value
    0.6666666666666666
    """
    n = len(truth)
    if n == 0:
        return Score(math.nan, 0.0, 1.0, 0, definition, least=0.0, most=1.0)
    counts = np.stack([(truth & answers).sum(1), answers.sum(1) + truth.sum(1)], axis=1)  # R and S + T by example
    shares = np.full(n, 1 / n)
    if n > MANY:  # examples that count alike are drawn alike: how many of each kind, instead of each
        counts, times = np.unique(counts, axis=0, return_counts=True)
        shares = times / n
    weights = np.random.default_rng(0).multinomial(n, shares, DRAWS)
    drawn = weights @ counts
    values = 2 * drawn[:, 0] / np.maximum(drawn[:, 1], 1)
    low, high = np.quantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    said = f"{definition}; interval by {DRAWS:,} bootstrap draws over examples"
    return Score(micro_f1_of(truth, answers), float(low), float(high), n, said, least=0.0, most=1.0)


def micro_f1_of(truth: np.ndarray, answers: np.ndarray) -> float:
    """2R / (S + T) of sets [N, C]; 0 where nothing was said and nothing was to be."""
    return float(2 * (truth & answers).sum() / max(int(answers.sum() + truth.sum()), 1))


def number_scores(truth: Sequence[float], answers: Sequence[float], groups: Groups = None) -> dict[str, Score]:
    """Both correlations and the mean squared error."""
    one, two = np.asarray(truth, float), np.asarray(answers, float)
    errors = (one - two) ** 2
    squared = mean(errors.tolist(), "mean squared difference of answers and labels", 0.0)
    both = {
        "pearson": (pearson(truth, answers), lambda rows: correlation(one[rows], two[rows])),
        "spearman": (spearman(truth, answers), lambda rows: correlation(ranks(one[rows]), ranks(two[rows]))),
    }
    correlations = {
        name: drawn_together(score, groups, again).called(f"{name.capitalize()} correlation", "")
        for name, (score, again) in both.items()
    }
    squared = drawn_together(squared, groups, lambda rows: float(errors[rows].mean()))
    return {**correlations, "squared error": squared.called("squared error", "", "less")}


def set_scores(truth: np.ndarray, answers: np.ndarray, names: Sequence[str], groups: Groups = None) -> dict[str, Score]:
    """Micro F1 over the classes that say something, and the share of sets that are right as a whole."""
    counted = np.array([name not in NOTHING for name in names], dtype=bool)
    left = [name for name in names if name in NOTHING]
    over = f" over all classes but {', '.join(left)}" if left else ""
    rule = f"a class is said at probability {THRESHOLD:g} or more"
    some, said = truth[:, counted], answers[:, counted]
    f1 = micro_f1(some, said, f"micro F1 of (text, label) pairs{over}; {rule}")
    same = (truth == answers).all(axis=1).tolist()
    return {
        "f1": drawn_together(f1, groups, lambda rows: micro_f1_of(some[rows], said[rows])).called("micro F1"),
        "exact match": clustered(
            same, range(len(same)) if groups is None else groups, f"share of texts whose set is said exactly; {rule}"
        ).called("exact match"),
    }


def indicators(sets: Sequence[Collection[str]], names: Sequence[str]) -> np.ndarray:
    """Which of these names each set holds [N, C].

    >>> indicators([("b",), ()], ["a", "b"]).tolist()
    [[False, True], [False, False]]
    """
    return np.array([[name in own for name in names] for own in sets], dtype=bool).reshape(len(sets), len(names))
