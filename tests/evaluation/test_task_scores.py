"""A task's own scores, by scipy and scikit-learn; and intervals that draw the versions of one text together."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score

from unfooled.evaluation.answers import answer_scores
from unfooled.evaluation.metrics import clustered, proportion
from unfooled.evaluation.task_scores import number_scores, set_scores

DRAW = np.random.default_rng(1)
TRUTH = DRAW.normal(size=40)
SAID = TRUTH + DRAW.normal(size=40)
SETS = DRAW.random((40, 4)) < 0.4
TOLD = np.where(DRAW.random((40, 4)) < 0.8, SETS, ~SETS)


def test_numbers_are_scored_as_scipy_does() -> None:
    found = number_scores(TRUTH.tolist(), SAID.tolist())
    assert found["pearson"].value == pytest.approx(stats.pearsonr(TRUTH, SAID).statistic)
    assert found["spearman"].value == pytest.approx(stats.spearmanr(TRUTH, SAID).statistic)
    assert found["squared error"].value == pytest.approx(float(np.mean((TRUTH - SAID) ** 2)))
    interval = stats.pearsonr(TRUTH, SAID).confidence_interval()
    assert (found["pearson"].low, found["pearson"].high) == pytest.approx((interval.low, interval.high))


def test_sets_are_scored_as_scikit_learn_does_without_what_says_nothing() -> None:
    names = ["a", "b", "unanswerable", "c"]
    found = set_scores(SETS, TOLD, names)
    some = [0, 1, 3]
    assert found["f1"].value == pytest.approx(f1_score(SETS[:, some], TOLD[:, some], average="micro"))
    same = int((SETS == TOLD).all(axis=1).sum())
    assert found["exact match"] == proportion(same, 40, found["exact match"].definition)


def naive(groups: list[int], statistic) -> tuple[float, float]:
    """Quantiles over draws of whole groups, member by member."""
    distinct = list(dict.fromkeys(groups))
    times = np.random.default_rng(0).multinomial(len(distinct), np.full(len(distinct), 1 / len(distinct)), 2000)
    values = []
    for counts in times:
        rows = [
            row
            for group, count in zip(distinct, counts, strict=True)
            for _ in range(count)
            for row in range(len(groups))
            if groups[row] == group
        ]
        values.append(statistic(rows))
    return float(np.quantile(values, 0.025)), float(np.quantile(values, 0.975))


GROUPS = [row % 15 for row in range(40)]


def test_versions_of_one_text_are_drawn_together() -> None:
    found = number_scores(TRUTH.tolist(), SAID.tolist(), GROUPS)
    plain = number_scores(TRUTH.tolist(), SAID.tolist())
    checks = {
        "pearson": lambda rows: np.corrcoef(TRUTH[rows], SAID[rows])[0, 1],
        "spearman": lambda rows: np.corrcoef(stats.rankdata(TRUTH[rows]), stats.rankdata(SAID[rows]))[0, 1],
        "squared error": lambda rows: np.mean((TRUTH[rows] - SAID[rows]) ** 2),
    }
    for name, statistic in checks.items():
        assert (found[name].low, found[name].high) == pytest.approx(naive(GROUPS, statistic)), name
        assert found[name].value == plain[name].value and found[name].n == 40
        assert found[name].definition.endswith("; interval by 2,000 bootstrap draws over original texts")
    told = set_scores(SETS, TOLD, ["a", "b", "c", "d"], GROUPS)
    expected = naive(GROUPS, lambda rows: f1_score(SETS[rows], TOLD[rows], average="micro"))
    assert (told["f1"].low, told["f1"].high) == pytest.approx(expected)
    assert told["f1"].definition.count("interval by") == 1
    same = (SETS == TOLD).all(axis=1).tolist()
    assert told["exact match"] == clustered(same, GROUPS, told["exact match"].definition)


def test_a_text_repeated_says_no_more_than_once() -> None:
    once = number_scores(TRUTH.tolist(), SAID.tolist(), [0, 0, *range(1, 39)])["pearson"]
    often = number_scores(TRUTH.tolist() * 5, SAID.tolist() * 5, [*range(40)] * 5)["pearson"]
    alone = number_scores(TRUTH.tolist() * 5, SAID.tolist() * 5)["pearson"]
    assert often.high - often.low == pytest.approx(once.high - once.low, rel=0.2)
    assert alone.high - alone.low < 0.6 * (often.high - often.low)


def test_groups_of_one_change_nothing() -> None:
    assert number_scores(TRUTH.tolist(), SAID.tolist(), range(40)) == number_scores(TRUTH.tolist(), SAID.tolist())
    assert set_scores(SETS, TOLD, "abcd", range(40)) == set_scores(SETS, TOLD, "abcd")


def test_answers_of_one_question_are_drawn_together() -> None:
    said = ["the navy", "navy of France", "a war", "peace", "war", ""]
    right = [["navy"]] * 3 + [["war", "peace"]] * 3
    groups = [0, 0, 0, 1, 1, 1]
    shares = np.array([1.0, 0.5, 0.0, 1.0, 1.0, 0.0])
    found = answer_scores(said, right, groups)
    assert found["f1"].value == pytest.approx(shares.mean())
    assert (found["f1"].low, found["f1"].high) == pytest.approx(naive(groups, lambda rows: shares[rows].mean()))
    assert found["exact match"] == clustered(
        [True, False, False, True, True, False], groups, found["exact match"].definition
    )
