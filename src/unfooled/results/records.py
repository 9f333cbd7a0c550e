"""The records of a log where they are: numbers are read off columns, a record from the file when it is asked for."""

from array import array
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, overload

import numpy as np

from unfooled import parsing
from unfooled.errors import BadInput
from unfooled.journal import record_in
from unfooled.results.log import Header, placed_records, read_header, reader_of, record_of, twice
from unfooled.trials.columns import CHUNK, Column, RecordColumns, Unread, arrange, narrow, parts_of
from unfooled.trials.gathering import Gathering, GrowingColumn

LEAST = 12  # bytes of a record's line
SMALL = 2**23  # bytes of a log whose records can all be in memory


class Records(Sequence[Any]):
    """The records of a log in the order of their examples; what is asked for is read, and not kept.

    ``briefs`` is what the numbers of the trial are read off, by columns; the records themselves where the trial names
    no columns.
    """

    def __init__(self, path: Path, header: Header, starts: np.ndarray, columns: RecordColumns) -> None:
        self.path, self.header, self.starts, self.columns = path, header, starts, columns
        columns.unread = Unread(self.at, range(len(starts)))

    @property
    def indices(self) -> np.ndarray:
        """The numbers of the examples."""
        return self.columns.columns["index"].array

    @cached_property
    def briefs(self) -> Sequence[Any]:
        """By columns; whole where there are none, in memory if they are few."""
        if self.header.form.brief:
            return self.columns
        return few_in_memory(self)

    def __len__(self) -> int:
        return len(self.starts)

    def __iter__(self) -> Iterator[Any]:
        return self.at(range(len(self)))

    def at(self, places: Sequence[int] | np.ndarray) -> Iterator[Any]:
        """The records at some places, in that order."""
        with parsing.opened(self.path) as file:
            for place in places:
                yield self.read(file, int(self.starts[place]))

    def read(self, file: BinaryIO, start: int) -> Any:
        """The record whose line begins there."""
        file.seek(start)
        plain = record_in(next(parsing.whole_lines(file, str(self.path)), b""))
        record = None if plain is None else record_of(plain, self.header, reader_of(self.header.form.record))
        if record is None:
            raise BadInput(f"{self.path} has changed since it was opened; open the results again")
        return record

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, place: int | slice) -> Any:
        places = range(len(self))[place]
        return tuple(self.at(places)) if isinstance(places, range) else next(self.at([places]))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or len(self) != len(other):
            return False
        return all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


def open_log(path: Path) -> tuple[Header, Records] | None:
    """The header and the records, every one of which is looked at; None where not even the header was finished."""
    header = read_header(path)
    if header is None:
        return None
    form = header.form
    room = min(header.examples, path.stat().st_size // LEAST)  # what a header says is only said
    gathering = Gathering(form.record, ("index", *(name for name in form.brief if name != "index")), room)
    starts, few = GrowingColumn(room), array("q")
    for start, record in placed_records(path, header):
        gathering.add(record)
        few.append(start)
        if len(few) == CHUNK:
            starts.add(Column(narrow(np.array(few))))
            del few[:]
    starts.add(Column(narrow(np.array(few))))
    columns, own = gathering.columns(), starts.column().array
    order = in_order(path, header, columns.columns["index"].array)
    if order is not None:
        columns.arrange(order)
        arrange(own, order)
    return header, Records(path, header, own, columns)


def in_order(path: Path, header: Header, indices: np.ndarray) -> np.ndarray | None:
    """How records are put into the order of their examples; None where they are in it. None may be there twice."""
    if len(indices) < 2 or (indices[1:] > indices[:-1]).all():
        return None
    if len(indices) == header.examples:  # where each is there once, its place is known without sorting
        order: np.ndarray = narrow(np.array([len(indices)])).repeat(len(indices))
        for part in parts_of(len(indices)):
            order[indices[part]] = np.arange(part.start, part.stop)
        if (order < len(indices)).all():
            return order
    order = np.argsort(indices, kind="stable")
    again = np.flatnonzero(np.diff(indices[order]) == 0)
    if len(again):
        line = int(order[again + 1].min())
        raise twice(path, line + 2, int(indices[line]), header)
    return order


def few_in_memory(records: Sequence[Any]) -> Sequence[Any]:
    """Records that need their log no more, where that is small; elsewhere they are as they were."""
    small = not isinstance(records, Records) or records.path.stat().st_size <= SMALL
    return tuple(records) if small else records


def whole(records: Sequence[Any], places: Sequence[int]) -> list[Any]:
    """Some records with all that they hold, by their places, from wherever they are."""
    return list(records.at(places)) if isinstance(records, Records) else [records[place] for place in places]
