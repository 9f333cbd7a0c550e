"""A file that is being read: its decoded lines, unpacked where it ends in .gz; what is no text is one sentence.

Text is UTF-8, or what ``encodings`` takes it for, and kept exactly as it is; ``notes`` say what was decided.
"""

import gzip
import hashlib
import zlib
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from io import BytesIO
from itertools import chain
from pathlib import Path
from typing import BinaryIO, cast

from unfooled import parsing
from unfooled.data.files.encodings import BYTE_ORDER_MARK, WIDE, LineDecoder, as_utf8
from unfooled.data.phrases import place, shown
from unfooled.errors import BadInput
from unfooled.limits import UNPACKED, beyond, limits

BLOCK = 2**18  # bytes that are read at a time
WEIGHED = 2**16  # bytes after which a packed file is weighed again: to ask the system at every line takes long


class Lines:
    """The lines of an open file, refused where they are no text; whoever reads rows keeps ``row`` up to date."""

    def __init__(self, path: Path, raw: BinaryIO) -> None:
        self.path, self.row = path, 1
        self.zipped = path.name.lower().endswith(".gz")
        self.content = cast(BinaryIO, gzip.GzipFile(fileobj=raw)) if self.zipped else raw
        self._raw, self._hash, self._unpacked, self._weighed = raw, hashlib.sha256(), 0, UNPACKED
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
        return self.bounded(limits().line)

    def bounded(self, longest: int) -> Iterator[str]:
        """The lines with their ends, of which none may be longer than can be held."""
        offset = 0
        while raw := self._taken(self.text.readline(longest + 1)):
            if len(raw) > longest:
                reason = f"longer than {longest / 2**20:.3g} MB without a line end"
                raise BadInput(f"{self.here}: {reason}; put each text on a line of its own")
            line = raw.removeprefix(BYTE_ORDER_MARK) if offset == 0 else raw
            self._decoder.seen_utf8 |= line is not raw  # the mark promises it
            yield self._decoded(line, offset + len(raw) - len(line))
            offset += len(raw)

    def _decoded(self, line: bytes, offset: int) -> str:
        try:
            text = self._decoder.decode(line)
        except UnicodeDecodeError as error:
            raise self._no_text(offset + error.start) from None
        if "\0" in text:
            where = f"{self.here}: byte {offset + line.index(0):,} of the file"
            raise BadInput(f"{where} is NUL, which no text holds; save the file as plain UTF-8 text")
        return text

    def _no_text(self, offset: int) -> BadInput:
        return BadInput(f"{self.here}: byte {offset:,} of the file is not UTF-8; save the file as UTF-8")

    def whole(self) -> BinaryIO:
        """The content as a file to go back and forth in, for kinds of files that are not read line by line."""
        if self.zipped:
            return BytesIO(b"".join(self.blocks()))
        for _ in self.blocks():
            pass
        self.content.seek(0)
        return self.content

    def blocks(self, of: BinaryIO | None = None) -> Iterator[bytes]:
        """The content as it is, or its text as UTF-8, so much at a time."""
        while some := self._taken((of or self.content).read(BLOCK)):
            yield some

    def pieces(self) -> Iterator[str]:
        """The decoded content, so much at a time, wherever its lines end."""
        decoder, offset, begun = getincrementaldecoder("utf-8")(), 0, False
        for some in chain(self.blocks(self.text), [b""]):
            waiting = len(decoder.getstate()[0])
            try:
                text = decoder.decode(some, final=not some)
            except UnicodeDecodeError as error:
                raise self._no_text(offset - waiting + error.start) from None
            yield text if begun else text.removeprefix("\ufeff")
            offset, begun = offset + len(some), begun or bool(text)

    def _taken(self, some: bytes) -> bytes:
        """Bytes as they are taken in, refused where a packed file grows without end."""
        self._hash.update(some)
        self._unpacked += len(some)
        if not self.zipped or self._unpacked <= self._weighed:
            return some
        self._weighed = self._unpacked + WEIGHED
        if self._unpacked > limits().ratio * self._raw.tell():
            growth = f"{place(self.path)}: unpacks to {self._unpacked / self._raw.tell():.0f} times its size"
            raise beyond(growth, "ratio", "unpack it yourself if that is what you expect")
        return some


@contextmanager
def opened(path: Path) -> Iterator[Lines]:
    """A file while it is read."""
    try:
        with parsing.opened(path) as raw:
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
