"""What stands between the fields of a table: commas or tabs by its name, or what its first rows show instead.

Spreadsheets of half of Europe export semicolons, and some write a first line such as ``sep=;`` for each other.
"""

import csv
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from unfooled.data.files.lines import opened
from unfooled.errors import BadInput
from unfooled.limits import limits

MARKS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
LOOKED_AT, ENOUGH = 20, 2**16  # lines, and letters of them
LONGEST = 2**20  # letters of a line: what separates its fields has long been seen


@dataclass(frozen=True)
class Separator:
    """The mark between fields, whether a first line says so, and a few words on it where it is not the usual one."""

    mark: str
    declared: bool = False
    said: str | None = None


def separator_of(path: Path, usual: str) -> Separator:
    """The mark of a file whose name promises ``usual``; that one wherever the first rows do not show another."""
    lines = beginning(path)
    first = lines[0].strip() if lines else ""
    mark = first[4:5] or "\t"
    if first.lower().startswith("sep=") and len(first) <= 5 and mark in MARKS:
        return Separator(mark, True, None if mark == usual else said(mark))
    others = [] if shows(lines, usual) else [mark for mark in MARKS if mark != usual and shows(lines, mark)]
    if not others:
        return Separator(usual)
    best = max(others, key=lambda mark: widths(lines, mark)[0])
    return Separator(best, said=said(best))


def beginning(path: Path) -> list[str]:
    """The first lines of a file, as far as they are text; whoever reads it whole says where they are not."""
    lines: list[str] = []
    with suppress(BadInput), opened(path) as file:
        for line in islice(file, LOOKED_AT):
            lines.append(line[:LONGEST])
            if sum(map(len, lines)) > ENOUGH:
                break
    return lines


def said(mark: str) -> str:
    """A few words on a mark that a name did not promise."""
    return f"fields are separated by {MARKS[mark]}"


def shows(lines: list[str], mark: str) -> bool:
    """Whether a mark separates these lines: two fields or more in the first, and as many in the next."""
    counts = widths(lines, mark)
    return len(counts) > 0 and counts[0] > 1 and (len(counts) == 1 or counts[1] == counts[0])


def widths(lines: list[str], mark: str) -> list[int]:
    """How many fields the first rows have by a mark, as far as they can be read; the last may be cut off."""
    counts: list[int] = []
    before = csv.field_size_limit(limits().line)  # it is the csv module's own, so it is put back
    try:
        for fields in csv.reader(lines, delimiter=mark, strict=True):
            counts += [len(fields)] if fields else []
    except csv.Error:
        pass
    finally:
        csv.field_size_limit(before)
    return counts
