from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from toys import Bag

from unfooled.errors import BadInput
from unfooled.victims import VICTIMS, open_victim
from unfooled.victims.asking import answering
from unfooled.victims.label_sets import LabelSets
from unfooled.victims.victim import UNKNOWN, Kind, Victim, wrong_with


def test_single_texts_come_as_strings_and_pairs_as_tuples() -> None:
    seen = []

    def victim(texts: Sequence[object]) -> np.ndarray:
        seen.append(texts[0])
        return np.full((len(texts), 3), 1 / 3)

    open_victim(victim).tried(("one",))
    open_victim(victim).tried(("one", "two"))
    assert seen == ["one", ("one", "two")]


def test_a_checked_victim_knows_its_classes_and_its_precision() -> None:
    victim = open_victim(Bag()).tried(("good film",))
    assert (victim.classes, victim.unknown) == (2, UNKNOWN) and victim.lengths([("ab", "c")]) == [3]
    single = open_victim(lambda texts: Bag()(texts).astype(np.float32)).tried(("good film",))
    assert single.yardstick.floor == pytest.approx(1.19e-7, rel=0.01) and victim.yardstick.floor == 1e-12


def test_logits_become_the_models_own_probabilities_until_a_temperature_is_given() -> None:
    logits = np.array([[4.0, 2.0, -60.0]], dtype=np.float32)
    victim = Victim("mine", lambda texts: np.repeat(logits, len(texts), axis=0), logits=True).tried(("a",))
    powers = np.exp(logits.astype(np.float64))
    assert np.allclose(victim.answer([("a",)]), powers / powers.sum(), atol=1e-15, rtol=0)
    assert victim.answer([("a",)])[0, 2] < 1e-25 and victim.yardstick.floor == 1e-12 and victim.classes == 3
    warm = victim.calibrated(2.0)
    assert np.allclose(warm.answer([("a",)])[0], [0.7310586, 0.2689414, 0], atol=1e-7)
    assert warm.answer([("a",)])[0, 2] == 1e-12 and warm.raw([("a",)]).tolist() == logits.tolist()
    assert warm.wrong(warm.answer([("a",)]), 1) is None and victim.temperature is None
    labels = replace(victim, sets=LabelSets(("a", "b", "c"))).calibrated(2.0)
    assert np.allclose(labels.answer([("a",)])[0], [0.8807971, 0.7310586, 0], atol=1e-7)


def test_probabilities_have_no_temperature() -> None:
    victim = open_victim(Bag())
    assert victim.calibrated(2.0) is victim and not victim.logits


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (np.array([0.5, 5.0]), "shape \\(2,\\) for 2 texts"),
        (np.array([["a", "b"]] * 2), "instead of numbers"),
        (np.array([[np.nan, 3.0]] * 2), "not finite"),
        (np.array([[3.0], [3.0]]), "instead of \\(2, classes\\)"),
    ],
)
def test_what_are_no_logits_is_refused_by_name(answer: np.ndarray, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        Victim("mine", lambda texts: answer, logits=True).tried(("a text",))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (np.array([[2.0, -1.0]] * 2), "as logits do; apply a softmax, or give the callable logits = True"),
        (np.array([[0.9, 0.9]] * 2), "do not sum to 1"),
        (np.array([0.5, 0.5]), "shape \\(2,\\) for 2 texts"),
        (np.array([[0.5, 0.5]]), "shape \\(1, 2\\) for 2 texts"),
        (np.array([[1.0], [1.0]]), "instead of \\(2, classes\\)"),
        (np.array([[np.nan, 1.0]] * 2), "not finite"),
        (np.array([["a", "b"]] * 2), "instead of numbers"),
    ],
)
def test_what_is_no_probability_is_refused_by_name(answer: np.ndarray, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        open_victim(lambda texts: answer).tried(("a text",))


def test_what_cannot_be_called_or_fails_is_refused() -> None:
    with pytest.raises(BadInput, match="no victim"):
        open_victim(3).tried(("a",))
    with pytest.raises(BadInput, match="fails on the first text .ZeroDivisionError"):
        open_victim(lambda texts: 1 / 0).tried(("a",))


def test_a_change_of_classes_is_noticed() -> None:
    assert wrong_with(np.full((2, 3), 1 / 3), 2, 2) is not None
    assert wrong_with(np.full((2, 3), 1 / 3), 2, 3) is None


def test_a_tried_victim_is_not_tried_again() -> None:
    times = []
    victim = open_victim(lambda texts: times.append(1) or np.full((len(texts), 2), 0.5)).tried(("a",))
    assert victim.tried(("b",)) is victim and len(times) == 1


def test_what_is_only_asked_cannot_be_looked_into() -> None:
    victim = Victim("mine", lambda texts: np.full((len(texts), 3), 1 / 3), labels=("no", "yes"))
    with pytest.raises(BadInput, match="mine is no network that can be looked into"):
        _ = victim.model
    with pytest.raises(BadInput, match=r"answers with 3 classes but has 2 names for them \(no, yes\)"):
        answering(victim, 4)([("a",), ("b",)])
    assert open_victim(victim) is victim


def test_every_kind_of_victim_is_one_line_of_the_table() -> None:
    assert list(VICTIMS) == [
        *("onnx", "skops", "web", "chat", "pipeline", "sentence_head", "hugging_face", "estimator", "sequence"),
        *("network", "callable"),
    ]  # the narrower is asked first
    for name, line in VICTIMS.lines.items():
        assert isinstance(VICTIMS[name], Kind) and line.endswith(".")
