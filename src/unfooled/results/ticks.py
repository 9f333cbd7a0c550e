"""Ticks: adversaries of which a reader says that their meaning changed, kept in one file beside the results.

An adversary with another meaning is no fair trick. A tick is of a record by its number; it counts as long as the log is
of the same examples and the same model.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from unfooled.errors import BadInput
from unfooled.files import alone, write_whole
from unfooled.parsing import content
from unfooled.results.log import Header

TICKS = "ticks.json"
SAYS = "examples whose adversary was ticked by a reader: its meaning changed"


@dataclass(frozen=True)
class LogTicks:
    """The ticks of one log: which model on which examples, and the numbers of the records."""

    model_hash: str
    examples_hash: str
    meaning_changed: tuple[int, ...]


@dataclass(frozen=True)
class TicksFile:
    """What the file holds; logs are named by their folders, as in ``model/trial``."""

    says: str
    schema: int
    logs: dict[str, LogTicks]


READER = TypeAdapter(TicksFile)


def read_ticks(folder: Path) -> dict[str, LogTicks]:
    """The ticks of a results folder, by log; none where nobody ticked anything."""
    path = folder / TICKS
    if not path.is_file():
        return {}
    try:
        return dict(READER.validate_json(content(path), strict=True).logs)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"])) or "the beginning"
        raise BadInput(f"{path} holds no ticks that can be read (at {place}); mend it, or delete it") from None


def ticked(ticks: Mapping[str, LogTicks], slug: str, header: Header) -> frozenset[int] | None:
    """The ticked records of a log; None where the ticks are of another model or of other examples."""
    own = ticks.get(f"{slug}/{header.trial}")
    if own is None:
        return frozenset()
    same = (own.model_hash, own.examples_hash) == (header.model_hash, header.examples_hash)
    return frozenset(own.meaning_changed) if same else None


def write_tick(folder: Path, slug: str, header: Header, index: int, changed: bool) -> None:
    """Tick a record, or take its tick away; the other ticks of the file stay."""
    with alone(folder / TICKS, wait=True):  # others may tick at the same time
        ticks = read_ticks(folder)
        numbers = ticked(ticks, slug, header) or frozenset()
        numbers = numbers | {index} if changed else numbers - {index}
        ticks[f"{slug}/{header.trial}"] = LogTicks(header.model_hash, header.examples_hash, tuple(sorted(numbers)))
        kept = {name: ticks[name] for name in sorted(ticks) if ticks[name].meaning_changed}
        text = json.dumps(asdict(TicksFile(SAYS, 1, kept)), indent=2, ensure_ascii=False)
        write_whole(folder / TICKS, f"{text}\n")
