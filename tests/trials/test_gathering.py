"""Columns that grow give back what was put into them, however it was cut."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfooled.trials import gathering
from unfooled.trials.columns import column_of, numbers, some
from unfooled.trials.gathering import Gathering, GrowingColumn

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


@dataclass(frozen=True)
class Drawn:
    index: int
    vector: tuple[float, ...]


def test_rows_that_are_alike_are_an_array_though_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "CHUNK", 5)
    found = Gathering(Drawn, ("index", "vector"))
    for index in range(9):
        found.add(Drawn(index, (index / 2, 1.0) if index > 4 else ()))
    whole = found.columns()
    later = some(whole, np.array([index > 4 for index in range(9)]))
    assert numbers(later, "vector").tolist() == [[index / 2, 1.0] for index in range(5, 9)]
