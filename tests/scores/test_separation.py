"""Cosines of pairs against loops, and what a movement means beside them."""

import itertools
import math

import numpy as np
import pytest

from unfooled.scores.intervals import student
from unfooled.scores.separation import class_cosines, other_label, over_separation, same_label


def drawn(n: int = 25, seed: int = 0) -> tuple[np.ndarray, list[int]]:
    random = np.random.default_rng(seed)
    labels = random.integers(3, size=n)
    return random.normal(size=(n, 4)) + 2 * np.eye(4)[labels], labels.tolist()


def by_loops(rows: np.ndarray, labels: list[int]) -> tuple[float, float]:
    found: dict[bool, list[float]] = {True: [], False: []}
    for i, j in itertools.combinations(range(len(rows)), 2):
        cosine = rows[i] @ rows[j] / np.linalg.norm(rows[i]) / np.linalg.norm(rows[j])
        found[labels[i] == labels[j]].append(float(cosine))
    return float(np.mean(found[True])), float(np.mean(found[False]))


def test_cosines_of_pairs_are_those_of_loops_also_without_each_text() -> None:
    rows, labels = drawn()
    found = class_cosines(rows, labels)
    assert (found.same, found.other) == pytest.approx(by_loops(rows, labels))
    for place in range(len(rows)):
        fewer = [label for other, label in enumerate(labels) if other != place]
        assert found.without[place] == pytest.approx(by_loops(np.delete(rows, place, axis=0), fewer))


def test_vectors_in_parts_are_the_same_vectors() -> None:
    rows, labels = drawn()
    cuts = [0, 4, 5, 17, 25]
    parts = [rows[start:stop] for start, stop in itertools.pairwise(cuts)]
    found, whole = class_cosines(lambda: iter(parts), labels), class_cosines(rows, labels)
    assert (found.same, found.other) == pytest.approx((whole.same, whole.other), rel=1e-14)
    np.testing.assert_allclose(found.without, whole.without, rtol=1e-12)
    cosines = [0.5 if place % 5 else None for place in range(25)]
    unmoved = np.array([math.nan if one is None else one for one in cosines])
    assert over_separation(whole, unmoved) == over_separation(whole, cosines)


def test_movement_is_told_beside_the_room_between_classes() -> None:
    rows, labels = drawn()
    found = class_cosines(rows, labels)
    cosines = [None if place % 5 == 0 else 0.9 - place / 100 for place in range(25)]
    score = over_separation(found, cosines)
    moved = [1 - cosine for cosine in cosines if cosine is not None]
    assert score.value == pytest.approx(np.mean(moved) / (found.same - found.other)) and score.n == 20
    assert 0 <= score.low < score.value < score.high and score.better == "less"
    without = []
    for place in range(25):
        left = [1 - one for other, one in enumerate(cosines) if other != place and one is not None]
        without.append(np.mean(left) / (found.without[place, 0] - found.without[place, 1]))
    error = math.sqrt(24 / 25 * ((np.array(without) - np.mean(without)) ** 2).sum())
    assert score.high - score.value == pytest.approx(student(24) * error)


def test_classes_that_fall_together_make_a_small_movement_a_large_one() -> None:
    random = np.random.default_rng(0)
    labels = [place % 2 for place in range(60)]
    sides = np.where(np.array(labels)[:, None] == 1, 1.0, -1.0) * np.array([1.0, 0.0, 0.0])
    noise = 0.1 * random.normal(size=(60, 3))
    apart, together = class_cosines(sides + noise, labels), class_cosines([0, 3, 0] + 0.1 * sides + noise, labels)
    far, near = [0.8] * 60, [0.99] * 60
    assert other_label(apart).value < -0.9 and other_label(together).value > 0.9 < same_label(together).value
    assert over_separation(apart, far).value < over_separation(together, near).value


def test_classes_that_are_not_apart_and_too_few_texts_are_unknown() -> None:
    mixed = class_cosines([(1, 0), (0, 1), (1, 0), (0, 1)], [0, 0, 1, 1])
    assert math.isnan(over_separation(mixed, [0.5] * 4).value) and not over_separation(mixed, [0.5] * 4).interval
    assert math.isnan(same_label(class_cosines([], [])).value)
    assert math.isnan(same_label(class_cosines([(1, 0), (0, 1)], [0, 1])).value)
    assert other_label(class_cosines([(1, 0), (0, 1)], [0, 1])).value == 0
    apart = class_cosines([(1, 0), (1, 0), (0, 1), (0, 1)], [0, 0, 1, 1])
    assert math.isnan(over_separation(apart, [None] * 4).value)
