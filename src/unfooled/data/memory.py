"""Data that is held in memory: rows, columns, frames and datasets become tables, named after what they hold.

Kinds are told apart by what they can do; no library is imported to find out. A table of the same content has the same
name, whatever it came in, so a run that was begun with a frame goes on with the same rows read from elsewhere.
"""

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from unfooled.data.files.formats import Row
from unfooled.data.files.tables import DataTable
from unfooled.data.phrases import listed, shown
from unfooled.data.splits import SPELLINGS
from unfooled.errors import BadInput

MEMORY = "memory:"  # what the names of such data begin with
KNOWN = (
    "a path, a list of dicts, a dict of columns, a pandas or polars DataFrame, a datasets.Dataset or DatasetDict, "
    "a dict of splits, or (texts, labels)"
)
Tables = Mapping[str, DataTable]  # by split


def data_values(data: Any, **columns: str | None) -> dict[str, Any]:
    """Settings of data from whatever names or holds it: a name, a path, settings, or tables in memory.

    ``source``, ``validation`` and ``test`` of settings may be any of these too; tables go under ``held`` by name.

    >>> data_values(Path("a.csv"), label="stars", text=None)
    {'source': 'a.csv', 'label': 'stars'}
    """
    values = dict(data) if is_settings(data) else {"source": data}
    values |= {name: value for name, value in columns.items() if value is not None}
    held: dict[str, Tables] = {}
    for name in ("source", "validation", "test"):
        given = values.get(name)
        if isinstance(given, str | os.PathLike):
            values[name] = os.fspath(given)
        elif given is not None:
            tables = tables_of(given)
            values[name] = memory_name(tables)
            held[values[name]] = tables
    return {**values, "held": held} if held else values


def is_settings(data: Any) -> bool:
    """Whether it is a mapping of settings: ``source`` and perhaps others, and not a column called so beside others."""
    if not isinstance(data, Mapping) or "source" not in data:
        return False
    return len(data) == 1 or not all(is_column(value) and not is_table(value) for value in data.values())


def tables_of(data: Any) -> Tables:
    """The tables of data in memory by split, one called train where it has no splits."""
    if isinstance(data, Mapping) and is_splits(data):
        named = {SPELLINGS.get(str(name).lower(), str(name)): name for name in data}
        if len(named) < len(data):
            raise BadInput(f"two of the splits {listed(data)} are one; give each of train, validation and test once")
        return {split: table_of(data[name], f"{shown(name)} of the data") for split, name in named.items()}
    return {"train": table_of(data, titled(data))}


def is_splits(data: Mapping[Any, Any]) -> bool:
    """Whether a mapping is of splits, not of columns: it is called so, or holds tables instead of values."""
    held = [is_table(value) for value in data.values()]
    return bool(held) and all(held)


def is_table(value: Any) -> bool:
    """Whether something in a mapping is a table by itself: a column is none."""
    pair = isinstance(value, tuple) and len(value) == 2 and all(map(is_column, value))
    rows = isinstance(value, list) and bool(value) and all(isinstance(row, Mapping) for row in value)
    return isinstance(value, Mapping) or pair or rows or hasattr(value, "column_names") or is_frame(value)


def is_frame(data: Any) -> bool:
    """Whether it has columns by name and gives rows as dictionaries (pandas, polars)."""
    return hasattr(data, "columns") and (hasattr(data, "to_dicts") or hasattr(data, "to_dict"))


def is_column(value: Any) -> bool:
    """Whether it is a row of values: a list, an array, a series."""
    return not isinstance(value, str | bytes | Mapping) and hasattr(value, "__len__") and hasattr(value, "__getitem__")


def table_of(data: Any, title: str) -> DataTable:
    """One table, refused where it is of no kind that is known."""
    for takes, rows in KINDS:
        if takes(data):
            columns, found = rows(data, title)
            doubles = [name for name, count in Counter(columns).items() if count > 1]
            if doubles:
                raise BadInput(f"{title}: column {listed(doubles)} appears twice; rename one of them")
            if not found:
                raise BadInput(f"{title}: it is empty (no rows); give at least two rows")
            return DataTable(Path(title), columns, found, 0)
    raise BadInput(f"{type(data).__name__} is no data that can be read; give {KNOWN}")


def titled(data: Any) -> str:
    """What a message calls the data.

    >>> titled([{}]), titled({"text": []}), titled((["a"], [0]))
    ('the list of rows', 'the dict of columns', '(texts, labels)')
    """
    if isinstance(data, tuple):
        return "(texts, labels)"
    kinds = {"list": "the list of rows", "dict": "the dict of columns"}
    return kinds.get(type(data).__name__, f"the {type(data).__name__}")


def frame_rows(frame: Any, title: str) -> tuple[tuple[str, ...], list[Row]]:
    """The rows of a frame; what it calls missing is None."""
    columns = tuple(map(str, frame.columns))
    if hasattr(frame, "to_dicts"):
        return columns, [dict(row) for row in frame.to_dicts()]
    whole = frame.astype(object)
    values = whole.where(frame.notna(), None).to_numpy().tolist()  # by place, for two columns may have one name
    return columns, [dict(zip(columns, map(plain, row), strict=True)) for row in values]


