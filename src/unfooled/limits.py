"""How much of a file is ever taken in: limits that stop a file made to fill the memory, each of them settable.

``UNFOOLED_LIMITS="columns=50000,line=64000000"`` in the environment sets some of them.
"""

import os
from dataclasses import asdict, dataclass, field, fields, replace
from functools import lru_cache

from unfooled.errors import BadInput, nearest

VARIABLE = "UNFOOLED_LIMITS"
UNPACKED = 2**18  # bytes that a packed file may come to however small it is


def most(number: int, meaning: str) -> int:
    """A limit and what it is of."""
    return field(default=number, metadata={"meaning": meaning})


@dataclass(frozen=True)
class ReadLimits:
    """The most that is taken in."""

    line: int = most(2**24, "bytes of a line, or of a field of a table")
    json: int = most(2**26, "bytes of one object in a file of JSON")
    values: int = most(3_000_000, "values in one text of JSON")
    lines: int = most(50_000, "lines of one field of a table")
    columns: int = most(10_000, "columns of a table")
    rows: int = most(20_000_000, "rows of a table that is held in memory")
    nesting: int = most(64, "lists and objects inside each other in JSON and TOML")
    ratio: int = most(50, "times a packed file may grow when it is unpacked")
    document: int = most(2**23, "bytes of a file that is read whole: JSON, the header of weights")
    recipe: int = most(2**18, "bytes of a file of settings in TOML")
    vocabulary: int = most(2**26, "bytes of a tokenizer's file")
    entries: int = most(20_000, "entries of one list or object in a model's configuration")
    labels: int = most(10_000, "labels of a model")
    tensors: int = most(200_000, "weights by name in a model's files")
    growth: int = most(4, "times the weights of a network may exceed those in its files")


MEANINGS = {one.name: str(one.metadata["meaning"]) for one in fields(ReadLimits)}


def limits() -> ReadLimits:
    """The limits as the environment has them."""
    return _limits(os.environ.get(VARIABLE, ""))


@lru_cache(maxsize=1)
def _limits(given: str) -> ReadLimits:
    chosen: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in given.split(","))):
        name, _, number = (word.strip() for word in part.partition("="))
        if name not in MEANINGS:
            raise BadInput(f"{VARIABLE} sets {name}, which is no limit; {nearest(name, MEANINGS)}")
        if not number.isdecimal() or not 0 < int(number[:19]) < 2**62:
            raise BadInput(f"{VARIABLE} sets {name} to {number or 'nothing'}; give a whole number above 0")
        chosen[name] = int(number)
    return replace(ReadLimits(), **chosen)


def beyond(what: str, name: str, advice: str = "") -> BadInput:
    """That something goes beyond the limit of a name, how far it may go and what to do.

    >>> print(beyond("a.csv, row 1: 12,000 columns", "columns"))
    a.csv, row 1: 12,000 columns, more than the 10,000 that are taken; or set UNFOOLED_LIMITS=columns=…
    """
    return BadInput(
        f"{what}, more than the {asdict(limits())[name]:,} that are taken; "
        f"{advice + ', ' if advice else ''}or set {VARIABLE}={name}=…"
    )
