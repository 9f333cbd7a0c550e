"""CSV and TSV: fields between commas or tabs, or what the file shows instead, the first row naming the columns."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Literal

from unfooled.data.files.formats import Format, Row
from unfooled.data.files.lines import Lines, opened
from unfooled.data.files.separators import MARKS, separator_of
from unfooled.data.phrases import listed, shown
from unfooled.errors import BadInput
from unfooled.limits import beyond, limits

Quoting = Literal[0, 3]  # csv.QUOTE_MINIMAL, csv.QUOTE_NONE
HABITS: tuple[Quoting, Quoting] = (csv.QUOTE_MINIMAL, csv.QUOTE_NONE)


def rows(file: Lines, delimiter: str, quoting: Quoting = csv.QUOTE_MINIMAL) -> Iterator[Row]:
    """The rows below the header, each with a field for every column."""
    header: tuple[str, ...] = ()
    before = csv.field_size_limit(limits().line)  # it is the csv module's own, so it is put back
    try:
        for fields in csv.reader(in_fields(file, delimiter), delimiter=delimiter, quoting=quoting, strict=True):
            if not header and is_declaration(fields):
                pass
            elif not header and fields:
                header = header_of(file, fields, delimiter)
            elif fields and len(fields) != len(header):
                refuse_width(file, len(fields), header, delimiter)
            elif header:
                yield dict(zip(header, fields, strict=False))
            file.row += 1
    except csv.Error as error:
        raise BadInput(f"{file.here}: {csv_advice(str(error))}") from None
    finally:
        csv.field_size_limit(before)


def separated_rows(file: Lines, usual: str) -> Iterator[Row]:
    """The rows by the mark that the file shows; with tabs, quotation marks are taken as the file takes them."""
    separator = separator_of(file.path, usual)
    if separator.said is not None:
        file.say(separator.said)
    return rows(file, separator.mark, habit_of(file.path) if separator.mark == "\t" else csv.QUOTE_MINIMAL)


def is_declaration(fields: list[str]) -> bool:
    """Whether a row is ``sep=;``, which spreadsheets write for each other."""
    return bool(fields) and fields[0].lower() == "sep=" and not any(fields[1:])


def in_fields(file: Lines, delimiter: str) -> Iterator[str]:
    """The lines, refused where one field goes on for too many of them, or the first has far too many fields."""
    row, count, most, columns = 0, 0, limits().lines, limits().columns
    for line in file:
        row, count = file.row, count + 1 if file.row == row else 1
        if file.row == 1 and len(line) > columns and '"' not in line:  # before a million fields are made of it
            refuse_many(file, line.count(delimiter) + 1)
        if count > most:
            raise beyond(
                f"{file.here}: a field goes on for {count:,} lines, as where a quotation mark is never closed",
                "lines",
                "close it",
            )
        yield line


def habit_of(path: Path) -> Quoting:
    """Two habits exist: fields quoted as in CSV, and quotation marks as ordinary letters (GLUE).

    Where both habits can be read, quotation marks that swallow line ends are letters: a stray pair of them would
    otherwise make one row out of many. Where neither can, the habit that gets further is the one the file follows.
    """
    with opened(path) as file:
        if not any(b'"' in some for some in file.blocks(file.text)):
            return csv.QUOTE_MINIMAL
    reached: dict[Quoting, tuple[bool, int]] = {}
    for quoting in HABITS:
        with opened(path) as file:
            try:
                for _ in rows(file, "\t", quoting):
                    pass
                reached[quoting] = True, file.row
            except BadInput:
                reached[quoting] = False, file.row
    return max(HABITS, key=lambda quoting: reached[quoting])


def header_of(file: Lines, fields: list[str], delimiter: str) -> tuple[str, ...]:
    """The column names of a table's first row, refused where they cannot be names."""
    refuse_many(file, len(fields))
    names = tuple(name.strip() for name in fields)
    other = next((mark for mark in MARKS if mark in names[0]), None) if len(names) == 1 else None
    if other is not None:
        raise BadInput(
            f"{file.here}: the header is separated by {MARKS[other]}, and the rows are not; separate all of them by "
            f"{MARKS[delimiter]}"
        )
    refuse_doubles(file.here, names)
    return names


def refuse_many(file: Lines, columns: int) -> None:
    """Refuse more columns than are taken."""
    if columns > limits().columns:
        raise beyond(f"{file.here}: {columns:,} columns", "columns", "keep the columns that are needed")


def refuse_doubles(where: str, names: Iterable[str]) -> None:
    """Refuse columns of one name."""
    doubles = [name or "(no name)" for name, count in Counter(names).items() if count > 1]
    if doubles:
        raise BadInput(f"{where}: column {listed(doubles)} appears twice in the header; rename one of them")


def refuse_width(file: Lines, width: int, header: tuple[str, ...], delimiter: str) -> None:
    """Refuse a row that has more or fewer fields than the header."""
    much = "too many" if width > len(header) else "too few"
    mark = MARKS[delimiter].removesuffix("s")
    raise BadInput(
        f"{file.here}: {much} fields, {width} where the header has {len(header)} ({listed(header)}); "
        f"put quotation marks around a text that holds a {mark}, or mend the row"
    )


def csv_advice(error: str) -> str:
    """What to do about an error of the CSV reader."""
    if "unexpected end of data" in error:
        return "a quotation mark is opened and never closed; close it, or double it where it is part of the text"
    if "field larger than" in error:
        return (
            f"a field is longer than {limits().line / 2**20:.3g} MB, as where a quotation mark is opened and never "
            "closed; close it, or put less into the field"
        )
    if "expected after" in error:
        return 'a quotation mark stands inside a quoted text; double it there ("")'
    if "new-line character" in error:
        return "a bare carriage return ends a line; save the file with ordinary line ends"
    return f"not readable as a table ({shown(error)}); mend the row"


CSV = Format(partial(separated_rows, usual=","))
TSV = Format(partial(separated_rows, usual="\t"))
