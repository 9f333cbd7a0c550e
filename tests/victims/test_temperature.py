"""The temperature of logits: found where it is known, as large as the logits are, finite wherever there are any."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from unfooled.victims.temperature import HIGHEST, LOWEST, of_classes, of_sets, probabilities, searched

Fit = Callable[[np.ndarray, Any], float]


def calibrated(count: int, classes: int, seed: int = 0) -> tuple[np.ndarray, list[int]]:
    """Logits, and labels drawn with just the probabilities that they give."""
    random = np.random.default_rng(seed)
    logits = random.normal(0, 2, (count, classes))
    draws = random.random(count)[:, None]
    return logits, (probabilities(logits).cumsum(axis=1) < draws).sum(axis=1).tolist()


def calibrated_sets(count: int, labels: int, seed: int = 0) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    random = np.random.default_rng(seed)
    logits = random.normal(-1, 2, (count, labels))
    drawn = random.random(logits.shape) < probabilities(logits, sets=True)
    return logits, [tuple(np.flatnonzero(row).tolist()) for row in drawn]


KINDS = pytest.mark.parametrize(
    ("fit", "drawn"), [(of_classes, calibrated), (of_sets, calibrated_sets)], ids=["classes", "sets"]
)


@KINDS
@pytest.mark.parametrize("classes", [2, 3, 7])
@pytest.mark.parametrize("known", [0.3, 1.0, 25.0])
def test_a_known_temperature_is_found(fit: Fit, drawn: Callable[..., Any], classes: int, known: float) -> None:
    logits, labels = drawn(20_000, classes)
    assert fit(known * logits, labels) == pytest.approx(known, rel=0.03)


def test_no_other_temperature_is_likelier() -> None:
    """The likelihood by hand: of three classes with Platt's targets, the rest with the strongest rival."""
    logits, labels = calibrated(50, 3)

    def loss(temperature: float) -> float:
        total = 0.0
        for row, label in zip(logits, labels, strict=True):
            count = labels.count(label)
            chances = np.exp(row / temperature) / np.exp(row / temperature).sum()
            rival = max((other for other in range(3) if other != label), key=lambda other: row[other])
            total -= (count + 1) / (count + 2) * np.log(chances[label]) + np.log(chances[rival]) / (count + 2)
        return float(total)

    best = of_classes(logits, labels)
    assert all(loss(best) < loss(best * factor) for factor in (0.999, 1.001, 0.1, 9))


def test_no_other_temperature_of_sets_is_likelier() -> None:
    logits, labels = calibrated_sets(50, 3)
    counts = [sum(label in own for own in labels) for label in range(3)]

    def loss(temperature: float) -> float:
        total = 0.0
        for row, own in zip(logits, labels, strict=True):
            for label, value in enumerate(row):
                chance, count = 1 / (1 + np.exp(-value / temperature)), counts[label]
                target = (count + 1) / (count + 2) if label in own else 1 / (50 - count + 2)
                total -= target * np.log(chance) + (1 - target) * np.log(1 - chance)
        return float(total)

    best = of_sets(logits, labels)
    assert all(loss(best) < loss(best * factor) for factor in (0.999, 1.001, 0.1, 9))


@KINDS
@pytest.mark.parametrize("scale", [1e-30, 0.01, 0.3, 7.0, 1000.0, 1e30])
def test_the_temperature_is_as_large_as_the_logits(fit: Fit, drawn: Callable[..., Any], scale: float) -> None:
    logits, labels = drawn(40, 3, seed=2)
    assert fit(scale * logits, labels) == pytest.approx(scale * fit(logits, labels), rel=1e-8, abs=0)


