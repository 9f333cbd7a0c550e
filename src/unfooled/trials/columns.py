"""Records by columns: what numbers need of each, in a few bytes, where objects would take some thousand.

A trial names the attributes of a record that its numbers are read off (``Trial.brief``). Of a log these are kept, the
rest of a record stays in the file. Whatever reads records reads rows of columns too: a row has these attributes.
What is too long to be kept, as features are, is read from the file where a number needs it (``in_parts``).
"""

from collections import namedtuple
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import islice
from typing import Any, overload

import numpy as np

CHUNK = 2048  # records that are objects, or whose places are long numbers, at the same time


@dataclass(frozen=True)
class Column:
    """One attribute of all records: whole numbers, numbers with a point (NaN is None), or places in ``words``.

    Tuples of as many numbers with a point each are rows of a table.
    """

    array: np.ndarray
    words: tuple[Any, ...] | None = None

    def taken(self, places: Any) -> "Column":
        """The column of some records."""
        return Column(self.array[places], self.words)

    def values(self, start: int, stop: int) -> list[Any]:
        """The values of some records as they were."""
        own = self.array[start:stop].tolist()
        if self.words is not None:
            return [self.words[place] for place in own]
        if self.array.ndim == 2:
            return list(map(tuple, own))
        return [None if value != value else value for value in own] if self.array.dtype.kind == "f" else own


def column_of(values: Sequence[Any]) -> Column:
    """Values as a column, whatever they are.

    >>> column_of([1, 200, None]).values(0, 3), column_of([0.5, None]).values(0, 2)
    ([1, 200, None], [0.5, None])
    """
    kinds = set(map(type, values))
    if kinds == {int} and min(values) >= -(2**63) and max(values) < 2**63:
        return Column(narrow(np.array(values, dtype=np.int64)))
    if float in kinds and kinds <= {float, type(None)}:
        return Column(np.array([np.nan if value is None else value for value in values], dtype=np.float64))
    if kinds == {tuple} and len(set(map(len, values))) == 1 and {type(one) for own in values for one in own} == {float}:
        return Column(np.array(values, dtype=np.float64))
    return coded(values)


def narrow(numbers: np.ndarray) -> np.ndarray:
    """Whole numbers in as few bytes as hold them."""
    most = max(int(numbers.max(initial=0)), -1 - int(numbers.min(initial=0)))
    kind = next(kind for kind in (np.int8, np.int16, np.int32, np.int64) if most <= np.iinfo(kind).max)
    return numbers.astype(kind)


def coded(values: Iterable[Hashable]) -> Column:
    """Values by their places among those that differ; 1 and True differ."""
    words: dict[tuple[type, Hashable], int] = {}
    places = [words.setdefault((type(value), value), len(words)) for value in values]
    return Column(narrow(np.array(places, dtype=np.int64)), tuple(word for _, word in words))


def recoded(column: Column, words: dict[tuple[type, Hashable], int]) -> np.ndarray:
    """A column's values by their places among these words, to which those that are new are added."""
    own = column if column.words is not None else coded(column.values(0, len(column.array)))
    places = [words.setdefault((type(word), word), len(words)) for word in own.words or ()]
    return narrow(np.array(places, dtype=np.int64))[own.array]


def spelled(words: Iterable[Hashable]) -> dict[tuple[type, Hashable], int]:
    """The places of words."""
    return {(type(word), word): place for place, word in enumerate(words)}


def joined(parts: Sequence[Column]) -> Column:
    """Columns of the same attribute, one behind the other, whatever each is in."""
    pointed = [one.array.dtype.kind == "f" and one.array.ndim == 1 for one in parts]
    if any(pointed) and all(own or one.words == (None,) for own, one in zip(pointed, parts, strict=True)):
        return Column(np.concatenate([np.where(one.words is None, one.array, np.nan) for one in parts]))
    words: dict[tuple[type, Hashable], int] = {}
    arrays = [recoded(one, words) for one in parts]
    return Column(np.concatenate(arrays), tuple(word for _, word in words))


@dataclass(frozen=True)
class Unread:
    """Records that stay in a log: how those at some places are read, and at which places these ones are."""

    at: Callable[[Sequence[int] | np.ndarray], Iterator[Any]]
    places: Sequence[int] | np.ndarray

    def taken(self, which: Any) -> "Unread":
        """Some of them."""
        return Unread(self.at, np.asarray(self.places)[which])


class RecordColumns(Sequence[Any]):
    """Records of a type by their attributes: all of them, or some, of which a row is what is left of a record.

    Where the records themselves stay in a log, ``unread`` reads them.
    """

    def __init__(self, kind: type, columns: Mapping[str, Column], unread: Unread | None = None) -> None:
        self.kind, self.columns, self.unread = kind, dict(columns), unread
        whole = is_dataclass(kind) and [one.name for one in fields(kind)] == list(columns)
        self.row: Callable[..., Any] = kind if whole else namedtuple("row", list(columns))

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())).array)

    def rows(self, start: int, stop: int) -> Iterator[Any]:
        """Some rows."""
        return map(self.row, *(own.values(start, stop) for own in self.columns.values()))

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self), CHUNK):
            yield from self.rows(start, start + CHUNK)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> "RecordColumns": ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return self.taken(place)
        number = range(len(self))[place]
        return next(self.rows(number, number + 1))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def arrange(self, order: np.ndarray) -> None:
        """Put the records into another order, where they are."""
        for own in self.columns.values():
            if own.array.any():
                arrange(own.array, order)

    def taken(self, places: Any) -> "RecordColumns":
        """Some of the records, by their places or by whether each is one of them."""
        columns = {name: own.taken(places) for name, own in self.columns.items()}
        return RecordColumns(self.kind, columns, None if self.unread is None else self.unread.taken(places))


