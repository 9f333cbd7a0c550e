"""Files of others become plain values: ordinary files alone, so many bytes, so deep; the rest is a sentence.

Nothing here runs or imports what a file says. What is no JSON or TOML is a ``ValueError``, whose message never quotes
the file; what goes beyond a limit, or is no ordinary file, is a ``BadInput``.
"""

import gzip
import json
import os
import stat
import tomllib
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from unfooled.errors import BadInput
from unfooled.limits import UNPACKED, beyond, limits

DIRECTORY_END = 2**16 + 42  # bytes at the end of a packed folder, in which it says where the list of its parts is
MOST_DIRECTORY = 2**20  # bytes of that list: some ten thousand parts


def ordinary(path: Path) -> os.stat_result:
    """What the system says of a file, refused where it is a folder, a pipe or a device: those may never end."""
    state = path.stat()
    if stat.S_ISREG(state.st_mode):
        return state
    kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    kind = kinds.get(stat.S_IFMT(state.st_mode), "a device")
    raise BadInput(f"{path} is {kind}, where a file is wanted; copy what it holds into a file and name that")


def opened(path: Path) -> BinaryIO:
    """An ordinary file, open; opening never waits, as it would for a pipe put there meanwhile."""
    ordinary(path)
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    return os.fdopen(handle, "rb")


def content(path: Path, name: str = "document") -> bytes:
    """The bytes of a file, of which there may be as many as the limit of that name says."""
    most = int(getattr(limits(), name))
    with opened(path) as file:
        read = file.read(most + 1)
    if len(read) > most:
        raise beyond(f"{path} has more than {most:,} bytes", name, "make it smaller")
    return read


def gunzipped(packed: bytes, where: str) -> bytes:
    """What a content in gzip unpacks to, refused where that is too many times as much; broken gzip is an OSError."""
    most = max(UNPACKED, limits().ratio * len(packed))
    with gzip.GzipFile(fileobj=BytesIO(packed)) as file:
        try:
            unpacked = file.read(most + 1)
        except (EOFError, zlib.error) as error:
            raise gzip.BadGzipFile(str(error)) from None
    if len(unpacked) > most:
        raise beyond(f"{where} unpacks to far more than its size", "ratio", "copy it again")
    return unpacked


def check_archive(file: BinaryIO, where: str) -> None:
    """Refuse a packed folder (zip) that would unpack to too many times its size or has too many parts, before any is.

    So is one of whose parts any would, so that a ballast of what cannot be packed does not hide a bomb. What is no such
    folder is a ``zipfile.BadZipFile``.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - DIRECTORY_END))
    if long_directory(file.read()):
        raise BadInput(f"{where} has more parts than any file of its kind; save it again")
    try:
        with zipfile.ZipFile(file) as parts:
            sizes = [(part.file_size, part.compress_size, f"a part of {where}") for part in parts.infolist()]
    except (NotImplementedError, RuntimeError, ValueError, EOFError) as error:
        raise zipfile.BadZipFile(str(error)) from None
    for unpacked, packed, what in [*sizes, (sum(one[0] for one in sizes), size, where)]:
        if unpacked > max(UNPACKED, limits().ratio * packed):
            raise beyond(f"{what} unpacks to {unpacked / max(packed, 1):,.0f} times its size", "ratio", "save it again")
    file.seek(0)


def long_directory(end: bytes) -> bool:
    """Whether a packed folder says at its end that the list of its parts is long, by any of the ways to say so.

    A reader takes the record that ends the file, or the last that there is; before it may stand a pointer to another
    one that has room for larger numbers, which no small folder needs.
    """
    for found in (len(end) - 22, end.rfind(b"PK\5\6")):
        if found < 0 or end[found : found + 4] != b"PK\5\6":
            continue
        listed = int.from_bytes(end[found + 12 : found + 16], "little")  # the bytes of that list
        if listed > MOST_DIRECTORY or end[max(found - 20, 0) : found].startswith(b"PK\6\7"):
            return True
    return False


def json_file(path: Path, finite: bool = True, name: str = "document") -> Any:
    """The value of a file in JSON."""
    return json_value(content(path, name), finite)


def json_value(text: str | bytes, finite: bool = True) -> Any:
    """The value that a text in JSON stands for, refused where it is too deep or, unless told, has NaN in it.

    >>> json_value('{"a": [1, 2]}')
    {'a': [1, 2]}
    """
    letters = text.decode("utf-8-sig") if isinstance(text, bytes) else text
    if letters.count(",") + letters.count("[") + letters.count("{") > limits().values:
        raise beyond("a text in JSON has too many values", "values")
    try:
        value = json.loads(letters, parse_constant=no_number if finite else None)
    except RecursionError:
        raise too_deep() from None
    if letters.count("[") + letters.count("{") > limits().nesting:  # as deep at most
        shallow(value)
    return value


def no_number(name: str) -> NoReturn:
    """Refuse what JSON has no word for."""
    raise ValueError(f"{name} is no number")


def shallow(value: Any) -> None:
    """Refuse values that hold each other too deep; whoever walks through them goes as deep."""
    level, depth = [value], 0
    while held := [one for one in level if isinstance(one, dict | list)]:
        depth += 1
        if depth > limits().nesting:
            raise too_deep()
        level = [inner for one in held for inner in (one.values() if isinstance(one, dict) else one)]


def too_deep() -> ValueError:
    """That values hold each other too deep."""
    return ValueError(f"more than {limits().nesting} lists and objects inside each other")


def toml_file(path: Path) -> dict[str, Any]:
    """The values of a file in TOML."""
    return toml_value(content(path, "recipe").decode("utf-8"))


def toml_value(text: str) -> dict[str, Any]:
    """The values that a text in TOML stands for."""
    # The parser goes as deep as dots and brackets do, and its time grows with the square of that.
    if any(map(deep_line, text.splitlines())):
        raise too_deep()
    try:
        values = tomllib.loads(text)
    except RecursionError:
        raise too_deep() from None
    shallow(values)
    return values


def deep_line(line: str) -> bool:
    """Whether a line of TOML opens too many tables inside each other, in its name or by its brackets."""
    most, (name, _, value) = limits().nesting, line.partition("=")
    if value.count("[") + value.count("{") <= most:
        return name.count(".") > most
    depths = accumulate((letter in "[{") - (letter in "]}") for letter in value)
    return name.count(".") > most or max(depths, default=0) > most


def recipe_in(path: Path) -> dict[str, Any]:
    """The settings of a file in TOML, refused where it is none."""
    try:
        return toml_file(path)
    except ValueError as error:
        raise BadInput(f"{path} cannot be read as TOML: {error}") from None


def object_in(path: Path, advice: str) -> dict[str, Any]:
    """The object of a file in JSON, refused with an advice where it holds none."""
    try:
        value = json_file(path)
    except ValueError as error:
        raise BadInput(f"{path} is not valid JSON ({error}); {advice}") from None
    if not isinstance(value, dict):
        raise BadInput(f"{path} is no object of JSON; {advice}")
    return value


def whole_lines(file: BinaryIO, where: str) -> Iterator[bytes]:
    """The lines of an open file that have their end, none longer than is taken in; a last one without is left out.

    Such a last line is what a killed process leaves behind.
    """
    most = limits().line
    while line := file.readline(most + 1):
        if len(line) > most:
            raise beyond(f"{where} has a line of more than {most:,} bytes", "line", "restore the file")
        if not line.endswith(b"\n"):
            return
        yield line
