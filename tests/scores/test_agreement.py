"""Correlations, Matthews and F1 against scipy and scikit-learn; intervals against what they promise."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from drawn_ground import drawn_by_hand
from scipy import stats
from sklearn.metrics import confusion_matrix as confused
from sklearn.metrics import f1_score, matthews_corrcoef

from unfooled.scores.agreement import (
    correlation,
    f1_of_classes,
    indicators,
    matthews,
    micro_f1,
    micro_f1_of,
    number_scores,
    pearson,
    ranks,
    set_scores,
    spearman,
)
from unfooled.scores.intervals import clustered, proportion


def drawn(seed: int, n: int, ties: bool) -> tuple[list[float], list[float]]:
    random = np.random.default_rng(seed)
    truth = random.normal(size=n)
    said = 0.6 * truth + random.normal(size=n)
    return [np.round(part).tolist() if ties else part.tolist() for part in (truth, said)]


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_correlations_are_scipys(seed: int, ties: bool) -> None:
    truth, said = drawn(seed, 57, ties)
    ours, theirs = pearson(truth, said), stats.pearsonr(truth, said)
    assert math.isclose(ours.value, theirs.statistic, rel_tol=1e-12) and ours.n == 57
    interval = theirs.confidence_interval(0.95)
    assert (ours.low, ours.high) == pytest.approx((interval.low, interval.high), abs=1e-12)
    assert math.isclose(spearman(truth, said).value, stats.spearmanr(truth, said).statistic, rel_tol=1e-12)
    assert ranks(np.array(said)).tolist() == stats.rankdata(said).tolist()


def test_a_rank_correlation_is_less_sure_than_a_correlation() -> None:
    truth, said = drawn(1, 200, False)
    score = spearman(truth, said)
    half = stats.norm.ppf(0.975) * math.sqrt((1 + score.value**2 / 2) / 197)
    assert math.atanh(score.high) - math.atanh(score.value) == pytest.approx(half)
    assert math.atanh(score.value) - math.atanh(score.low) == pytest.approx(half)


def test_what_is_constant_correlates_with_nothing() -> None:
    assert pearson([1.0, 2.0, 3.0, 4.0], [0.1] * 4).value == 0.0
    assert spearman([2.0] * 4, [1.0, 2.0, 3.0, 4.0]).value == 0.0
    assert pearson([1.0, 2.0, 3.0, 4.0], [0.3 + 1e-17 * n for n in range(4)]).value == 0.0  # rounding is no trend
    tiny = correlation(np.array([1.0, 2.0, 3.0]), np.array([1e-200, 2e-200, 3e-200]))
    assert tiny == pytest.approx(1.0)


def test_perfect_and_too_few_answers_have_the_intervals_they_can_have() -> None:
    perfect = pearson([1.0, 2.0, 3.0, 5.0], [2.0, 4.0, 6.0, 10.0])
    assert perfect.value == pytest.approx(1.0) and perfect.high == pytest.approx(1.0)
    assert (pearson([1.0, 2.0], [1.0, 3.0]).low, pearson([1.0, 2.0], [1.0, 3.0]).high) == (-1.0, 1.0)


@pytest.mark.parametrize("classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(3))
def test_matthews_and_f1_are_scikit_learns(seed: int, classes: int) -> None:
    random = np.random.default_rng(seed)
    truth = random.integers(0, classes, 80)
    said = np.where(random.random(80) < 0.6, truth, random.integers(0, classes, 80))
    table = confused(truth, said, labels=range(classes)).tolist()
    names = [f"class {number}" for number in range(classes)]
    assert matthews(table).value == pytest.approx(matthews_corrcoef(truth, said))
    average = "binary" if classes == 2 else "macro"
    found = f1_of_classes(table, names)
    assert found.value == pytest.approx(f1_score(truth, said, average=average)) and found.n == 80
    assert ("class 1" in found.definition) == (classes == 2)


def test_one_class_alone_has_no_correlation() -> None:
    assert matthews([[5, 0], [3, 0]]).value == 0.0 and matthews([[0, 0], [3, 4]]).value == 0.0
    assert f1_of_classes([[5, 0], [3, 0]], ["no", "yes"]).value == 0.0


def test_bootstrap_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """300 confusions of 200 examples from known shares: 95 % of intervals should hold the known Matthews."""
    shares = np.array([[0.4, 0.1], [0.15, 0.35]])
    true = (0.4 * 0.35 - 0.1 * 0.15) / math.sqrt(0.5 * 0.5 * 0.55 * 0.45)
    random = np.random.default_rng(3)
    scores = [matthews(random.multinomial(200, shares.ravel()).reshape(2, 2).tolist()) for _ in range(300)]
    held = sum(score.low <= true <= score.high for score in scores) / len(scores)
    assert 0.91 <= held <= 0.985


def test_micro_f1_counts_pairs_of_text_and_label() -> None:
    random = np.random.default_rng(0)
    truth, said = random.random((50, 6)) < 0.3, random.random((50, 6)) < 0.4
    found = micro_f1(truth, said, "F1")
    assert found.value == pytest.approx(f1_score(truth, said, average="micro"))
    assert found.low < found.value < found.high and found.n == 50
    assert micro_f1(truth, np.zeros_like(truth), "F1").value == 0.0
    assert micro_f1(truth, truth, "F1").value == micro_f1(truth, truth, "F1").low == 1.0


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
    exact = proportion(same, 40, found["exact match"].definition)
    assert found["exact match"] == exact.called("exact match")


GROUPS = [row % 15 for row in range(40)]


def micro_by_hand(rows: Sequence[int]) -> float:
    """2R / (S + T), as scikit-learn's micro F1, which takes its time."""
    some, said = SETS[list(rows)], TOLD[list(rows)]
    return float(2 * (some & said).sum() / (some.sum() + said.sum()))


