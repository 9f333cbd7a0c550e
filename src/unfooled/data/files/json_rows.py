"""JSON: an object on each line, or all of them in one array."""

import json
from collections.abc import Iterable, Iterator

from unfooled.data.files.encodings import BYTE_ORDER_MARK
from unfooled.data.files.formats import Format, Row
from unfooled.data.files.lines import Lines
from unfooled.data.phrases import place, shown
from unfooled.errors import BadInput


def line_rows(file: Lines, lines: Iterable[str] | None = None) -> Iterator[Row]:
    """An object on each line."""
    for line in file if lines is None else lines:
        yield object_of(file, parsed(file, line)) if line.strip() else {}
        file.row += 1


def array_rows(file: Lines) -> Iterator[Row]:
    """The objects of an array, which has to be read whole; without one, a line may be a whole file as well."""
    first = file.text.read(4096).removeprefix(BYTE_ORDER_MARK).lstrip()
    file.text.seek(0)
    if not first.startswith(b"["):
        yield from line_rows(file, file.bounded(None))
        return
    values = parsed(file, "".join(file.bounded(None)))
    for value in values if isinstance(values, list) else [values]:
        yield object_of(file, value)
        file.row += 1


def parsed(file: Lines, text: str) -> object:
    """The value that a text in JSON stands for."""
    try:
        return json.loads(text.rstrip())
    except json.JSONDecodeError as error:
        where, reason = place(file.path, file.row + error.lineno - 1), f"{error.msg} at letter {error.colno}"
    except (ValueError, RecursionError) as error:  # a number of too many digits, or lists in lists in lists
        where, reason = file.here, shown(error)
    raise BadInput(f'{where}: not JSON ({reason}); each line must be an object like {{"text": …}}')


def object_of(file: Lines, value: object) -> Row:
    """A JSON value as a row, refused where it is no object."""
    if not isinstance(value, dict):
        raise BadInput(f'{file.here}: a JSON {type(value).__name__}, not an object; write it like {{"text": …}}')
    return value


JSON_LINES = Format(line_rows)
JSON = Format(array_rows)