@pytest.mark.parametrize("below", [1e3, 1e12, np.inf])
@pytest.mark.parametrize("beside", [0.0, 1e4])
def test_what_changes_no_answer_changes_no_temperature(below: float, beside: float) -> None:
    """A constant beside the logits of a text, or a class that is never said."""
    logits, labels = calibrated(40, 3, seed=2)
    moved = logits + beside * np.random.default_rng(1).normal(size=(40, 1))
    more = np.concatenate([moved, np.full((40, 1), -below)], axis=1)
    assert of_classes(moved, labels) == pytest.approx(of_classes(logits, labels), rel=1e-8)
    if below > 100 * beside:
        assert of_classes(more, labels) == pytest.approx(of_classes(logits, labels), rel=1e-8)
    logits, sets = calibrated_sets(40, 3, seed=2)
    more = np.concatenate([logits, np.full((40, 1), -below)], axis=1)
    assert of_sets(more, sets) == of_sets(logits, sets)


def test_always_right_is_finite_and_gives_what_platt_expects() -> None:
    logits = np.array([[3.0, -3.0], [-3.0, 3.0]] * 10)
    found = of_classes(logits, [0, 1] * 10)
    assert probabilities(logits, found)[0, 0] == pytest.approx(11 / 12, abs=1e-9)
    found = of_sets(logits, [(0,), (1,)] * 10)
    assert probabilities(logits, found, sets=True)[0].tolist() == pytest.approx([11 / 12, 1 / 12], abs=1e-9)


@pytest.mark.parametrize(("fit", "label"), [(of_classes, 0), (of_sets, (0,))])
def test_one_text_is_enough(fit: Fit, label: Any) -> None:
    logits = np.array([[40.0, -2.0, -30.0]])
    found = fit(logits, [label])
    assert 0 < found < 4000 and fit(1e3 * logits, [label]) == pytest.approx(1e3 * found, rel=1e-8)
    two = np.array([[40.0, -30.0]])
    assert probabilities(two, of_classes(two, [0]))[0, 0] == pytest.approx(2 / 3, abs=1e-9)


def test_the_range_has_two_ends_and_silence_a_middle() -> None:
    logits = np.array([[1.0, -1.0]] * 4)
    assert of_classes(logits, [1] * 4) == 2 * HIGHEST  # always wrong: nothing is believed
    assert searched(np.array([[0.0, -1e-6]]), np.array([[1.0, 0.0]]), sets=False) == LOWEST
    assert of_classes(np.full((3, 2), 5.0), [0, 1, 1]) == 1.0
    assert of_sets(np.zeros((3, 2)), [(0,), (), (1,)]) == 1.0


def test_texts_without_an_answer_are_left_out() -> None:
    logits, labels = calibrated(40, 3)
    odd = np.array([[np.nan] * 3, [0.0, np.nan, 1.0], [np.inf, 0.0, 0.0], [-np.inf, 0.0, 0.0]])
    more = np.concatenate([logits, odd])
    counts = [labels.count(0), labels.count(1)]
    assert min(counts) > 0 and of_classes(more, [*labels, 0, 0, 0, 0]) == of_classes(logits, labels)
    assert of_classes(odd, [0, 0, 0, 0]) == 1.0 and of_sets(odd[:2], [(0,), ()]) == 1.0


def test_probabilities_are_those_of_the_definition_however_large_the_logits() -> None:
    logits = np.random.default_rng(3).normal(0, 3, (50, 4)).astype(np.float32)
    powers = np.exp(logits.astype(np.float64) / 2)
    assert np.allclose(probabilities(logits, 2.0), powers / powers.sum(axis=1, keepdims=True), atol=1e-15)
    assert np.allclose(probabilities(logits, 2.0, True), powers / (1 + powers), atol=1e-15)
    assert probabilities(np.array([[1e5, -1e5]])).tolist() == [[1.0, 0.0]]
    assert probabilities(np.array([[1e5, -1e5, 0.0]]), sets=True).tolist() == [[1.0, 0.0, 0.5]]
    assert probabilities(np.array([[-np.inf, 0.0]])).tolist() == [[0.0, 1.0]]
    for odd in ([[np.nan, 0.0]], [[np.inf, np.inf]]):
        assert np.isnan(probabilities(np.array(odd))).all()
