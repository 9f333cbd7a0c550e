"""Columns give back what was put into them, and the numbers of records are those of their columns."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfooled.trials import columns as module
from unfooled.trials.columns import (
    AnswerColumn,
    Gathering,
    GrowingColumn,
    RecordColumns,
    among,
    answered,
    column_of,
    in_arrays,
    kind_of,
    numbers,
    some,
)

VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False),
    st.sampled_from(["fooled", "held"]),
    st.tuples(st.floats(allow_nan=False)),
    st.tuples(st.floats(allow_nan=False), st.floats(allow_nan=False)),
)


def same(one: list[Any], other: list[Any]) -> bool:
    return one == other and list(map(type, one)) == list(map(type, other))


def grown(parts: list[list[Any]]) -> tuple[list[Any], list[Any]]:
    column, flat = GrowingColumn(2), [value for part in parts for value in part]
    for part in parts:
        column.add(column_of(part))
    return column.column().values(0, len(flat)), flat


@given(st.lists(st.lists(VALUES, min_size=1, max_size=6), min_size=1, max_size=4))
def test_values_come_back_as_they_were_however_they_were_cut(parts: list[list[Any]]) -> None:
    assert same(*grown(parts))


@pytest.mark.parametrize("kind", [st.integers(0, 300), st.floats(0, 1), st.none() | st.floats(0, 1), st.booleans()])
def test_columns_of_one_kind_come_back_too(kind: st.SearchStrategy[Any]) -> None:
    @given(st.lists(st.lists(kind, min_size=1, max_size=6), min_size=1, max_size=4))
    def check(parts: list[list[Any]]) -> None:
        assert same(*grown(parts))

    check()


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
    monkeypatch.setattr(module, "CHUNK", 5)


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


def test_rows_that_are_alike_are_an_array_though_others_are_not() -> None:
    found = Gathering(Drawn, ("index", "vector"))
    for index in range(9):
        found.add(Drawn(index, (index / 2, 1.0) if index > 4 else ()))
    whole = found.columns()
    later = some(whole, np.array([index > 4 for index in range(9)]))
    assert numbers(later, "vector").tolist() == [[index / 2, 1.0] for index in range(5, 9)]


def test_answers_in_arrays_are_a_mapping() -> None:
    answers = AnswerColumn(np.array([5, 2, 9]), np.array([True, False, True]))
    assert answers == {2: False, 5: True, 9: True} and list(answers) == [2, 5, 9] and len(answers) == 3
    assert answers[5] is True and answers.get(3) is None and in_arrays(answers) is answers
    with pytest.raises(KeyError):
        answers[10]
    assert in_arrays({4: 0.5, 1: True}) == {1: 1.0, 4: 0.5}
