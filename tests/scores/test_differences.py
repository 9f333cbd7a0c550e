"""Tests of tests: against enumeration, against scipy, and on simulated models with nothing between them."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from unfooled.scores import differences
from unfooled.scores.differences import (
    bootstrap,
    chunks,
    drawn_weights,
    families,
    holm,
    mcnemar,
    smallest_p,
    stretched,
    supports,
)


def pairs(lost: int, won: int, same: int = 3) -> tuple[list[bool], list[bool]]:
    return [True] * lost + [False] * won + [True] * same, [False] * lost + [True] * won + [True] * same


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_scipys_binomial_test(lost: int, won: int) -> None:
    found = mcnemar(*pairs(lost, won))
    expected = stats.binomtest(lost, lost + won, 0.5).pvalue if lost + won else 1.0
    assert found.exact == pytest.approx(expected, abs=1e-9)
    assert (found.first_only, found.second_only) == (lost, won)


@pytest.mark.parametrize(("lost", "won"), [(0, 0), (0, 1), (3, 3), (2, 7), (7, 2), (0, 9), (5, 6)])
def test_mcnemar_by_tossing_every_coin(lost: int, won: int) -> None:
    split = lost + won
    tosses = [abs(2 * sum(coins) - split) for coins in itertools.product((0, 1), repeat=split)]
    seen = abs(lost - won)
    more, equal = sum(toss > seen for toss in tosses), sum(toss == seen for toss in tosses)
    found = mcnemar(*pairs(lost, won))
    assert found.exact == pytest.approx((more + equal) / 2**split)
    assert found.mid == pytest.approx((more + equal / 2) / 2**split)


def test_mcnemar_of_very_many_examples_is_finite() -> None:
    found = mcnemar(*pairs(4000, 6000))
    assert 0 < found.mid <= found.exact < 1e-80


def test_different_examples_cannot_be_paired() -> None:
    with pytest.raises(ValueError):
        mcnemar([True], [True, False])
    with pytest.raises(ValueError, match="same examples"):
        bootstrap([[1.0]], [[1.0, 0.0]])
    with pytest.raises(ValueError, match="at least one"):
        bootstrap([[]], [[]])


def test_the_paired_bootstrap_is_all_that_could_be_drawn() -> None:
    first, second = [1.0, 0.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0]
    gaps = np.subtract(second, first)
    every = [np.mean(drawn) for drawn in itertools.product(gaps, repeat=4)]
    found = bootstrap([first], [second], draws=40_000)
    assert found.value == 0.25
    assert (found.low, found.high) == tuple(np.quantile(every, [0.025, 0.975]))
    assert found.p == pytest.approx(min(1, 2 * np.mean(np.less_equal(every, 0))), abs=0.02)


def test_the_interval_is_that_of_the_normal_distribution_where_examples_are_many() -> None:
    random = np.random.default_rng(1)
    first, second = random.random(2000), random.random(2000) + 0.1
    error = np.std(second - first, ddof=1) / np.sqrt(2000)
    found = bootstrap([list(first)], [list(second)])
    assert found.low == pytest.approx(found.value - 1.96 * error, abs=0.003)
    assert found.high == pytest.approx(found.value + 1.96 * error, abs=0.003)
    assert found.p == pytest.approx(2 / 4001)


def test_one_example_or_one_family_shows_nothing() -> None:
    found = bootstrap([[0.0]], [[1.0]])
    assert (found.value, found.low, found.high, found.p) == (1.0, -1.0, 1.0, 1.0)


def test_the_same_seed_draws_the_same() -> None:
    rows = np.random.default_rng(0).random((2, 3, 40))
    assert bootstrap(rows[0], rows[1], seed=5) == bootstrap(rows[0], rows[1], seed=5)
    assert bootstrap(rows[0], rows[1], seed=5) != bootstrap(rows[0], rows[1], seed=6)


def runs(random: np.random.Generator, difficulty: np.ndarray, seeds: int, gain: float = 0.0) -> np.ndarray:
    """Answers of k trainings: what is hard for one is hard for all, and seeds differ by 6 points."""
    noise = 0.1 * random.standard_normal((seeds, len(difficulty)))
    return (difficulty + noise < 0.7 + gain + 0.06 * random.standard_normal((seeds, 1))).astype(float)


def alarms(seeds: int, gain: float = 0.0, times: int = 300) -> float:
    """How often two ways of training are said to differ."""
    random, said = np.random.default_rng(seeds), 0
    for _ in range(times):
        difficulty = random.random(300)
        first, second = runs(random, difficulty, seeds), runs(random, difficulty, seeds, gain)
        said += bootstrap(first, second, draws=400).p < 0.05
    return said / times


@pytest.mark.parametrize("seeds", [2, 3, 5])
def test_ways_of_training_that_do_not_differ_are_rarely_said_to(seeds: int) -> None:
    assert alarms(seeds) < 0.075  # 5 % and the noise of the simulation


def test_without_stretching_seeds_there_would_be_false_alarms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unfooled.scores.differences.stretched", lambda side: side)
    assert alarms(3) > 0.1


def test_a_real_gain_is_found() -> None:
    assert alarms(5, gain=0.2, times=50) > 0.9


def test_stretching_keeps_the_mean_and_widens_the_seeds() -> None:
    rows = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 0.5]])
    wide = stretched(rows)
    assert wide.mean() == pytest.approx(rows.mean())
    factor = np.sqrt(3 / 2) * stats.t.ppf(0.975, 4) / stats.norm.ppf(0.975)
    assert wide.mean(axis=1).std() == pytest.approx(factor * rows.mean(axis=1).std())
    assert np.array_equal(stretched(rows[:1]), rows[:1])


@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_rejects_as_its_own_description_does(values: list[float]) -> None:
    adjusted = holm(values)
    for level in (0.01, 0.05, 0.2):
        rejected = set()
        for rank, place in enumerate(sorted(range(len(values)), key=lambda place: values[place])):
            if values[place] * (len(values) - rank) > level:
                break
            rejected.add(place)
        assert rejected == {place for place, p in enumerate(adjusted) if p <= level}


@pytest.mark.parametrize("seeds", [1, 2, 3, 4])
def test_the_smallest_p_is_that_of_the_most_uneven_permutation(seeds: int) -> None:
    scores = np.arange(2 * seeds)
    everything = [
        abs(np.mean(scores[list(chosen)]) - np.mean(np.delete(scores, list(chosen))))
        for chosen in itertools.combinations(range(2 * seeds), seeds)
    ]
    assert smallest_p(seeds) == pytest.approx(np.mean(np.array(everything) >= max(everything)))


def test_three_seeds_are_told_what_they_cannot_show() -> None:
    assert "trained once" in supports(1)
    assert "can never show a difference" in supports(3) and "0.1" in supports(3)
    assert "never" not in supports(4)


def test_families_keep_the_mean_and_have_the_variance_of_a_ratio() -> None:
    random = np.random.default_rng(2)
    groups = random.integers(30, size=200).tolist()
    level = random.random(30)
    values = (random.random(200) < level[groups]).astype(float)
    (row,) = families([values.tolist()], groups)
    assert np.mean(row) == pytest.approx(values.mean())
    names = sorted(set(groups))
    sums = [values[np.equal(groups, name)].sum() for name in names]
    sizes = [np.equal(groups, name).sum() for name in names]
    error = sum((s - values.mean() * m) ** 2 for s, m in zip(sums, sizes, strict=True)) / 200**2
    assert np.var(row) / len(names) == pytest.approx(error)
    assert families([[1.0, 0.0]], ["a", "b"]).tolist() == [[1.0, 0.0]]


def test_draws_are_cut_into_parts_that_add_up() -> None:
    assert sum(chunks(4000, 10_000)) == 4000 and max(chunks(4000, 10_000)) == 200
    assert chunks(3, 10**9) == [1, 1, 1]
    weights = drawn_weights(np.random.default_rng(0), 5, 7)
    assert weights.shape == (5, 7) and np.allclose(weights.sum(axis=1), 1)


@pytest.mark.parametrize(("lost", "won"), [(10_400, 10_100), (10_500, 10_500), (12_000, 9_000), (300, 20_000)])
def test_mcnemar_of_very_many_is_that_of_whole_numbers(lost: int, won: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found = mcnemar(*pairs(lost, won))
    monkeypatch.setattr(differences, "MANY", 10**9)
    exact = mcnemar(*pairs(lost, won))
    assert (found.exact, found.mid) == pytest.approx((exact.exact, exact.mid), rel=1e-7)


def test_very_many_examples_are_drawn_by_what_was_answered_alike() -> None:
    random = np.random.default_rng(0)
    one, two = (random.random((2, 30_000)) < share for share in (0.70, 0.71))
    found = bootstrap(one, two)
    error = float(np.sqrt(((two.mean(0) - one.mean(0)).var() + 1e-12) / 30_000))
    assert found.value == two.mean() - one.mean() and found.examples == 30_000
    assert found.low < found.value < found.high and found.high - found.low > 2 * 1.9 * error
    (single,), (other,) = one[:1], two[:1]
    alone = bootstrap([single], [other])
    half = 1.96 * float((other.astype(float) - single).std()) / np.sqrt(30_000)
    assert (alone.low, alone.high) == pytest.approx((alone.value - half, alone.value + half), abs=0.05 * half)


def test_groups_are_added_up_alike_with_and_without_a_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    rows, groups = random.random((3, 200)), random.integers(0, 20, 200).tolist()
    dense = families(rows, groups)
    monkeypatch.setattr(differences, "DENSE", 0)
    assert np.allclose(families(rows, groups), dense, rtol=1e-12) and dense.shape == (3, 20)
    assert (families(rows, None) == families(rows, range(200))).all()
