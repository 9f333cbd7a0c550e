"""How a text file is encoded: UTF-8 as a rule, UTF-16 as spreadsheets export it, Windows-1252 where UTF-8 fails.

A file that holds nothing but ASCII before its first byte that UTF-8 does not know is the same in both until there, so
nothing is read twice. One that held UTF-8 before is damaged, and refused.
"""

import codecs
import io
from typing import BinaryIO, cast

BYTE_ORDER_MARK = codecs.BOM_UTF8
LOOKED_AT = 4096  # bytes of a beginning
LETTERS = 40  # that a foreign share is judged by
MOST_ACCENTED = 0.4  # of the letters of a Western text are beyond ASCII; of Russian read as Windows-1252, all
WIDE = "UTF-16"
WESTERN = "Windows-1252"


def wide_encoding(beginning: bytes) -> str | None:
    """The UTF-16 that a file is in by its first bytes: a mark, or NUL in every other byte; None where in neither.

    >>> wide_encoding("\\ufefftext".encode("utf-16-le")), wide_encoding("text".encode("utf-16-be"))
    ('utf-16-le', 'utf-16-be')
    """
    for mark, name in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        # The mark of UTF-32 begins with that of UTF-16.
        if beginning.startswith(mark) and not beginning.startswith(codecs.BOM_UTF32_LE):
            return name
    even, odd = beginning[0::2].count(0), beginning[1::2].count(0)
    half = len(beginning) // 2
    if half >= 4 and max(even, odd) > 0.7 * half and min(even, odd) == 0:
        return "utf-16-le" if odd else "utf-16-be"
    return None


class Transcoded(io.RawIOBase):
    """A file in another encoding as one in UTF-8, which is read from the beginning."""

    def __init__(self, content: BinaryIO, encoding: str) -> None:
        self.content, self.encoding = content, encoding
        self.decoder = codecs.getincrementaldecoder(encoding)()
        self.waiting = b""

    def readable(self) -> bool:
        """It can be read."""
        return True

    def seekable(self) -> bool:
        """It can be gone back to its beginning."""
        return True

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        """Go back to the beginning."""
        if (place, whence) != (0, io.SEEK_SET):
            raise io.UnsupportedOperation("only its beginning can be gone back to")
        self.content.seek(0)
        self.decoder.reset()
        self.waiting = b""
        return 0

    def tell(self) -> int:
        """Where it is cannot be told, but for the buffer in front of it."""
        return 0

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Some more bytes of UTF-8; halves of characters pass, for whoever decodes them to say where they are."""
        while not self.waiting:
            some = self.content.read(2**16)
            text = self.decoder.decode(some, final=not some)
            self.waiting = text.encode("utf-8", "surrogatepass")
            if not some:
                break
        count = min(len(buffer), len(self.waiting))
        buffer[:count], self.waiting = self.waiting[:count], self.waiting[count:]
        return count


def as_utf8(content: BinaryIO) -> tuple[BinaryIO, str | None]:
    """A file as UTF-8, and how it is encoded where that is UTF-16."""
    beginning = content.read(LOOKED_AT)
    content.seek(0)
    encoding = wide_encoding(beginning)
    if encoding is None:
        return content, None
    return cast(BinaryIO, io.BufferedReader(Transcoded(content, encoding))), WIDE


class LineDecoder:
    """Lines as texts, by the encoding that they turn out to be in: ``name`` says which other than UTF-8 it is."""

    def __init__(self) -> None:
        self.name: str | None = None
        self.seen_utf8 = False
        self.letters = self.accented = 0

    def decode(self, line: bytes) -> str:
        """The text of a line; UnicodeDecodeError where it is in neither encoding."""
        if self.name is None:
            try:
                text = line.decode("utf-8")
                self.seen_utf8 = self.seen_utf8 or not text.isascii()
                return text
            except UnicodeDecodeError:
                if self.seen_utf8 or 0 in line:
                    raise
                self.name = WESTERN
        text = line.decode("cp1252")
        self.letters += sum(map(str.isalpha, text))
        self.accented += sum(letter.isalpha() and not letter.isascii() for letter in text)
        if self.letters >= LETTERS and self.accented > MOST_ACCENTED * self.letters:
            line.decode("utf-8")  # which says where it is not that; nor is it what Western Windows writes
        return text