def test_versions_of_one_text_are_drawn_together() -> None:
    found = number_scores(TRUTH.tolist(), SAID.tolist(), GROUPS)
    plain = number_scores(TRUTH.tolist(), SAID.tolist())
    checks = {
        "pearson": lambda rows: np.corrcoef(TRUTH[rows], SAID[rows])[0, 1],
        "spearman": lambda rows: np.corrcoef(stats.rankdata(TRUTH[rows]), stats.rankdata(SAID[rows]))[0, 1],
        "squared error": lambda rows: np.mean((TRUTH[rows] - SAID[rows]) ** 2),
    }
    for name, statistic in checks.items():
        assert (found[name].low, found[name].high) == pytest.approx(drawn_by_hand(GROUPS, statistic)), name
        assert found[name].value == plain[name].value and found[name].n == 40
        assert found[name].definition.endswith("; interval by 2,000 bootstrap draws over original texts")
    told = set_scores(SETS, TOLD, ["a", "b", "c", "d"], GROUPS)
    assert micro_by_hand(range(40)) == pytest.approx(f1_score(SETS, TOLD, average="micro"))
    assert (told["f1"].low, told["f1"].high) == pytest.approx(drawn_by_hand(GROUPS, micro_by_hand))
    assert told["f1"].definition.count("interval by") == 1
    same = (SETS == TOLD).all(axis=1).tolist()
    assert told["exact match"] == clustered(same, GROUPS, told["exact match"].definition).called("exact match")


def test_a_text_repeated_says_no_more_than_once() -> None:
    once = number_scores(TRUTH.tolist(), SAID.tolist(), [0, 0, *range(1, 39)])["pearson"]
    often = number_scores(TRUTH.tolist() * 5, SAID.tolist() * 5, [*range(40)] * 5)["pearson"]
    alone = number_scores(TRUTH.tolist() * 5, SAID.tolist() * 5)["pearson"]
    assert often.high - often.low == pytest.approx(once.high - once.low, rel=0.2)
    assert alone.high - alone.low < 0.6 * (often.high - often.low)


def test_groups_of_one_change_nothing() -> None:
    assert number_scores(TRUTH.tolist(), SAID.tolist(), range(40)) == number_scores(TRUTH.tolist(), SAID.tolist())
    assert set_scores(SETS, TOLD, "abcd", range(40)) == set_scores(SETS, TOLD, "abcd")


def test_scores_are_titled_and_say_which_way_is_better() -> None:
    numbers, sets = number_scores(TRUTH.tolist(), SAID.tolist()), set_scores(SETS, TOLD, "abcd")
    told = {name: (score.title, score.unit, score.better) for name, score in {**numbers, **sets}.items()}
    assert told == {
        "pearson": ("Pearson correlation", "", "more"),
        "spearman": ("Spearman correlation", "", "more"),
        "squared error": ("squared error", "", "less"),
        "f1": ("micro F1", "share", "more"),
        "exact match": ("exact match", "share", "more"),
    }
    grouped = number_scores(TRUTH.tolist(), SAID.tolist(), GROUPS)["squared error"]
    assert (grouped.title, grouped.better) == ("squared error", "less")
    assert (matthews([[1, 0], [0, 1]]).title, f1_of_classes([[1, 0], [0, 1]], "ab").title) == (
        "Matthews correlation",
        "F1",
    )


def test_indicators_are_the_names_in_each_set() -> None:
    assert indicators([("a", "c"), (), ("d",)], ["a", "b", "c"]).tolist() == [
        [True, False, True],
        [False, False, False],
        [False, False, False],
    ]
    assert indicators([], ["a"]).shape == (0, 1) and indicators([("a",)], []).shape == (1, 0)


def test_the_interval_of_very_many_sets_is_that_of_drawing_each() -> None:
    random = np.random.default_rng(0)
    truth, answers = random.random((12_000, 3)) < 0.4, random.random((12_000, 3)) < 0.5
    found = micro_f1(truth, answers, "F1")
    small = micro_f1(truth[:9_000], answers[:9_000], "F1")
    assert found.value == micro_f1_of(truth, answers) and found.n == 12_000
    assert found.high - found.low == pytest.approx((small.high - small.low) * (9 / 12) ** 0.5, rel=0.1)
