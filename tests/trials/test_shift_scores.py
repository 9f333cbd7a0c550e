"""Alignment and uniformity against their formulas in loops, and Wang and Isola's corner cases."""

import math

import numpy as np
import pytest
from trial_ground import by_part

from unfooled.scores.intervals import student
from unfooled.trials.kept.shifts import PAIRED, Move, Shift, ShiftRecord, gathered
from unfooled.trials.shift import SHIFT, alignment, cosine_score, distance_score, uniformity


def sphere(count: int, width: int = 5, seed: int = 0) -> list[tuple[float, ...]]:
    points = np.random.default_rng(seed).normal(size=(count, width))
    return [tuple(row) for row in points / np.linalg.norm(points, axis=1, keepdims=True)]


def record(index: int, vector: tuple[float, ...], moved: tuple[float, ...] | None, *names: str) -> ShiftRecord:
    shifts = tuple(Shift(name, (Move(0.9, 1.0, 0.8, 2.0),), 0.5, 3.0) for name in names)
    return ShiftRecord(index, 0, ("x",), shifts, vector, moved)


def slow_uniformity(points: list[tuple[float, ...]]) -> float:
    total = [
        math.exp(-2 * sum((a - b) ** 2 for a, b in zip(one, other, strict=True)))
        for i, one in enumerate(points)
        for j, other in enumerate(points)
        if i != j
    ]
    return math.log(sum(total) / len(total))


def test_uniformity_is_its_formula_in_loops() -> None:
    for count in (2, 3, 10, 40):
        assert uniformity(sphere(count)).value == pytest.approx(slow_uniformity(sphere(count)), abs=1e-9)


def test_one_point_gives_0_and_two_opposite_ones_give_minus_8() -> None:
    assert uniformity([(1.0, 0.0)] * 7).value == pytest.approx(0, abs=1e-12)
    assert uniformity([(1.0, 0.0), (-1.0, 0.0)]).value == pytest.approx(-8, abs=1e-12)


def test_the_interval_is_the_jackknifes_and_stays_within_what_can_be() -> None:
    points = sphere(30)
    left = [slow_uniformity(points[:place] + points[place + 1 :]) for place in range(30)]
    error = math.sqrt(29 / 30 * sum((one - sum(left) / 30) ** 2 for one in left))
    found = uniformity(points)
    assert found.high - found.value == pytest.approx(student(29) * error, abs=1e-9)
    assert found.value - found.low == pytest.approx(student(29) * error, abs=1e-9)
    for some in (points[:3], points[:1], [(1.0, 0.0)] * 9):
        assert uniformity(some).low >= -8 and uniformity(some).high <= 0
    assert math.isnan(uniformity([]).value)


def test_alignment_is_the_mean_squared_distance_of_those_that_have_a_version() -> None:
    one, other = (1.0, 0.0), (0.0, 1.0)
    records = [record(0, one, one), record(1, one, other), record(2, one, None), record(3, one, (-1.0, 0.0))]
    found = alignment(gathered(records).distances)
    assert (found.value, found.n) == (pytest.approx((0 + 2 + 4) / 3), 3)
    assert found.low >= 0 and found.high <= 4


def test_of_many_texts_some_are_drawn_of_which_all_pairs_are_looked_at_and_that_is_said() -> None:
    records = [record(place, (1.0, place % 2), None) for place in range(PAIRED + 100)]
    drawn = gathered(records).drawn
    assert len(drawn) == PAIRED and 900 < sum(vector == (1.0, 0.0) for vector in drawn) < 1100
    said = by_part(SHIFT.scores(records))["uniformity", None].score
    assert said.n == PAIRED and said.definition.endswith("of length 1; 2,000 of the 2,100 texts, drawn")
    assert gathered(records[:PAIRED]).drawn == [one.vector for one in records[:PAIRED]]
    assert by_part(SHIFT.scores(records[:9]))["uniformity", None].score.definition.endswith("features of length 1")


def test_means_keep_to_their_ranges() -> None:
    assert cosine_score([1.0, 1.0, -1.0], "x").high == 1.0 and distance_score([0.0, 5.0], "x").low == 0.0
    assert "x before and after" in cosine_score([1.0], "x").definition


def test_rows_are_alignment_uniformity_and_the_moves_of_every_layer_by_cause() -> None:
    records = [record(place, (1.0, 0.0), (0.0, 1.0), "typos") for place in range(3)]
    rows = by_part(SHIFT.scores(records))
    assert list(rows) == [
        ("alignment", None), ("uniformity", None), ("same_label_cosine", None), ("other_label_cosine", None),
        ("cosine", "typos"), ("distance", "typos"), ("movement_over_separation", "typos"),
        ("cosine", "typos, cls of layer 1"), ("distance", "typos, cls of layer 1"),
        ("cosine", "typos, mean of layer 1"), ("distance", "typos, mean of layer 1"),
    ]  # fmt: skip
    unknown = math.nan  # one label alone
    values = [2.0, 0.0, 1.0, unknown, 0.5, 3.0, unknown, 0.9, 1.0, 0.8, 2.0]
    assert [row.score.value for row in rows.values()] == pytest.approx(values, nan_ok=True)
    assert [row.detail for row in rows.values()] == [False] * 7 + [True] * 4
    assert {metric: row.score.better for (metric, _), row in rows.items()} == {
        "alignment": "less", "uniformity": "less", "cosine": "more", "distance": "less",
        "same_label_cosine": "", "other_label_cosine": "less", "movement_over_separation": "less",
    }  # fmt: skip
    assert SHIFT.questions(records) == {}  # what has no right and wrong has no outcomes


def test_movement_is_told_beside_the_room_between_labels() -> None:
    sides = [(1.0, 0.0), (0.0, 1.0)]
    records = [
        ShiftRecord(place, place % 2, ("x",), (Shift("typos", (), 0.75, 1.0),), sides[place % 2], None)
        for place in range(6)
    ]
    still_there = ShiftRecord(6, 0, ("x",), (), sides[0], None)
    rows = by_part(SHIFT.scores([*records, still_there]))
    assert rows["same_label_cosine", None].score.value == 1 and rows["other_label_cosine", None].score.value == 0
    beside = rows["movement_over_separation", "typos"].score
    assert (beside.value, beside.n) == (0.25, 6)
