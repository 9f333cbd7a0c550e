"""The log of one trial: a header that says what it is, then one line per finished example.

It is only ever appended to, and it is the checkpoint: what is in it need not be computed again.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pydantic import JsonValue, TypeAdapter, ValidationError

from unfooled.errors import BadInput
from unfooled.evaluation.records import Record
from unfooled.files import versions

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Entry = TypeVar("Entry", bound="DataclassInstance")

SCHEMA = 1
KIND = "unfooled evaluation"
# All logs of one folder must agree on the data, those of one trial on its settings too, those of one model
# on the model.
DATA_KEYS = ("data_hash", "examples", "examples_hash", "seed")
MODEL_KEYS = ("model_hash", "max_length", "labels")


@dataclass(frozen=True)
class Header:
    """What a log holds: which trial of which model on which examples, under which settings.

    ``data_hash`` is the caller's name for the data as a whole, ``examples_hash`` the SHA-256 of the texts and
    labels that were in fact evaluated.
    """

    trial: str
    model: str
    model_hash: str
    labels: tuple[str, ...]
    max_length: int
    data: str
    data_hash: str
    examples: int
    examples_hash: str
    seed: int
    settings: dict[str, JsonValue]
    schema: int = SCHEMA
    kind: str = KIND
    versions: dict[str, str] = field(default_factory=versions)


HEADER = TypeAdapter(Header)
RECORD = TypeAdapter(Record)


def read(path: Path) -> tuple[Header, list[Record]] | None:
    """The header and the records, by index; None where not even the header was finished.

    A last line without its end is what a killed process leaves behind: it is not there yet.
    """
    lines = path.read_bytes().split(b"\n")[:-1]
    if not lines:
        return None
    header = read_header(path, lines[0])
    records: dict[int, Record] = {}
    for number, line in enumerate(lines[1:], start=2):
        try:
            record = RECORD.validate_json(line)
        except ValidationError:
            raise BadInput(f"{path}, line {number} is no record; delete the file to compute it again") from None
        if record.index in records or not 0 <= record.index < header.examples:
            raise BadInput(
                f"{path}, line {number}: example {record.index} is there twice or is not one of the "
                f"{header.examples} examples; delete the file to compute it again"
            )
        records[record.index] = record
    return header, [records[index] for index in sorted(records)]


def read_header(path: Path, line: bytes) -> Header:
    """The header, if it is one of this schema version."""
    try:
        found = json.loads(line)
    except ValueError:
        found = None
    require_schema(path, found)
    try:
        return HEADER.validate_python(found)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise BadInput(
            f"{path}, line 1: the header is damaged at {place}; delete the file to compute it again"
        ) from None


def require_schema(path: Path, found: JsonValue) -> None:
    """Refuse JSON that is not an evaluation's, or of another schema version."""
    if not isinstance(found, dict) or found.get("kind") != KIND:
        raise BadInput(f"{path} is not from an evaluation; choose another output folder")
    if found.get("schema") != SCHEMA:
        raise BadInput(
            f"{path} has schema version {found.get('schema')}, this unfooled reads {SCHEMA}; "
            "evaluate into a new folder, or use the unfooled that wrote it"
        )


def differences(found: Header, wanted: Header, same_model: bool) -> list[str]:
    """The keys, with both values, on which two logs of one folder disagree but must not."""
    keys = DATA_KEYS + MODEL_KEYS if same_model else DATA_KEYS
    here, asked = asdict(found), asdict(wanted)
    pairs = {key: (here[key], asked[key]) for key in keys}
    if found.trial == wanted.trial:
        names = dict.fromkeys([*found.settings, *wanted.settings])
        pairs |= {f"settings.{name}": (found.settings.get(name), wanted.settings.get(name)) for name in names}
    return [f"{key} ({short(old)} there, {short(new)} now)" for key, (old, new) in pairs.items() if old != new]


def short(value: JsonValue) -> str:
    """A value as it fits into a sentence."""
    text = ", ".join(str(part) for part in value) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= 40 else f"{text[:12]}…"


def refuse_different(path: Path, wanted: Header, same_model: bool) -> None:
    """Refuse a log that cannot stand in one table with what is asked for, naming what differs."""
    with path.open("rb") as file:
        first = file.readline()
    if not first.endswith(b"\n"):  # killed before its header was whole: nothing is in it yet
        return
    names = differences(read_header(path, first), wanted, same_model)
    if names:
        raise BadInput(
            f"{path} is from another evaluation, which differs in {'; '.join(names)}; "
            "choose another output folder, or evaluate as that one did"
        )


def finished(path: Path, wanted: Header) -> frozenset[int]:
    """The examples a log already holds; a half-written last line is cut off, a missing header is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    found = read(path) if path.exists() else None
    with path.open("a+b") as file:
        if found is None:
            file.truncate(0)
            file.write(line(wanted))
            return frozenset()
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
    return frozenset(record.index for record in found[1])


def append(path: Path, records: Iterable[Entry]) -> Iterator[Entry]:
    """Pass the records on, each once it is in the log.

    Every line is handed to the system at once, so that a killed process loses nothing it has passed on.
    """
    with path.open("ab") as file:
        for record in records:
            file.write(line(record))
            file.flush()
            yield record


def line(entry: "DataclassInstance") -> bytes:
    """One line of strict JSON."""
    return json.dumps(asdict(entry), allow_nan=False).encode() + b"\n"
