"""All clean texts are asked once for the fit; what cannot be answered is left out of it."""

from collections.abc import Sequence

import numpy as np
import pytest

from unfooled.victims import open_victim
from unfooled.victims.calibration import clean_logits, temperature_of
from unfooled.victims.label_sets import LabelSets
from unfooled.victims.temperature import of_classes, of_sets

TEXTS = [("good film",), ("dull",), ("a good story of a film",), ("bad, bad",), ("good",), ("so good, bad",)]
LABELS = [1, 0, 1, 0, 1, 1]


class Logits:
    """Two logits by the words good and bad; texts with "egg" in them it cannot answer."""

    logits = True

    def __init__(self, sets: LabelSets | None = None) -> None:
        self.batches, self.sets = list[int](), sets

    def row(self, text: str) -> list[float]:
        return [2.0 * text.count("bad") + 0.5, 3.0 * text.count("good")]

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        self.batches.append(len(texts))
        if any("egg" in text for text in texts):
            raise RuntimeError("no eggs")
        return np.array([self.row(text) for text in texts], dtype=np.float32)


def expected(texts: Sequence[tuple[str, ...]]) -> np.ndarray:
    return np.array([Logits().row(text) for (text,) in texts])


@pytest.mark.parametrize("batch", [1, 4, 64])
def test_every_text_is_asked_once_and_answered_in_its_place(batch: int) -> None:
    call = Logits()
    victim = open_victim(call).tried(TEXTS[0])
    call.batches.clear()
    assert clean_logits(victim, TEXTS, batch).tolist() == expected(TEXTS).tolist()
    assert sum(call.batches) == len(TEXTS) and max(call.batches) <= batch


def test_the_temperature_is_that_of_the_logits_and_gold_labels() -> None:
    found = temperature_of(open_victim(Logits()), TEXTS, LABELS, 4)
    assert found == pytest.approx(of_classes(expected(TEXTS), LABELS), rel=1e-12)
    golds = [(label,) if label else () for label in LABELS]
    sets = temperature_of(open_victim(Logits(LabelSets(("a", "b")))), TEXTS, golds, 4)
    assert sets == pytest.approx(of_sets(expected(TEXTS), golds), rel=1e-12)


def test_what_gives_probabilities_has_none_and_is_not_asked() -> None:
    def never(texts: list[str]) -> np.ndarray:
        raise AssertionError

    assert temperature_of(open_victim(never), TEXTS, LABELS, 4) is None


def test_texts_that_cannot_be_answered_are_left_out() -> None:
    texts, labels = [*TEXTS[:3], ("an egg",), *TEXTS[3:]], [*LABELS[:3], 0, *LABELS[3:]]
    found = temperature_of(open_victim(Logits()), texts, labels, 64)
    assert found == temperature_of(open_victim(Logits()), TEXTS, LABELS, 64)


def test_a_victim_that_answers_nothing_more_has_the_temperature_one() -> None:
    call = Logits()
    victim = open_victim(call).tried(TEXTS[0])
    assert temperature_of(victim, [("egg",), ("eggs",)], [0, 1], 64) == 1.0


def test_a_victim_that_cannot_measure_texts_is_asked_all_the_same() -> None:
    call = Logits()
    call.lengths = lambda texts: 1 / 0  # type: ignore[attr-defined]
    assert temperature_of(open_victim(call), TEXTS, LABELS, 2) == temperature_of(
        open_victim(Logits()), TEXTS, LABELS, 2
    )
