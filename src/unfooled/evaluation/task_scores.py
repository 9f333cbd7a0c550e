"""The scores by which a task is known whose answer is no class: numbers (STS-B), sets of labels (DialogRE).

Spans are scored in ``answers``. ``groups`` say which rows are versions of one text: those are drawn together where an
interval comes from drawing again, and count as dependent where it is a share's.
"""

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import replace

import numpy as np

from unfooled.attacks.label_sets import THRESHOLD as THRESHOLD
from unfooled.evaluation.agreement import DRAWS, correlation, micro_f1, micro_f1_of, pearson, ranks, spearman
from unfooled.evaluation.metrics import LEVEL, Score, clustered, mean

NOTHING = ("unanswerable", "no_relation")  # classes that say there is none, as DialogRE's and TACRED's
Groups = Sequence[Hashable] | None
Statistic = Callable[[np.ndarray], float]  # of rows, by number; a row may be there more than once


def number_scores(truth: Sequence[float], answers: Sequence[float], groups: Groups = None) -> dict[str, Score]:
    """Both correlations and the mean squared error."""
    one, two = np.asarray(truth, float), np.asarray(answers, float)
    errors = (one - two) ** 2
    squared = mean(errors.tolist(), "mean squared difference of answers and labels", 0.0)
    return {
        "pearson": drawn_together(pearson(truth, answers), groups, lambda rows: correlation(one[rows], two[rows])),
        "spearman": drawn_together(
            spearman(truth, answers), groups, lambda rows: correlation(ranks(one[rows]), ranks(two[rows]))
        ),
        "squared error": drawn_together(squared, groups, lambda rows: float(errors[rows].mean())),
    }


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
        "f1": drawn_together(f1, groups, lambda rows: micro_f1_of(some[rows], said[rows])),
        "exact match": clustered(
            same, range(len(same)) if groups is None else groups, f"share of texts whose set is said exactly; {rule}"
        ),
    }


def indicators(sets: Sequence[Collection[str]], names: Sequence[str]) -> np.ndarray:
    """Which of these names each set holds [N, C].

    >>> indicators([("b",), ()], ["a", "b"]).tolist()
    [[False, True], [False, False]]
    """
    return np.array([[name in own for name in names] for own in sets], dtype=bool).reshape(len(sets), len(names))


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
