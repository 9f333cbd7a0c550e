from collections.abc import Sequence

import numpy as np
import pytest

from unfooled.attacks.attempt import Compare
from unfooled.attacks.likeness import likenesses

ASKED = [Compare("aaa", ["ab", "b", "ab"]), Compare("ab", ["aaa"]), Compare("egg", ["b"])]


class Encoder:
    """Vectors by letters, how often it was called, and no word for eggs."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        self.calls.append(list(texts))
        if "egg" in texts:
            raise KeyError("egg")
        rows = np.array([[text.count("a") + 1.0, len(text)] for text in texts])
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def cosine(one: str, two: str) -> float:
    first, second = (np.array([text.count("a") + 1.0, len(text)]) for text in (one, two))
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


def test_questions_are_answered_from_one_call_with_every_text_once() -> None:
    encoder = Encoder()
    found = likenesses(encoder, ASKED[:2])
    assert encoder.calls == [["aaa", "ab", "b"]]
    assert np.allclose(found[0], [cosine("aaa", "ab"), cosine("aaa", "b"), cosine("aaa", "ab")])  # type: ignore[arg-type]
    assert np.allclose(found[1], [cosine("ab", "aaa")])  # type: ignore[arg-type]


def test_a_fault_stays_with_its_question() -> None:
    found = likenesses(Encoder(), ASKED)
    assert isinstance(found[2], KeyError) and np.allclose(found[1], [cosine("ab", "aaa")])  # type: ignore[arg-type]
    plain = likenesses(lambda reference, texts: [0.5] if reference == "ab" else [], ASKED)
    assert [isinstance(answer, ValueError) for answer in plain] == [True, False, True]


@pytest.mark.parametrize("answer", [[float("nan")], [0.5, 0.5], 0.5, [[0.5]], None])
def test_what_is_no_number_for_each_text_is_no_answer(answer: object) -> None:
    [found] = likenesses(lambda reference, texts: answer, ASKED[1:2])
    assert isinstance(found, Exception)
