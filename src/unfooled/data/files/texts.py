"""The texts of a file of any size, one after the other: a line of running text, or one column of a table's rows.

No more than one row is held at a time, but for an array of JSON.
"""

from collections.abc import Iterator
from pathlib import Path

from unfooled.data.columns import text_column
from unfooled.data.files.formats import format_of
from unfooled.data.files.lines import Lines, opened
from unfooled.data.phrases import place, shown
from unfooled.errors import BadInput, option


class TextFile:
    """A file of texts that is being read: ``done`` of its ``size`` bytes, with the ``digest`` of what was read.

    The digest is the SHA-256 of the content, unpacked, up to the row that was given last.
    """

    def __init__(self, path: Path, column: str | None = None) -> None:
        if column and "," in column:
            raise BadInput(
                f"a corpus has one text a row, not the columns {shown(column)}; name one with {option('text')}"
            )
        self.kind, self.path, self.column = format_of(path), path, column
        self.size = path.stat().st_size
        self.read_from = ""  # the column that the texts were in, once a row was read; of running text none
        self._file: Lines | None = None

    @property
    def done(self) -> int:
        """How many bytes of the file were read."""
        return self._file.done if self._file else 0

    @property
    def digest(self) -> str:
        """The SHA-256 of what was read."""
        return self._file.digest if self._file else ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided while it was read."""
        return self._file.notes if self._file else ()

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """The rows' numbers, from 0, and their texts, from the beginning; rows without one are empty texts."""
        with opened(self.path) as self._file:
            column = "text" if self.kind.plain else ""
            for number, row in enumerate(self.kind.rows(self._file)):
                column = column or (text_column(row, self.column, self._file.here) if row else "")
                self.read_from = "" if self.kind.plain else column
                text = row.get(column)
                if text is not None and not isinstance(text, str):
                    where = place(self.path, self._file.row, column)
                    raise BadInput(f"{where}: {shown(text)} is no text; mend the row, or leave it out")
                yield number, text or ""