def dataset_rows(dataset: Any, title: str) -> tuple[tuple[str, ...], list[Row]]:
    """The rows of a dataset of the hub's kind, or of an Arrow table; numbers that it has names for are named."""
    columns = tuple(map(str, dataset.column_names))
    if not hasattr(dataset, "__len__"):
        raise BadInput(f"{title}: is a stream without an end that is known; give some of it, as in list(it.take(1000))")
    rows = dataset.to_list() if hasattr(dataset, "to_list") else dataset.to_pylist()
    features = getattr(dataset, "features", None) or {}
    named = {column: kind.names for column, kind in features.items() if type(kind).__name__ == "ClassLabel"}
    for row in rows:
        for column, names in named.items():
            number = row[column]
            row[column] = names[number] if number is not None and number >= 0 else None
    return columns, rows


def column_rows(data: Mapping[Any, Any], title: str) -> tuple[tuple[str, ...], list[Row]]:
    """Rows of columns, which must be of one length."""
    for name, column in data.items():
        if not is_column(column):
            raise BadInput(
                f"{title}: {shown(name)} is {type(column).__name__}, no column; give {KNOWN}, or settings such as "
                '{"source": DATA, "label": "stars"}'
            )
    lengths = {str(name): len(column) for name, column in data.items()}
    if len(set(lengths.values())) > 1:
        told = listed(f"{name} has {length:,}" for name, length in lengths.items())
        raise BadInput(f"{title}: its columns are of different lengths ({told}); give one value a row")
    columns = tuple(map(str, data))
    held = [plain_column(column) for column in data.values()]
    return columns, [dict(zip(columns, row, strict=True)) for row in zip(*held, strict=True)]


def listed_rows(data: Sequence[Any], title: str) -> tuple[tuple[str, ...], list[Row]]:
    """Dictionaries, one a row; columns are all that occur."""
    columns: dict[str, None] = {}
    rows: list[Row] = []
    for number, row in enumerate(data):
        if not isinstance(row, Mapping):
            raise BadInput(
                f"{title}, row {number}: is {type(row).__name__} ({shown(row, 40)}), not a dict like "
                '{"text": …, "label": …}; texts and labels that stand apart are given as (texts, labels)'
            )
        own = {str(name): plain(value) for name, value in row.items()}
        columns |= dict.fromkeys(own)
        rows.append(own)
    return tuple(columns), rows


def paired_rows(data: tuple[Any, Any], title: str) -> tuple[tuple[str, ...], list[Row]]:
    """Texts, or pairs of them, and the label of each."""
    texts, labels = (plain_column(column) for column in data)
    if len(texts) != len(labels):
        raise BadInput(f"{title}: {len(texts):,} texts have {len(labels):,} labels; give one label for each text")
    width = {len(text) if isinstance(text, list | tuple) else 1 for text in texts}
    if not texts or width == {1}:
        one = [text[0] if isinstance(text, list | tuple) else text for text in texts]
        return column_rows({"text": one, "label": labels}, title)
    if width != {2}:
        raise BadInput(f"{title}: texts must all be strings, or all pairs of two; some are neither")
    first, second = zip(*texts, strict=True)
    return column_rows({"text1": list(first), "text2": list(second), "label": labels}, title)


def plain_column(column: Any) -> list[Any]:
    """The values of a list, an array or a series as Python's own."""
    own = column.tolist() if hasattr(column, "tolist") else column.to_list() if hasattr(column, "to_list") else column
    return [plain(value) for value in own]


def plain(value: Any) -> Any:
    """A value as Python's own; numbers of other libraries know how to become one."""
    own = value.item() if hasattr(value, "item") and not getattr(value, "shape", ()) else value
    return None if type(own).__name__ in ("NAType", "NaTType") else own


# Whether something is of a kind, and how that becomes columns and rows; the first that takes it reads it.
Reading = tuple[Callable[[Any], bool], Callable[[Any, str], tuple[tuple[str, ...], list[Row]]]]
KINDS: tuple[Reading, ...] = (
    (lambda data: hasattr(data, "column_names"), dataset_rows),
    (is_frame, frame_rows),
    (lambda data: isinstance(data, Mapping), column_rows),
    (lambda data: isinstance(data, tuple) and len(data) == 2 and all(map(is_column, data)), paired_rows),
    (lambda data: isinstance(data, list | tuple), listed_rows),
)


def memory_name(tables: Tables) -> str:
    """A name by content: the same rows have the same name, in whatever kind of object they came.

    >>> one = tables_of([{"text": "a", "label": 1}])
    >>> memory_name(one) == memory_name(tables_of({"label": [1], "text": ["a"]}))
    True
    """
    sha = hashlib.sha256()
    for split in sorted(tables):
        sha.update(f"{split} {len(tables[split].rows)}\n".encode())
        for line in map(written, tables[split].rows):
            sha.update(line)
    return f"{MEMORY}{sha.hexdigest()[:16]}"


def written(row: Row) -> bytes:
    """A row as bytes that do not depend on the order of its columns; what is missing is not there, and 1.0 is 1."""
    there = {name: value for name, value in row.items() if value is not None and not is_missing(value)}
    whole = {name: int(value) for name, value in there.items() if isinstance(value, float) and value.is_integer()}
    return json.dumps(there | whole, sort_keys=True, default=str).encode() + b"\n"


def is_missing(value: object) -> bool:
    """Whether a number is none."""
    return isinstance(value, float) and value != value


def gone(name: str) -> BadInput:
    """The sentence for data that was in the memory of another program."""
    return BadInput(
        f"{name} was given from memory and is on no disk; give the same data again from Python, or save it to a file"
    )


def splits_in(held: Mapping[str, Tables], name: str) -> Mapping[str, Callable[[], DataTable]]:
    """The splits of data in memory, as those of any other source."""
    if name not in held:
        raise gone(name)
    return {split: _given(table) for split, table in held[name].items()}


def _given(table: DataTable) -> Callable[[], DataTable]:
    return lambda: table
