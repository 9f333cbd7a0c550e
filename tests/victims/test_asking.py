import numpy as np
import pytest
from tiny import reviews

from unfooled.errors import BadInput
from unfooled.types import Texts
from unfooled.victims.asking import answering, asked, chunks
from unfooled.victims.victim import Victim


class Counting:
    """Answers with the length of a text, and remembers what it was asked together."""

    def __init__(self) -> None:
        self.asked: list[list[Texts]] = []

    def __call__(self, texts: list[Texts]) -> np.ndarray:
        self.asked.append(list(texts))
        return np.array([[len(text[0]), 0.0] for text in texts])


UNITS = [[("a" * (1 + place % 4),), ("b" * place + "c",)] for place in range(11)]


def test_every_unit_gets_the_rows_of_its_texts() -> None:
    for chunk in (1, 3, 7, 100):
        found = dict(asked(Counting(), UNITS, chunk=chunk))
        assert {place: rows[:, 0].tolist() for place, rows in found.items()} == {
            place: [float(len(text[0])) for text in unit] for place, unit in enumerate(UNITS)
        }


def test_chunks_cover_all_units_once() -> None:
    for chunk in (1, 2, 5, 22, 23):
        places = [place for some in chunks(UNITS, chunk) for place in some]
        assert places == list(range(len(UNITS)))
    assert list(chunks([], 4)) == []


def test_a_chunk_asks_no_text_twice() -> None:
    victim = Counting()
    list(asked(victim, [[("same",), ("other",)]] * 5))
    assert victim.asked == [[("same",), ("other",)]]


@pytest.mark.parametrize("done", [{0}, {3, 4}, set(range(0, 11, 2)), set(range(10))])
def test_what_is_asked_together_does_not_depend_on_what_is_done(done: set[int]) -> None:
    whole, rest = Counting(), Counting()
    list(asked(whole, UNITS, chunk=6))
    found = dict(asked(rest, UNITS, done, chunk=6))
    assert set(found) == set(range(11)) - done
    assert all(some in whole.asked for some in rest.asked)


def test_finished_units_cost_nothing() -> None:
    victim = Counting()
    assert list(asked(victim, UNITS, set(range(11)))) == [] and victim.asked == []


def test_answers_that_are_none_are_refused() -> None:
    with pytest.raises(BadInput, match="shape"):
        list(asked(lambda texts: np.zeros(3), UNITS))
    with pytest.raises(BadInput, match="not finite"):
        list(asked(lambda texts: np.full((len(texts), 2), np.nan), UNITS))


TEXTS = [(text,) for text, _ in reviews(13)]


def test_a_callable_is_asked_in_batches_of_like_length() -> None:
    sizes: list[list[int]] = []

    def call(texts: list[str]) -> list[list[float]]:
        sizes.append([len(text) for text in texts])
        return [[0.25, 0.75] if "good" in text else [0.5, 0.5] for text in texts]

    found = answering(Victim("x", call, labels=("no", "yes")), 5)(TEXTS)
    assert [row[1] == 0.75 for row in found] == ["good" in text[0] for text in TEXTS]
    asked = sizes[1:]  # the first call tries it out
    assert [len(some) for some in asked] == [5, 5, 3]
    assert [size for some in asked for size in some] == sorted((len(text[0]) for text in TEXTS), reverse=True)


def test_a_victim_is_tried_once_however_often_it_is_asked() -> None:
    victim = Counting()
    answer = answering(Victim("x", lambda texts: victim(texts) * 0 + 0.5, takes_tuples=True), 64)
    answer(TEXTS[:2])
    answer(TEXTS[2:4])
    assert [len(some) for some in victim.asked] == [2, 2, 2] and victim.asked[0] == [TEXTS[0]] * 2
