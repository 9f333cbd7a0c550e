"""A table filled cell by cell: what is in the file of rows is not run again, so a killed experiment goes on."""

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unfooled.files import write_whole


@dataclass(frozen=True)
class Cell:
    """A row to be: what names it, and what finds its numbers."""

    key: Mapping[str, Any]
    find: Callable[[], Mapping[str, Any]]


def fill(rows: Path, cells: Iterable[Cell], until: float | None = None) -> None:
    """Run the cells that are missing, in order; begin none after ``until`` seconds."""
    began = time.monotonic()
    for cell in cells:
        found = read(rows)
        if any(all(row.get(name) == value for name, value in cell.key.items()) for row in found):
            continue
        if until is not None and time.monotonic() - began > until:
            print(f"stopped before {dict(cell.key)}; the same command goes on", flush=True)
            return
        start = time.monotonic()
        numbers = cell.find()
        row = {**cell.key, **numbers, "date": time.strftime("%Y-%m-%d"), "seconds": round(time.monotonic() - start, 1)}
        write_whole(rows, "".join(json.dumps(each) + "\n" for each in [*read(rows), row]))
        print(json.dumps(row), flush=True)


def read(rows: Path) -> list[dict[str, Any]]:
    """The rows there are."""
    return [json.loads(line) for line in rows.read_text().splitlines()] if rows.is_file() else []
