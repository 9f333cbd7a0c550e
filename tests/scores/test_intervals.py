"""Intervals against scipy, and intervals that draw the versions of one text together."""

import math

import numpy as np
import pytest
from drawn_ground import drawn_by_hand
from scipy import stats

from unfooled.scores.intervals import INTERVAL, clustered, drawn_together, mean, proportion, student
from unfooled.scores.score import Score


@pytest.mark.parametrize(
    ("successes", "n"), [(0, 1), (1, 1), (0, 40), (40, 40), (7, 13), (333, 1000), (99_999, 100_000)]
)
def test_a_proportion_has_wilsons_interval(successes: int, n: int) -> None:
    score = proportion(successes, n, "x")
    expected = stats.binomtest(successes, n).proportion_ci(0.95, method="wilson")
    assert (score.value, score.n, score.definition) == (successes / n, n, "x")
    assert score.low == pytest.approx(expected.low, abs=1e-9)
    assert score.high == pytest.approx(expected.high, abs=1e-9)
    assert 0 <= score.low <= score.value <= score.high <= 1


def test_none_and_all_reach_the_ends_exactly() -> None:
    for n in range(1, 300):
        assert proportion(0, n, "x").low == 0.0
        assert proportion(n, n, "x").high == 1.0


def test_a_proportion_of_nothing_is_unknown() -> None:
    score = proportion(0, 0, "x")
    assert math.isnan(score.value)
    assert (score.low, score.high, score.n) == (0.0, 1.0, 0)


@pytest.mark.parametrize(("successes", "n"), [(2, 1), (-1, 3)])
def test_an_impossible_proportion_is_refused(successes: int, n: int) -> None:
    with pytest.raises(ValueError, match="no proportion"):
        proportion(successes, n, "x")


@pytest.mark.parametrize("n", [2, 3, 4, 10, 31, 1000])
def test_a_mean_has_students_interval(n: int) -> None:
    values = np.random.default_rng(n).normal(3, 2, n).tolist()
    score = mean(values, "x")
    low, high = stats.t.interval(0.95, n - 1, loc=np.mean(values), scale=stats.sem(values))
    assert score.value == pytest.approx(np.mean(values), abs=1e-9)
    assert (score.low, score.high, score.n) == (
        pytest.approx(low, abs=1e-9),
        pytest.approx(high, abs=1e-9),
        n,
    )


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 5, 20, 57, 1000, 33_333, 200_000])
def test_students_t_is_that_of_scipy(freedom: int) -> None:
    assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), abs=1e-9)


def test_an_interval_stays_where_its_mean_can_be() -> None:
    values = [0.0] * 9 + [0.4]
    free, cut = mean(values, "x"), mean(values, "x", 0.0, 1.0)
    assert free.low < 0 == cut.low and cut.high == free.high and cut.value == free.value
    assert mean([1.0, 1.0, 0.9], "x", 0.0, 1.0).high == 1.0
    assert (mean([0.5], "x", 0.0, 1.0).low, mean([], "x", 0.0, 1.0).high) == (0.0, 1.0)


def test_single_values_are_groups_of_one() -> None:
    assert clustered([True, False, True], "abc", "x") == proportion(2, 3, "x")
    assert clustered([], [], "x").n == 0


def test_groups_count_by_their_design_effect() -> None:
    """n over the variance of the share over groups by that of as many single values, written out."""
    random = np.random.default_rng(1)
    groups = random.integers(0, 12, 80)
    values = random.uniform(size=80) < random.uniform(size=12)[groups]
    share, names = values.mean(), sorted(set(groups.tolist()))
    spread = sum((values[groups == name].sum() - share * (groups == name).sum()) ** 2 for name in names)
    variance = len(names) / (len(names) - 1) * spread / 80**2
    effective = share * (1 - share) / variance
    found = clustered(values.tolist(), groups.tolist(), "x")
    assert effective < 80 and found == proportion(int(values.sum()), 80, "x", effective=effective)
    single = proportion(int(values.sum()), 80, "x")
    assert found.low < single.low < single.value < single.high < found.high


def test_groups_of_equal_members_are_worth_one_value_each() -> None:
    found = clustered([True] * 30 + [False] * 30, [place // 3 for place in range(60)], "x")
    alone = proportion(10, 20, "x")
    assert found.value == alone.value and found.n == 60
    assert found.high - found.low == pytest.approx(alone.high - alone.low, rel=0.03)
    nothing = clustered([False] * 12, [0, 1] * 6, "x")
    assert (nothing.low, nothing.high) == (0.0, proportion(0, 2, "x").high)


def test_a_mean_of_one_value_or_none_has_no_limits() -> None:
    assert mean([2.0], "x").value == 2.0
    assert math.isnan(mean([], "x").value)
    for values in ([2.0], []):
        score = mean(values, "x")
        assert (score.low, score.high, score.n) == (-math.inf, math.inf, len(values))


def test_whole_groups_are_drawn_again() -> None:
    values, groups = np.random.default_rng(1).normal(size=30), [row % 11 for row in range(30)]
    score = Score(float(values.mean()), -9.0, 9.0, 30, "a mean; interval by something else", "mean", "", "less")
    found = drawn_together(score, groups, lambda rows: float(values[rows].mean()))
    assert (found.low, found.high) == pytest.approx(drawn_by_hand(groups, lambda rows: values[rows].mean()))
    assert found.definition == "a mean; interval by 2,000 bootstrap draws over original texts"
    assert (found.value, found.n, found.title, found.unit, found.better) == (score.value, 30, "mean", "", "less")


def test_groups_of_one_are_not_drawn_and_the_value_stays_in_its_interval() -> None:
    score = Score(5.0, 4.0, 6.0, 3, "x")
    assert drawn_together(score, None, lambda rows: 0.0) is score
    assert drawn_together(score, [3, 1, 2], lambda rows: 0.0) is score
    low, high = (drawn_together(score, [1, 1, 2], lambda rows, at=at: at) for at in (0.0, 9.0))
    assert (low.low, low.high, high.low, high.high) == (0.0, 5.0, 5.0, 9.0)


def test_a_reader_is_told_which_intervals_there_are() -> None:
    assert all(name in INTERVAL for name in ("Wilson", "Student's t", "Fisher's z", "bootstrap"))


def test_a_mean_of_an_array_is_that_of_a_list_to_the_bit() -> None:
    values = np.random.default_rng(3).normal(size=9_000)
    assert mean(values, "x") == mean(values.tolist(), "x")


@pytest.mark.parametrize("freedom", [10_001, 123_456, 2_000_000])
def test_students_t_of_many_is_that_of_scipy_too(freedom: int) -> None:
    assert student(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), abs=1e-12)
