"""Columns give back what was put into them, and the numbers of records are those of their columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np
import pytest

from unfooled.trials import columns as module
from unfooled.trials import gathering
from unfooled.trials.columns import (
    AnswerColumn,
    RecordColumns,
    Unread,
    among,
    answered,
    column_of,
    in_arrays,
    in_parts,
    kind_of,
    numbers,
    some,
    whole_ones,
)
from unfooled.trials.gathering import Gathering


def test_columns_are_as_narrow_as_their_values() -> None:
    assert column_of([0, 1, 100]).array.itemsize == 1 and column_of([0, 70_000]).array.itemsize == 4
    assert column_of(["fooled", "held"] * 9).array.itemsize == 1 and column_of([0.5, None]).array.itemsize == 8
    assert column_of([(0.5, 0.25), (1.0, 2.0)]).array.shape == (2, 2)


@dataclass(frozen=True)
class Thing:
    index: int
    said: int | None
    end: str
    share: float | None

    @property
    def twice(self) -> int:
        return 2 * self.index


THINGS = [
    Thing(index, index % 3 if index % 4 else None, "held" if index % 2 else "fooled", None) for index in range(23)
]


def gathered(*names: str) -> RecordColumns:
    found = Gathering(Thing, names)
    for one in THINGS:
        found.add(one)
    return found.columns()


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    for one in (module, gathering):
        monkeypatch.setattr(one, "CHUNK", 5)


def test_rows_are_the_records_or_what_is_left_of_them() -> None:
    whole = gathered(*(one.name for one in fields(Thing)))
    assert whole == THINGS and whole[3] == THINGS[3] and whole[-1] == THINGS[-1] and whole[4:6] == THINGS[4:6]
    short = gathered("index", "twice")
    assert [(row.index, row.twice) for row in short] == [(one.index, one.twice) for one in THINGS]
    assert not hasattr(short[0], "end") and len(short) == 23 and whole != THINGS[:-1] and whole != 3
    with pytest.raises(IndexError):
        short[23]
    assert len(Gathering(Thing, ("index",)).columns()) == 0


def test_what_is_read_off_columns_is_what_is_read_off_records() -> None:
    whole = gathered("index", "said", "end", "share", "twice")
    for records in (THINGS, whole):
        assert kind_of(records) is Thing
        assert numbers(records, "twice").tolist() == [one.twice for one in THINGS]
        assert np.isnan(numbers(records, "share")).all()
        said = [-1 if np.isnan(value) else value for value in numbers(records, "said")]
        assert said == [-1 if one.said is None else one.said for one in THINGS]
        held = among(records, "end", ("held", "budget"))
        assert held.tolist() == [one.end == "held" for one in THINGS]
        assert among(records, "index", (2, 99)).tolist() == [one.index == 2 for one in THINGS]
        assert [one.index for one in some(records, held)] == [one.index for one in THINGS if one.end == "held"]
        assert answered(records, held) == {one.index: one.end == "held" for one in THINGS}
    assert kind_of([]) is None and not len(numbers([], "index")) and not len(among([], "end", ()))


@dataclass(frozen=True)
class Drawn:
    index: int
    vector: tuple[float, ...]


def test_what_is_in_no_column_is_read_where_it_is_some_records_at_a_time() -> None:
    kept = [Drawn(index, (index / 2, 1.0)) for index in range(13)]
    found, read = Gathering(Drawn, ("index",)), list[int]()
    for one in kept:
        found.add(one)
    short = found.columns()

    def at(places: Sequence[int] | np.ndarray) -> Iterator[Drawn]:
        for place in places:
            read.append(int(place))
            yield kept[place]

    short.unread = Unread(at, range(13))
    late = some(some(short, numbers(short, "index") > 1), np.arange(11) % 2 == 0)
    assert numbers(late, "index").tolist() == [2, 4, 6, 8, 10, 12] and not read
    assert list(whole_ones(late)) == [kept[place] for place in (2, 4, 6, 8, 10, 12)]
    read.clear()
    parts = in_parts(late, "vector")
    assert next(parts).tolist() == [[1.0, 1.0], [2.0, 1.0], [3.0, 1.0], [4.0, 1.0], [5.0, 1.0]] and len(read) == 5
    assert next(parts).tolist() == [[6.0, 1.0]] and next(parts, None) is None
    assert [part.tolist() for part in in_parts(kept[:2], "vector")] == [[[0.0, 1.0], [0.5, 1.0]]]


def test_answers_in_arrays_are_a_mapping() -> None:
    answers = AnswerColumn(np.array([5, 2, 9]), np.array([True, False, True]))
    assert answers == {2: False, 5: True, 9: True} and list(answers) == [2, 5, 9] and len(answers) == 3
    assert answers[5] is True and answers.get(3) is None and in_arrays(answers) is answers
    with pytest.raises(KeyError):
        answers[10]
    assert in_arrays({4: 0.5, 1: True}) == {1: 1.0, 4: 0.5}
