"""How this room's messages name values, lists and places: short, and always on one line."""

from collections.abc import Iterable
from pathlib import Path


def shown(value: object, width: int = 60) -> str:
    r"""A value as part of a sentence: one line, printable, not longer than ``width``.

    >>> shown("two\nlines"), shown("x" * 99, width=5)
    ('two lines', 'xxxx…')
    """
    text = " ".join(str(value)[: 4 * width].split())
    text = "".join(letter if letter.isprintable() else "?" for letter in text)
    return text if len(text) <= width else text[: width - 1] + "…"


def listed(values: Iterable[object], most: int = 12) -> str:
    """Values separated by commas, the tail of a long list as a count.

    >>> listed("abcd", most=3)
    'a, b, c and 1 more'
    """
    names = [shown(value) for value in values]
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def place(path: Path, row: int | None = None, column: str | None = None) -> str:
    """Where something is, e.g. ``reviews.csv, row 7, column label``."""
    parts = [shown(path, width=300)]
    parts += [] if row is None else [f"row {row}"]
    parts += [] if column is None else [f"column {shown(column)}"]
    return ", ".join(parts)
