"""Columns of records that come one after the other, in one piece of memory each."""

from collections.abc import Callable, Hashable
from operator import attrgetter
from typing import Any

import numpy as np

from unfooled.trials.columns import CHUNK, Column, RecordColumns, column_of, joined, recoded, spelled


class GrowingColumn:
    """A column that comes into being part by part in one piece of memory; pages nobody has written to take none."""

    def __init__(self, room: int = 0) -> None:
        self.room, self.size = room, 0
        self.array: np.ndarray = np.zeros(0, dtype=np.int8)
        self.words: dict[tuple[type, Hashable], int] | None = None

    def add(self, part: Column) -> None:
        """Put a part behind the others; where its values are of another kind than theirs, all are told anew."""
        if not self.size:
            self.array, self.words = part.array[:0], None if part.words is None else {}
        same = (self.array.dtype.kind, self.array.shape[1:]) == (part.array.dtype.kind, part.array.shape[1:])
        if self.words is not None and part.words is not None:
            self.write(recoded(part, self.words))
        elif self.words is None and part.words is None and same:
            self.write(part.array)
        else:
            both = joined([self.column(), part])
            self.words = None if both.words is None else spelled(both.words)
            self.array, self.size = both.array[:0], 0
            self.write(both.array)

    def write(self, values: np.ndarray) -> None:
        """Write values behind the others, in more bytes each where these need more."""
        kind, size = np.promote_types(self.array.dtype, values.dtype), self.size + len(values)
        if kind != self.array.dtype or size > len(self.array):
            wider = np.zeros((max(self.room, size if size <= self.room else 2 * size), *values.shape[1:]), dtype=kind)
            wider[: self.size] = self.array[: self.size]
            self.array = wider
        if values.any():  # zeros are there already, and untouched they take no memory
            self.array[self.size : size] = values
        self.size = size

    def column(self) -> Column:
        """What was added."""
        return Column(self.array[: self.size], None if self.words is None else tuple(word for _, word in self.words))


class Gathering:
    """Columns that come into being record by record, of ``room`` as it seems; few records are objects meanwhile."""

    def __init__(self, kind: type, names: tuple[str, ...], room: int = 0) -> None:
        own = attrgetter(*names)
        self.read: Callable[[Any], tuple[Any, ...]] = own if len(names) > 1 else lambda record: (own(record),)
        self.kind, self.growing = kind, {name: GrowingColumn(room) for name in names}
        self.waiting: list[tuple[Any, ...]] = []

    def add(self, record: Any) -> None:
        """Keep what is wanted of a record."""
        self.waiting.append(self.read(record))
        if len(self.waiting) == CHUNK:
            self.settle()

    def settle(self) -> None:
        """Make columns of what waits."""
        for own, values in zip(self.growing.values(), zip(*self.waiting, strict=True), strict=bool(self.waiting)):
            own.add(column_of(values))
        self.waiting.clear()

    def columns(self) -> RecordColumns:
        """Everything that was added."""
        self.settle()
        return RecordColumns(self.kind, {name: own.column() for name, own in self.growing.items()})