def arrange(array: np.ndarray, order: np.ndarray) -> None:
    """Put an array into another order, a part at a time: numpy makes long numbers of the places it is given."""
    moved = np.empty_like(array)
    for part in parts_of(len(array)):
        moved[part] = array[order[part]]
    array[:] = moved


def parts_of(size: int) -> Iterator[slice]:
    """So many places, a few at a time."""
    return (slice(start, min(start + CHUNK, size)) for start in range(0, size, CHUNK))


def brief(records: Sequence[Any]) -> Sequence[Any]:
    """Records by columns where they are kept so, as they are elsewhere."""
    return getattr(records, "briefs", records)


def kind_of(records: Sequence[Any]) -> type | None:
    """The type of records; None where there are none."""
    own = brief(records)
    return own.kind if isinstance(own, RecordColumns) else type(own[0]) if len(own) else None


def numbers(records: Sequence[Any], name: str) -> np.ndarray:
    """An attribute of every record that is a number, or NaN where it is None."""
    own = brief(records)
    if not isinstance(own, RecordColumns):
        values = [getattr(record, name) for record in own]
        return np.array([np.nan if value is None else value for value in values]) if values else np.zeros(0)
    column = own.columns[name]
    if column.words is None:
        return column.array
    used, places = np.unique(column.array, return_inverse=True)  # words of other records may be of another form
    words = [np.nan if column.words[place] is None else column.words[place] for place in used.tolist()]
    return np.array(words)[places] if words else np.zeros(0)


def among(records: Sequence[Any], name: str, wanted: Collection[Any]) -> np.ndarray:
    """Whether an attribute of each record is one of these."""
    own = brief(records)
    if not isinstance(own, RecordColumns):
        return np.array([getattr(record, name) in wanted for record in own], dtype=bool)
    column = own.columns[name]
    if column.array.ndim == 2:
        alike = [(column.array == one).all(axis=1) for one in wanted if len(one) == column.array.shape[1]]
        return np.any([np.zeros(len(own), dtype=bool), *alike], axis=0)
    if column.words is None:
        return np.isin(column.array, list(wanted))
    return np.array([word in wanted for word in column.words], dtype=bool)[column.array]


def some(records: Sequence[Any], which: np.ndarray) -> Sequence[Any]:
    """The records that are marked."""
    own = brief(records)
    if isinstance(own, RecordColumns):
        return own.taken(which)
    return [own[place] for place in np.flatnonzero(which).tolist()]


def whole_ones(records: Sequence[Any]) -> Iterator[Any]:
    """Every record with all that it holds, one after the other; those of a log are read from it, and not kept."""
    own = brief(records)
    if isinstance(own, RecordColumns) and own.unread is not None:
        return own.unread.at(own.unread.places)
    return iter(own)


def in_parts(records: Sequence[Any], name: str) -> Iterator[np.ndarray]:
    """An attribute of every record that is a vector, of a few records at a time, though it is in no column."""
    rows = (np.array(getattr(record, name), dtype=np.float64) for record in whole_ones(records))
    while some := list(islice(rows, CHUNK)):
        yield np.stack(some)


class AnswerColumn(Mapping[int, float]):
    """What is answered for each example, by its number, in arrays: what a dict is at a tenth of the memory."""

    def __init__(self, indices: np.ndarray, values: np.ndarray) -> None:
        self.indices, self.array = indices, values
        if len(indices) > 1 and not (np.diff(indices) > 0).all():
            order = np.argsort(indices, kind="stable")
            self.indices, self.array = indices[order], values[order]

    def __getitem__(self, index: int) -> float:
        place = int(np.searchsorted(self.indices, index))
        if place == len(self.indices) or self.indices[place] != index:
            raise KeyError(index)
        value: float = self.array[place].item()
        return value

    def __iter__(self) -> Iterator[int]:
        return iter(self.indices.tolist())

    def __len__(self) -> int:
        return len(self.indices)


def answered(records: Sequence[Any], values: np.ndarray) -> AnswerColumn:
    """The answers to the records, in their order."""
    return AnswerColumn(numbers(records, "index"), values)


def in_arrays(answers: Mapping[int, float]) -> AnswerColumn:
    """Answers as arrays, whatever they are in."""
    if isinstance(answers, AnswerColumn):
        return answers
    indices = np.array(list(answers), dtype=np.int64)
    return AnswerColumn(indices, np.array(list(answers.values()), dtype=np.float64))
