"""A file becomes decoded lines, unpacked where it ends in .gz; what is no text, or no line, is one sentence.

Text is UTF-8 and kept exactly as it is.
"""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from unfooled.data.phrases import place, shown
from unfooled.errors import BadInput

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@contextmanager
def opened(path: Path, raw: BinaryIO | None = None) -> Iterator[BinaryIO]:
    """The bytes of a file, unpacked; ``raw`` is the file where the caller has opened it to know how far it was read."""
    zipped = path.name.lower().endswith(".gz")
    try:
        with path.open("rb") if raw is None else raw as packed:
            yield cast(BinaryIO, gzip.GzipFile(fileobj=packed)) if zipped else packed
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BadInput(f"{place(path)}: broken gzip ({shown(error)}); compress it again, or drop .gz") from None
    except OSError as error:
        raise BadInput(f"{place(path)}: cannot be read ({error.strerror}); check the path and permissions") from None


def bounded(path: Path, handle: BinaryIO, longest: int) -> Iterator[bytes]:
    """The raw lines of a file, of which none may be too long to be held."""
    row = 1
    while line := handle.readline(longest + 1):
        if len(line) > longest:
            raise BadInput(
                f"{place(path, row)}: longer than {longest // 2**20} MB without a line end; "
                "put each text on a line of its own"
            )
        yield line
        row += 1


class Lines:
    """The decoded lines of a file; they refuse what is not text. The reader keeps ``row`` up to date."""

    def __init__(self, path: Path, raw: Iterator[bytes] | BinaryIO) -> None:
        self.path = path
        self.raw = raw
        self.row = 1

    @property
    def here(self) -> str:
        """The row being read, for a message."""
        return place(self.path, self.row)

    def __iter__(self) -> Iterator[str]:
        offset = 0
        for raw in self.raw:
            line = raw.removeprefix(BYTE_ORDER_MARK) if offset == 0 else raw
            skipped = len(raw) - len(line)
            try:
                text = line.decode("utf-8")
            except UnicodeDecodeError as error:
                where = f"{self.here}: byte {offset + skipped + error.start:,} of the file"
                raise BadInput(f"{where} is not UTF-8; save the file as UTF-8") from None
            if "\0" in text:
                where = f"{self.here}: byte {offset + skipped + line.index(0):,} of the file"
                raise BadInput(f"{where} is NUL, which no text holds; save the file as plain UTF-8 text")
            offset += len(raw)
            yield text
