"""A file becomes rows: CSV, TSV, JSON lines and Parquet, each also compressed with gzip.

Text is UTF-8 and kept exactly as it is. Whatever is wrong with a file is one sentence that names the row.
"""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Literal, cast

from unfooled.data.phrases import listed, place, shown
from unfooled.data.raw import BYTE_ORDER_MARK, Lines, opened
from unfooled.errors import BadInput

Row = dict[str, object]
Quoting = Literal[0, 3]  # csv.QUOTE_MINIMAL, csv.QUOTE_NONE
LARGEST_FIELD = 2**31 - 1  # what a C long holds on every platform


@dataclass(frozen=True)
class Table:
    """The rows of one file; ``first_row`` is the number of ``rows[0]`` as a person counts in the file.

    A blank line between rows is an empty row here, so that the numbers of later rows stay right.
    """

    path: Path
    columns: tuple[str, ...]
    rows: list[Row]
    first_row: int

    def at(self, index: int, column: str | None = None) -> str:
        """Where ``rows[index]`` stands, for a message."""
        return place(self.path, self.first_row + index, column)


def read_table(path: Path) -> Table:
    """The rows of a .csv, .tsv, .jsonl, .json (lines or an array) or .parquet file, each also with .gz."""
    reader = READERS.get(table_suffix(path).removesuffix(".gz"))
    if path.is_dir():
        raise BadInput(f"{place(path)}: is a folder where a file is wanted; name a file in it")
    if not path.exists():
        raise BadInput(f"{place(path)}: no such file; check the spelling and the folder")
    if reader is None:
        kinds = ", ".join(READERS)
        raise BadInput(f"{place(path)}: unknown kind of file; the name must end in {kinds} (or that with .gz)")
    table = reader(path)
    if not table.rows:
        raise BadInput(f"{place(path)}: the file is empty (no rows); give a file with at least two rows")
    return table


def table_suffix(path: Path) -> str:
    """The ending that says how a file is read, e.g. ``.csv.gz``; empty where it is not one of ours."""
    name = path.name.lower()
    return next((kind + end for kind in READERS for end in ("", ".gz") if name.endswith(kind + end)), "")


@contextmanager
def _wide_fields() -> Iterator[None]:
    """The csv module takes fields of any length inside; its limit is global, so it is put back."""
    before = csv.field_size_limit(LARGEST_FIELD)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _read_csv(path: Path) -> Table:
    with opened(path) as handle, _wide_fields():
        return _delimited(Lines(path, handle), ",", csv.QUOTE_MINIMAL)


def _read_tsv(path: Path) -> Table:
    """Two habits exist: fields quoted as in CSV, and quotation marks as ordinary letters (GLUE)."""
    refusals: list[tuple[int, BadInput]] = []
    tables: list[Table] = []
    habits: tuple[Quoting, Quoting] = (csv.QUOTE_MINIMAL, csv.QUOTE_NONE)
    for quoting in habits:
        with opened(path) as handle, _wide_fields():
            lines = Lines(path, handle)
            try:
                tables.append(_delimited(lines, "\t", quoting))
            except BadInput as error:
                refusals.append((lines.row, error))
    if tables:
        # Where both habits can be read, quotation marks that swallow line ends are letters: a stray pair of them
        # would otherwise make one row out of many.
        return max(tables, key=lambda table: len(table.rows))
    # The habit that got further is the one the file follows.
    raise max(refusals, key=lambda refusal: refusal[0])[1]


def _delimited(lines: Lines, delimiter: str, quoting: Quoting) -> Table:
    header: tuple[str, ...] = ()
    first_row = 2
    rows: list[Row] = []
    try:
        for fields in csv.reader(lines, delimiter=delimiter, quoting=quoting, strict=True):
            if not header and fields:
                header = header_of(lines, fields, delimiter)
                first_row = lines.row + 1
            elif fields and len(fields) != len(header):
                refuse_width(lines, len(fields), header, delimiter)
            elif header:
                rows.append(dict(zip(header, fields, strict=False)))
            lines.row += 1
    except csv.Error as error:
        raise BadInput(f"{lines.here}: {csv_advice(str(error))}") from None
    return Table(lines.path, header, _without_blank_end(rows), first_row)


