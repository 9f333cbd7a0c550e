"""What attacking into a folder took: one line for each session that ended, so that resumed attacks add up.

Seconds stand here and never in the records, which are the same whatever the machine.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from unfooled.attacks.engine import Work

SESSIONS = "sessions.jsonl"


@dataclass(frozen=True)
class Session:
    """From the first question to the last: the seconds, and what was done in them."""

    seconds: float
    work: Work


SESSION = TypeAdapter(Session)


@contextmanager
def session(folder: Path | None, work: Work) -> Iterator[None]:
    """Time what happens and write it down, also where it ends in an error; nothing where nothing was done."""
    began = time.monotonic()
    try:
        yield
    finally:
        if folder is not None and work.texts:
            entry = asdict(Session(round(time.monotonic() - began, 3), work))
            with (folder / SESSIONS).open("ab") as file:
                file.write(json.dumps(entry).encode() + b"\n")


def sessions(folder: Path) -> list[Session]:
    """The sessions of a folder, in order; a line that a kill left unfinished is none."""
    path = folder / SESSIONS
    found = []
    for line in path.read_bytes().splitlines() if path.is_file() else ():
        try:
            found.append(SESSION.validate_json(line))
        except ValidationError:
            continue
    return found
