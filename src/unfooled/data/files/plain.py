"""Running text: a line is a paragraph."""

from collections.abc import Iterator

from unfooled.data.files.formats import Format, Row
from unfooled.data.files.lines import Lines


def rows(file: Lines) -> Iterator[Row]:
    """The lines without their ends, as rows of one column."""
    for line in file:
        yield {"text": line.removesuffix("\n").removesuffix("\r")}
        file.row += 1


PLAIN = Format(rows, plain=True)
