from collections.abc import Sequence

import numpy as np
import pytest
from toys import Bag

from unfooled.attacks.victim import UNKNOWN, checked, wrong_with
from unfooled.errors import BadInput


def test_single_texts_come_as_strings_and_pairs_as_tuples() -> None:
    seen = []

    def victim(texts: Sequence[object]) -> np.ndarray:
        seen.append(texts[0])
        return np.full((len(texts), 3), 1 / 3)

    checked(victim, ("one",))
    checked(victim, ("one", "two"))
    assert seen == ["one", ("one", "two")]


def test_a_checked_victim_knows_its_classes_and_its_precision() -> None:
    victim = checked(Bag(), ("good film",))
    assert (victim.classes, victim.unknown) == (2, UNKNOWN) and victim.lengths([("ab", "c")]) == [3]
    single = checked(lambda texts: Bag()(texts).astype(np.float32), ("good film",))
    assert single.yardstick.floor == pytest.approx(1.19e-7, rel=0.01) and victim.yardstick.floor == 1e-12


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (np.array([[2.0, -1.0]] * 2), "as logits do; apply a softmax"),
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
        checked(lambda texts: answer, ("a text",))


def test_what_cannot_be_called_or_fails_is_refused() -> None:
    with pytest.raises(BadInput, match="no victim"):
        checked(3, ("a",))
    with pytest.raises(BadInput, match="fails on the first text .ZeroDivisionError"):
        checked(lambda texts: 1 / 0, ("a",))


def test_a_change_of_classes_is_noticed() -> None:
    assert wrong_with(np.full((2, 3), 1 / 3), 2, 2) is not None
    assert wrong_with(np.full((2, 3), 1 / 3), 2, 3) is None
