"""Metrics against scipy and scikit-learn, and the health checks on planted records."""

import math
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import accuracy_score, confusion_matrix

from unfooled.evaluation.metrics import (
    ATTACK_METRICS,
    METRICS,
    accuracy,
    accuracy_under_attack,
    attack_success,
    clustered,
    confusion,
    health,
    mean,
    mean_cosine,
    mean_distance,
    proportion,
    scores,
    student,
)
from unfooled.evaluation.records import Attack, Record


def planted(count: int, losses: tuple[float, ...] = (0.5, 0.6, 0.7), seed: int = 0) -> list[Record]:
    random = np.random.default_rng(seed)
    records = []
    for index in range(count):
        label, before, after = (int(random.integers(3)) for _ in range(3))
        cosine, distance = float(random.uniform(-1, 1)), float(random.uniform(0, 5))
        hit = Attack(0.1, after, 0.3, losses[-1], losses, cosine, distance, 0.1, 0)
        records.append(Record(index, label, before, 0.4, losses[0], 1e-3, (hit,)))
    return records


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


def test_accuracies_are_those_of_scikit_learn() -> None:
    records = planted(200)
    labels = [record.label for record in records]
    assert accuracy(records).value == accuracy_score(labels, [record.prediction for record in records])
    under = [record.attack.prediction for record in records]
    assert accuracy_under_attack(records).value == accuracy_score(labels, under)
    assert accuracy(records).n == accuracy_under_attack(records).n == 200


def test_attack_success_counts_only_what_was_right_before() -> None:
    records = planted(200)
    labels, before, after = np.array(
        [(record.label, record.prediction, record.attack.prediction) for record in records]
    ).T
    score = attack_success(records)
    assert score.n == int((before == labels).sum())
    assert score.value == pytest.approx(float((after != labels)[before == labels].mean()))


def test_shifts_are_plain_means() -> None:
    records = planted(50)
    assert mean_cosine(records).value == pytest.approx(np.mean([record.attack.cosine for record in records]))
    assert mean_distance(records).value == pytest.approx(np.mean([record.attack.distance for record in records]))


def test_confusion_is_that_of_scikit_learn() -> None:
    records = planted(100)
    expected = confusion_matrix(
        [record.label for record in records], [record.prediction for record in records], labels=[0, 1, 2, 3]
    )
    assert confusion(records, 4) == expected.tolist()


def test_every_metric_has_a_definition_and_an_interval_round_its_value() -> None:
    for metric in METRICS.values():
        score = metric(planted(30))
        assert score.definition
        assert score.low <= score.value <= score.high


def test_scores_follow_what_the_records_hold() -> None:
    assert [(eps, name) for eps, name, _ in scores(planted(5))] == [(0.1, name) for name in ATTACK_METRICS]
    assert [(eps, name) for eps, name, _ in scores([Record(0, 1, 1, 0.5, 0.7)])] == [
        (None, "accuracy"),
        (None, "mean_confidence"),
    ]


@pytest.mark.parametrize("losses", [(0.5, 0.5, 0.5), (0.5, 0.4, 0.3), (0.5, 0.9, 0.6), (0.5, 0.1, 0.6)])
def test_a_loss_that_does_not_grow_with_the_steps_is_called_gradient_masking(
    losses: tuple[float, ...],
) -> None:
    (warning,) = health(planted(20, losses))
    assert "gradient masking at eps 0.1" in warning
    assert "restarts" in warning and "transfer attacks" in warning


@pytest.mark.parametrize("losses", [(0.5, 0.6, 0.7), (0.5, 0.7, 0.7), (0.5, 0.7, 0.695)])
def test_a_loss_that_grows_is_healthy(losses: tuple[float, ...]) -> None:
    assert health(planted(20, losses)) == []


@pytest.mark.parametrize(("flat", "warned"), [(5, False), (6, True)])
def test_more_than_one_zero_gradient_in_twenty_is_warned_of(flat: int, warned: bool) -> None:
    records = planted(100)
    records[:flat] = [
        Record(record.index, record.label, record.prediction, 0.4, 0.5, 0.0, record.attacks)
        for record in records[:flat]
    ]
    found = health(records)
    assert bool(found) == warned
    assert all("zero gradient" in warning and f"{flat} of 100" in warning for warning in found)


def test_reading_results_does_not_load_torch() -> None:
    code = "import sys, unfooled.evaluation.results, unfooled.evaluation.metrics; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
