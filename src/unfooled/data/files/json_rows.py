"""JSON: an object on each line, or all of them in one array."""

import json
import re
from collections.abc import Iterable, Iterator

from unfooled.data.files.encodings import BYTE_ORDER_MARK
from unfooled.data.files.formats import Format, Row
from unfooled.data.files.lines import Lines
from unfooled.data.phrases import place, shown
from unfooled.errors import BadInput
from unfooled.limits import beyond, limits
from unfooled.parsing import json_value

EXAMPLE = '{"text": …}'
SPACES = re.compile(r"[ \t\n\r]*")
DECODER = json.JSONDecoder()


def line_rows(file: Lines, lines: Iterable[str] | None = None) -> Iterator[Row]:
    """An object on each line."""
    for line in file if lines is None else lines:
        yield object_of(file, parsed(file, line)) if line.strip() else {}
        file.row += 1


def array_rows(file: Lines) -> Iterator[Row]:
    """The objects of an array, one at a time; without one, a line may be a whole file as well."""
    first = file.text.read(4096).removeprefix(BYTE_ORDER_MARK).lstrip()
    file.text.seek(0)
    if not first.startswith(b"["):
        yield from line_rows(file, file.bounded(limits().json))
        return
    for value in elements(file):
        yield object_of(file, value)
        file.row += 1


def elements(file: Lines) -> Iterator[object]:
    """The elements of an array, no more of the file held than one of them takes."""
    array = Array(file)
    array.skip("[")
    if array.next_letter() == "]":
        array.skip("]")
    else:
        yield array.element()
        while array.next_letter() == ",":
            array.skip(",")
            yield array.element()
        array.skip("]")
    if array.next_letter():
        raise array.wrong("Extra data")


class Array:
    """An array of JSON that is being read: the text at hand, where in it one stands, and on which line."""

    def __init__(self, file: Lines) -> None:
        self.file, self.pieces = file, file.pieces()
        self.text, self.at, self.line = "", 0, 1

    def more(self) -> bool:
        """Take in as much again as is at hand, dropping what is behind; whether there was anything."""
        self.line += self.text.count("\n", 0, self.at)
        self.text, self.at = self.text[self.at :], 0
        wanted, pieces = max(len(self.text), 1), []
        while wanted > 0 and (piece := next(self.pieces, None)) is not None:
            pieces.append(piece)
            wanted -= len(piece)
        self.text += "".join(pieces)
        return any(pieces)

    def next_letter(self) -> str:
        """The next letter that is no space; empty at the end of the file."""
        while True:
            match = SPACES.match(self.text, self.at)
            self.at = match.end() if match else self.at
            if self.at < len(self.text) or not self.more():
                return self.text[self.at : self.at + 1]

    def skip(self, letter: str) -> None:
        """Go past a letter that must come next."""
        if self.next_letter() != letter:
            raise self.wrong(f"Expecting '{letter}'")
        self.at += 1

    def element(self) -> object:
        """The next element, for which more is read until it is whole; its own text is then read as any JSON is."""
        self.next_letter()
        while True:
            try:
                _, end = DECODER.raw_decode(self.text, self.at)
                if end < len(self.text) or not self.more():  # a number may go on
                    break
            except RecursionError:
                raise self.wrong("too many lists and objects inside each other") from None
            except ValueError as error:
                if not self.more():
                    raise self.wrong(error.msg if isinstance(error, json.JSONDecodeError) else shown(error)) from None
            if len(self.text) > limits().json:
                raise beyond(f"{self.file.here}: more than {limits().json:,} bytes", "json", "split the object")
        whole, self.at = self.text[self.at : end], end
        return parsed(self.file, whole)

    def wrong(self, reason: str) -> BadInput:
        """What is no JSON, by the line it stands on."""
        line = self.line + self.text.count("\n", 0, self.at)
        return BadInput(f"{place(self.file.path, line)}: not JSON ({reason}); write an array of objects like {EXAMPLE}")


def parsed(file: Lines, text: str) -> object:
    """The value that a text in JSON stands for."""
    try:
        return json_value(text.rstrip(), finite=False)
    except json.JSONDecodeError as error:
        where, reason = place(file.path, file.row + error.lineno - 1), f"{error.msg} at letter {error.colno}"
    except ValueError as error:  # a number of too many digits, or lists in lists in lists
        where, reason = file.here, shown(error)
    raise BadInput(f"{where}: not JSON ({reason}); each line must be an object like {EXAMPLE}")


def object_of(file: Lines, value: object) -> Row:
    """A JSON value as a row, refused where it is no object."""
    if not isinstance(value, dict):
        raise BadInput(f"{file.here}: a JSON {type(value).__name__}, not an object; write it like {EXAMPLE}")
    return value


JSON_LINES = Format(line_rows)
JSON = Format(array_rows)
