"""A file that is being read: its decoded lines, unpacked where it ends in .gz; what is no text is one sentence.

Text is UTF-8, or what ``encodings`` takes it for, and kept exactly as it is; ``notes`` say what was decided.
"""

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from unfooled.data.files.encodings import BYTE_ORDER_MARK, WIDE, LineDecoder, as_utf8
from unfooled.data.phrases import place, shown
from unfooled.errors import BadInput

LONGEST = 32 * 2**20  # bytes of a line or a field; what is longer is hardly a text, and would have to be held whole


class Lines:
    """The lines of an open file, refused where they are no text; whoever reads rows keeps ``row`` up to date."""

    def __init__(self, path: Path, raw: BinaryIO) -> None:
        self.path, self.row = path, 1
        self.zipped = path.name.lower().endswith(".gz")
        self.content = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if self.zipped else raw
        self._raw, self._hash = raw, hashlib.sha256()
        self._decoder, self._said = LineDecoder(), list[str]()

    @property
    def here(self) -> str:
        """The row being read, for a message."""
        return place(self.path, self.row)

    @property
    def done(self) -> int:
        """How many bytes of the file, packed as it is, were read."""
        return 0 if self._raw.closed else self._raw.tell()

    @property
    def digest(self) -> str:
        """The SHA-256 of the content that was read, unpacked."""
        return self._hash.hexdigest()

    @cached_property
    def text(self) -> BinaryIO:
        """The content as UTF-8, for kinds of files that are text."""
        content, encoding = as_utf8(self.content)
        if encoding is not None:
            self.say(f"read as {encoding}")
        return content

    def say(self, note: str) -> None:
        """Keep something that was decided on the way, once."""
        self._said += [note] if note not in self._said else []

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided so far, in a sentence."""
        western = [] if self._decoder.name is None else [f"read as {self._decoder.name}, for it is not UTF-8"]
        said = [*self._said, *western]
        return (f"{self.path.name}: {'; '.join(said)}",) if said else ()

    def __iter__(self) -> Iterator[str]:
        return self.bounded(LONGEST)

    def bounded(self, longest: int | None) -> Iterator[str]:
        """The lines with their ends, of which none may be longer than can be held."""
        offset, most = 0, -1 if longest is None else longest + 1
        while raw := self.text.readline(most):
            if len(raw) == most:
                reason = f"longer than {most // 2**20} MB without a line end"
                raise BadInput(f"{self.here}: {reason}; put each text on a line of its own")
            self._hash.update(raw)
            line = raw.removeprefix(BYTE_ORDER_MARK) if offset == 0 else raw
            self._decoder.seen_utf8 |= line is not raw  # the mark promises it
            yield self._decoded(line, offset + len(raw) - len(line))
            offset += len(raw)

    def _decoded(self, line: bytes, offset: int) -> str:
        try:
            text = self._decoder.decode(line)
        except UnicodeDecodeError as error:
            where = f"{self.here}: byte {offset + error.start:,} of the file"
            raise BadInput(f"{where} is not UTF-8; save the file as UTF-8") from None
        if "\0" in text:
            where = f"{self.here}: byte {offset + line.index(0):,} of the file"
            raise BadInput(f"{where} is NUL, which no text holds; save the file as plain UTF-8 text")
        return text

    def whole(self) -> BinaryIO:
        """The content as a file to go back and forth in, for kinds of files that are not read line by line."""
        if self.zipped:
            content = self.content.read()
            self._hash.update(content)
            return BytesIO(content)
        while some := self.content.read(2**20):
            self._hash.update(some)
        self.content.seek(0)
        return self.content


@contextmanager
def opened(path: Path) -> Iterator[Lines]:
    """A file while it is read."""
    try:
        with path.open("rb") as raw:
            yield Lines(path, raw)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BadInput(f"{place(path)}: broken gzip ({shown(error)}); compress it again, or drop .gz") from None
    except UnicodeDecodeError as error:  # of what is not read line by line
        raise BadInput(f"{place(path)}: begins as {WIDE} and is not ({error.reason}); save the file as UTF-8") from None
    except FileNotFoundError:
        raise BadInput(f"{place(path)}: no such file; check the spelling and the folder") from None
    except OSError as error:
        raise BadInput(f"{place(path)}: cannot be read ({error.strerror}); check the path and permissions") from None


def text_lines(path: Path) -> Iterator[str]:
    """The lines of a file of any name, with their ends."""
    with opened(path) as file:
        for line in file:
            yield line
            file.row += 1
