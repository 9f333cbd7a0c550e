"""The texts of a file of any size, one after the other: .txt has one a line, .jsonl and .csv one a row; each also .gz.

No more than one row is held at a time, and no line may be longer than ``LONGEST``.
"""

import csv
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from unfooled.data.columns import TEXTS
from unfooled.data.phrases import listed, place, shown
from unfooled.data.raw import Lines, bounded, opened
from unfooled.data.readers import csv_advice, header_of, object_of, parsed, refuse_width
from unfooled.data.sources import data_root
from unfooled.errors import BadInput, nearest

LONGEST = 1 << 20  # bytes of a line: more than any paragraph, less than anyone's memory
KINDS = (".txt", ".jsonl", ".csv")
NAMES = ", ".join(KINDS)


def find_corpus(name: str | Path, split: str | None = None) -> Path:
    """The file of a corpus: a path, or a folder of splits at a path or below UNFOOLED_DATA (train unless told)."""
    root = data_root()
    for path in (Path(name).expanduser(), *([root / name] if root and str(name).strip() else [])):
        if path.is_file():
            if not suffix(path):
                raise BadInput(
                    f"{place(path)}: unknown kind of corpus; the name must end in {NAMES} (or that with .gz)"
                )
            return path
        if path.is_dir():
            wanted = split or "train"
            found = sorted(one for one in path.iterdir() if one.name.partition(".")[0] == wanted and suffix(one))
            if not found:
                raise BadInput(f"{place(path)}: has no {shown(wanted)} split that ends in {NAMES}; name a file")
            if len(found) > 1:
                raise BadInput(f"{place(path)}: has {listed(one.name for one in found)}; name the file you mean")
            return found[0]
    raise BadInput(
        f"{shown(name, 300)}: no such corpus; give a file that ends in {NAMES}, or a name below UNFOOLED_DATA"
    )


def suffix(path: Path) -> str:
    """The ending that says how a corpus is read, without .gz; empty where it is not one of ours."""
    name = path.name.lower().removesuffix(".gz")
    return next((kind for kind in KINDS if name.endswith(kind)), "")


class Corpus:
    """A file of texts that is being read: ``done`` of its ``size`` bytes, with the ``digest`` of what was read.

    The digest is the SHA-256 of the content, unpacked, up to the row that was given last.
    """

    def __init__(self, path: Path, column: str | None = None) -> None:
        if column and "," in column:
            raise BadInput(f"a corpus has one text a row, not the columns {shown(column)}; name one with --text")
        self.path, self.column = path, column
        self.size = path.stat().st_size
        self._raw: BinaryIO | None = None
        self._hash = hashlib.sha256()

    @property
    def done(self) -> int:
        """How many bytes of the file were read."""
        return self._raw.tell() if self._raw is not None else 0

    @property
    def digest(self) -> str:
        """The SHA-256 of what was read."""
        return self._hash.hexdigest()

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """The rows' numbers, from 0, and their texts, from the beginning; blank rows are empty texts."""
        self._hash = hashlib.sha256()
        try:
            self._raw = self.path.open("rb")
            with opened(self.path, self._raw) as handle:
                yield from enumerate(self._texts(Lines(self.path, self._hashed(handle))))
        finally:
            self._raw = None

    def _hashed(self, handle: BinaryIO) -> Iterator[bytes]:
        for line in bounded(self.path, handle, LONGEST):
            self._hash.update(line)
            yield line

    def _texts(self, lines: Lines) -> Iterator[str]:
        kind = suffix(self.path)
        return self._json(lines) if kind == ".jsonl" else self._csv(lines) if kind == ".csv" else plain(lines)

    def _json(self, lines: Lines) -> Iterator[str]:
        column = self.column
        for line in lines:
            text = ""
            if line.strip():
                row = object_of(lines, parsed(lines, line), lines.row)
                column = column or text_column(lines, row)
                text = checked(lines, row, column)
            yield text
            lines.row += 1

    def _csv(self, lines: Lines) -> Iterator[str]:
        header: tuple[str, ...] = ()
        column = self.column or ""
        before = csv.field_size_limit(LONGEST)
        try:
            for fields in csv.reader(lines, strict=True):
                if not header and fields:
                    header = header_of(lines, fields, ",")
                    column = column or text_column(lines, dict.fromkeys(header, ""))
                elif fields and len(fields) != len(header):
                    refuse_width(lines, len(fields), header, ",")
                elif header:
                    yield checked(lines, dict(zip(header, fields, strict=True)), column) if fields else ""
                lines.row += 1
        except csv.Error as error:
            raise BadInput(f"{lines.here}: {csv_advice(str(error))}") from None
        finally:
            csv.field_size_limit(before)


def plain(lines: Lines) -> Iterator[str]:
    """The lines themselves, without their ends."""
    for line in lines:
        yield line.removesuffix("\n").removesuffix("\r")
        lines.row += 1


def text_column(lines: Lines, row: Mapping[str, object]) -> str:
    """The column that holds the texts: by its name, or the only one of text."""
    usual = [name for group in TEXTS for name in group]
    named = sorted((name for name in row if name.lower() in usual), key=lambda name: usual.index(name.lower()))
    only: Sequence[str] = [name for name, value in row.items() if isinstance(value, str)]
    if not named and len(only) != 1:
        raise BadInput(f"{lines.here}: which column is the text is not clear ({listed(row)}); name it with --text")
    return (named or only)[0]


def checked(lines: Lines, row: Mapping[str, object], column: str) -> str:
    """The text of a row; none is an empty one."""
    if column not in row:
        raise BadInput(f"{lines.here}: there is no column {shown(column)}; {nearest(column, map(str, row))}")
    text = "" if row[column] is None else row[column]
    if not isinstance(text, str):
        raise BadInput(
            f"{place(lines.path, lines.row, column)}: {shown(text)} is no text; mend the row, or leave it out"
        )
    return text
