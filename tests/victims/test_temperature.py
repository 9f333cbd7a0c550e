"""The temperature of logits: found where it is known, as large as the logits are, finite wherever there are any."""

import numpy as np
import pytest

from unfooled.victims.temperature import (
    HIGHEST,
    LOWEST,
    class_targets,
    fitted,
    probabilities,
    set_targets,
)


def calibrated(count: int, classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Logits, and labels drawn with just the probabilities that they give."""
    random = np.random.default_rng(seed)
    logits = random.normal(0, 2, (count, classes))
    draws = random.random(count)[:, None]
    return logits, (probabilities(logits).cumsum(axis=1) < draws).sum(axis=1)


def loss(logits: np.ndarray, targets: np.ndarray, temperature: float, sets: bool = False) -> float:
    chances = probabilities(logits, temperature, sets)
    other = (1 - targets) * np.log(1 - chances) if sets else 0.0
    return float(-(targets * np.log(chances) + other).sum())


@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("known", [0.3, 1.0, 25.0])
def test_a_known_temperature_is_found(classes: int, known: float) -> None:
    logits, labels = calibrated(20_000, classes)
    assert fitted(known * logits, class_targets(labels.tolist(), classes)) == pytest.approx(known, rel=0.03)


def test_a_known_temperature_of_sets_is_found() -> None:
    random = np.random.default_rng(0)
    logits = random.normal(-1, 2, (20_000, 4))
    labels = [
        tuple(np.flatnonzero(row).tolist()) for row in random.random(logits.shape) < probabilities(logits, 1, True)
    ]
    assert fitted(5 * logits, set_targets(labels, 4), sets=True) == pytest.approx(5, rel=0.03)


@pytest.mark.parametrize("sets", [False, True])
def test_no_other_temperature_is_likelier(sets: bool) -> None:
    logits, labels = calibrated(50, 3)
    targets = set_targets([(label,) for label in labels], 3) if sets else class_targets(labels.tolist(), 3)
    best = fitted(logits, targets, sets)
    assert all(
        loss(logits, targets, best, sets) < loss(logits, targets, best * by, sets) for by in (0.99, 1.01, 0.1, 9)
    )


@pytest.mark.parametrize("sets", [False, True])
@pytest.mark.parametrize("scale", [1e-30, 0.01, 0.3, 7.0, 1000.0, 1e30])
def test_the_temperature_is_as_large_as_the_logits(scale: float, sets: bool) -> None:
    logits, labels = calibrated(40, 3, seed=2)
    targets = set_targets([(label,) for label in labels], 3) if sets else class_targets(labels.tolist(), 3)
    assert fitted(scale * logits, targets, sets) == pytest.approx(scale * fitted(logits, targets, sets), rel=1e-8)


def test_a_constant_beside_the_logits_of_a_text_changes_nothing() -> None:
    logits, labels = calibrated(40, 3, seed=2)
    targets = class_targets(labels.tolist(), 3)
    beside = np.random.default_rng(1).normal(0, 1e4, (40, 1))
    assert fitted(logits + beside, targets) == pytest.approx(fitted(logits, targets), rel=1e-8)


def test_always_right_is_finite_and_gives_what_platt_expects() -> None:
    logits = np.array([[3.0, -3.0], [-3.0, 3.0]] * 10)
    found = fitted(logits, class_targets([0, 1] * 10, 2))
    assert probabilities(logits, found)[0, 0] == pytest.approx(11 / 12, abs=1e-9)


@pytest.mark.parametrize("sets", [False, True])
def test_one_text_is_enough(sets: bool) -> None:
    logits = np.array([[40.0, -2.0, -30.0]])
    targets = set_targets([(0,)], 3) if sets else class_targets([0], 3)
    found = fitted(logits, targets, sets)
    assert 0 < found < 1e4
    if not sets:
        assert probabilities(logits, found)[0, 0] == pytest.approx(2 / 3, abs=0.01)
    assert fitted(1e3 * logits, targets, sets) == pytest.approx(1e3 * found, rel=1e-8)


def test_the_range_has_two_ends_and_silence_a_middle() -> None:
    logits = np.array([[1.0, -1.0]] * 4)
    assert fitted(logits, class_targets([1] * 4, 2)) == HIGHEST  # always wrong: nothing is believed
    far = np.array([[1.0, 0.0, -1e9], [0.0, 1.0, -1e9]] * 50)
    size = np.sqrt(np.mean((far - far.mean(axis=1, keepdims=True)) ** 2))
    assert fitted(far, class_targets([0, 1] * 50, 3)) == pytest.approx(LOWEST * size)
    assert fitted(np.full((3, 2), 5.0), class_targets([0, 1, 1], 2)) == 1.0
    assert fitted(np.zeros((3, 2)), set_targets([(0,), (), (1,)], 2), sets=True) == 1.0


def test_probabilities_are_those_of_the_definition_however_large_the_logits() -> None:
    logits = np.random.default_rng(3).normal(0, 3, (50, 4)).astype(np.float32)
    powers = np.exp(logits.astype(np.float64) / 2)
    assert np.allclose(probabilities(logits, 2.0), powers / powers.sum(axis=1, keepdims=True), atol=1e-15)
    assert np.allclose(probabilities(logits, 2.0, True), powers / (1 + powers), atol=1e-15)
    assert probabilities(np.array([[1e5, -1e5]])).tolist() == [[1.0, 0.0]]
    assert probabilities(np.array([[1e5, -1e5, 0.0]]), sets=True).tolist() == [[1.0, 0.0, 0.5]]
    assert probabilities(np.array([[-np.inf, 0.0]])).tolist() == [[0.0, 1.0]]
    assert (
        np.isnan(probabilities(np.array([[np.nan, 0.0]]))).all()
        and np.isnan(probabilities(np.full((1, 2), np.inf))).all()
    )
