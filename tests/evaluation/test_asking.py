import numpy as np
import pytest

from unfooled.errors import BadInput
from unfooled.evaluation.asking import Texts, asked, chunks


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
