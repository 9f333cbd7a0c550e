"""The kinds of files that can be read, by how their names end; each is also read where .gz follows.

A new kind is a file in this folder with a ``Format``, and a line in ``FORMATS``.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from unfooled.data.files.lines import Lines
from unfooled.data.phrases import place
from unfooled.errors import BadInput
from unfooled.table import Table

Row = dict[str, object]


@dataclass(frozen=True)
class Format:
    """How a kind of file is read: row by row, ``row`` of the file being the number of the row given last.

    A blank line between rows is an empty row, so that the numbers of later rows stay right. ``plain`` is running text:
    a row is a line, and there are no columns to choose among.
    """

    rows: Callable[[Lines], Iterator[Row]]
    plain: bool = False


FORMATS: Table[Format] = Table(
    "kind of file",
    {
        ".csv": ("unfooled.data.files.delimited:CSV", "Fields between commas; the first row names the columns."),
        ".tsv": ("unfooled.data.files.delimited:TSV", "Fields between tabs; the first row names the columns."),
        ".jsonl": ("unfooled.data.files.json_rows:JSON_LINES", "A JSON object on each line."),
        ".json": ("unfooled.data.files.json_rows:JSON", "JSON objects on lines of their own, or in one array."),
        ".parquet": ("unfooled.data.files.parquet:PARQUET", "Columns as Parquet stores them; needs pyarrow."),
        ".xlsx": ("unfooled.data.files.excel:EXCEL", "The first sheet with rows of an Excel workbook; needs openpyxl."),
        ".txt": ("unfooled.data.files.plain:PLAIN", "Running text, a paragraph a line."),
    },
)


def ending(path: Path) -> str:
    """How a file's name ends if it can be read, e.g. ``.csv.gz``; empty where it is not one of ours.

    >>> ending(Path("A.CSV.gz")), ending(Path("a.pdf"))
    ('.csv.gz', '')
    """
    name = path.name.lower()
    return next((kind + end for kind in FORMATS for end in ("", ".gz") if name.endswith(kind + end)), "")


def is_plain(path: Path) -> bool:
    """Whether a file is running text, by its name."""
    return ending(path).removesuffix(".gz") in set(FORMATS) - set(tables())


def tables() -> list[str]:
    """The endings of files that have columns, without .gz."""
    return [kind for kind in FORMATS if not FORMATS[kind].plain]


def format_of(path: Path, kinds: Collection[str] = FORMATS) -> Format:
    """How a file is read, refused where it is not there or of none of these kinds."""
    if path.is_dir():
        raise BadInput(f"{place(path)}: is a folder where a file is wanted; name a file in it")
    if not path.exists():
        raise BadInput(f"{place(path)}: no such file; check the spelling and the folder")
    kind = ending(path).removesuffix(".gz")
    if kind not in kinds:
        raise BadInput(
            f"{place(path)}: unknown kind of file; the name must end in {', '.join(kinds)} (or that with .gz)"
        )
    return FORMATS[kind]