def header_of(lines: Lines, fields: list[str], delimiter: str) -> tuple[str, ...]:
    """The column names of a table's first row, refused where they cannot be names."""
    names = tuple(name.strip() for name in fields)
    other = next((mark for mark in ";\t," if mark in names[0]), None) if len(names) == 1 else None
    if other is not None:
        marks = {";": "semicolons", "\t": "tabs", ",": "commas"}
        advice = "name it .tsv" if other == "\t" else "name it .csv" if other == "," else "save it with commas"
        raise BadInput(f"{lines.here}: the header is separated by {marks[other]}, not {marks[delimiter]}; {advice}")
    _refuse_doubles(lines.here, names)
    return names


def _refuse_doubles(where: str, names: tuple[str, ...]) -> None:
    doubles = [name or "(no name)" for name, count in Counter(names).items() if count > 1]
    if doubles:
        raise BadInput(f"{where}: column {listed(doubles)} appears twice in the header; rename one of them")


def refuse_width(lines: Lines, found: int, header: tuple[str, ...], delimiter: str) -> None:
    """Refuse a row that has more or fewer fields than the header."""
    much = "too many" if found > len(header) else "too few"
    mark = "comma" if delimiter == "," else "tab"
    raise BadInput(
        f"{lines.here}: {much} fields, {found} where the header has {len(header)} ({listed(header)}); "
        f"put quotation marks around a text that holds a {mark}, or mend the row"
    )


def csv_advice(error: str) -> str:
    """What to do about an error of the CSV reader."""
    if "unexpected end of data" in error:
        return "a quotation mark is opened and never closed; close it, or double it where it is part of the text"
    if "expected after" in error:
        return 'a quotation mark stands inside a quoted text; double it there ("")'
    if "new-line character" in error:
        return "a bare carriage return ends a line; save the file with ordinary line ends"
    return f"not readable as a table ({shown(error)}); mend the row"


def _without_blank_end(rows: list[Row]) -> list[Row]:
    while rows and not rows[-1]:
        rows.pop()
    return rows


def _read_json(path: Path) -> Table:
    with opened(path) as handle:
        first = handle.read(4096).removeprefix(BYTE_ORDER_MARK).lstrip()
        handle.seek(0)
        lines = Lines(path, handle)
        if first.startswith(b"[") and not path.name.lower().removesuffix(".gz").endswith("l"):
            values = parsed(lines, "".join(lines))
            rows = [object_of(lines, value, row) for row, value in enumerate(cast(list[object], values), start=1)]
        else:
            rows = []
            for line in lines:
                rows.append(object_of(lines, parsed(lines, line), lines.row) if line.strip() else {})
                lines.row += 1
    columns: dict[str, None] = {}
    for row in rows:
        columns.update(dict.fromkeys(row))
    return Table(path, tuple(columns), _without_blank_end(rows), 1)


def parsed(lines: Lines, text: str) -> object:
    """The value of a line of JSON."""
    try:
        return json.loads(text.rstrip())
    except json.JSONDecodeError as error:
        where, reason = (
            place(lines.path, lines.row + error.lineno - 1),
            f"{error.msg} at letter {error.colno}",
        )
    except (ValueError, RecursionError) as error:  # a number of too many digits, or lists in lists in lists
        where, reason = lines.here, shown(error)
    raise BadInput(f'{where}: not JSON ({reason}); each line must be an object like {{"text": …}}')


def object_of(lines: Lines, value: object, row: int) -> Row:
    """A JSON value as a row, refused where it is no object."""
    if not isinstance(value, dict):
        kind = type(value).__name__
        raise BadInput(f'{place(lines.path, row)}: a JSON {kind}, not an object; write it like {{"text": …}}')
    return value


def _read_parquet(path: Path) -> Table:
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile
    except ImportError:
        raise BadInput(f"{place(path)}: Parquet needs pyarrow; pip install 'unfooled[parquet]'") from None
    with opened(path) as handle:
        content = handle.read()
    try:
        found = ParquetFile(BytesIO(content)).read() if content else None
        names = tuple(found.column_names) if found is not None else ()
        _refuse_doubles(place(path), names)
        return Table(path, names, found.to_pylist() if found is not None else [], 1)
    except (ArrowException, ValueError, OSError) as error:
        raise BadInput(f"{place(path)}: not a Parquet file ({shown(error)}); write it again") from None


READERS: dict[str, Callable[[Path], Table]] = {
    ".csv": _read_csv,
    ".tsv": _read_tsv,
    ".jsonl": _read_json,
    ".json": _read_json,
    ".parquet": _read_parquet,
}
