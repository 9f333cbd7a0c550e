"""Logs: a header that says what a file holds, then one line per record as it is finished.

A log is only ever appended to, and it is the checkpoint: what is in it need not be computed again. Trials and attacks
keep the same kind of log; a ``Form`` says what headers and records of one look like.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import JsonValue, TypeAdapter, ValidationError

from unfooled.errors import BadInput

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Entry = TypeVar("Entry", bound="DataclassInstance")
Head = TypeVar("Head", bound="DataclassInstance")
Kept = TypeVar("Kept")
LOG = "examples.jsonl"


@dataclass(frozen=True)
class Form(Generic[Head, Kept]):
    """One kind of log: what its header says it is, of which version, and how its records are read.

    ``origin`` and ``again`` are for people: "an evaluation", "compute it again". ``records`` gives the reader of the
    records that follow a header, and ``size`` the number of them when the log is whole.
    """

    kind: str
    schema: int
    origin: str
    again: str
    header: TypeAdapter[Head]
    records: Callable[[Head], TypeAdapter[Kept]]
    size: Callable[[Head], int]


def read(path: Path, form: Form[Head, Kept]) -> tuple[Head, list[Kept]] | None:
    """The header and the records, by index; None where not even the header was finished.

    A last line without its end is what a killed process leaves behind: it is not there yet.
    """
    lines = path.read_bytes().split(b"\n")[:-1]
    if not lines:
        return None
    header = read_header(path, lines[0], form)
    reader, size = form.records(header), form.size(header)
    records: dict[int, Any] = {}
    for number, found in enumerate(lines[1:], start=2):
        try:
            record: Any = reader.validate_python(json.loads(found))  # pydantic's own reader refuses half characters
        except ValueError:
            raise BadInput(f"{path}, line {number} is no record; delete the file to {form.again}") from None
        if record.index in records or not 0 <= record.index < size:
            raise BadInput(
                f"{path}, line {number}: example {record.index} is there twice or is not one of the "
                f"{size} examples; delete the file to {form.again}"
            )
        records[record.index] = record
    return header, [records[index] for index in sorted(records)]


def read_header(path: Path, first: bytes, form: Form[Head, Kept]) -> Head:
    """The header, if it is one of this form and schema version."""
    try:
        found = json.loads(first)
    except ValueError:
        found = None
    require_schema(path, found, form)
    try:
        return form.header.validate_python(found)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise BadInput(f"{path}, line 1: the header is damaged at {place}; delete the file to {form.again}") from None


def require_schema(path: Path, found: JsonValue, form: Form[Head, Kept]) -> None:
    """Refuse JSON that is not of this kind, or of another schema version."""
    if not isinstance(found, dict) or found.get("kind") != form.kind:
        raise BadInput(f"{path} is not from {form.origin}; choose another folder")
    if found.get("schema") != form.schema:
        raise BadInput(
            f"{path} has schema version {found.get('schema')}, this unfooled reads {form.schema}; "
            "write into a new folder, or use the unfooled that wrote it"
        )


def begin(path: Path, header: Head, form: Form[Head, Kept]) -> list[Kept]:
    """The records a log already holds; a half-written last line is cut off, a missing header is written."""
    if path.parent.exists() and not path.parent.is_dir():
        raise BadInput(f"{path.parent} is a file; give a folder for {form.origin}")
    path.parent.mkdir(parents=True, exist_ok=True)
    found = read(path, form) if path.exists() else None
    with path.open("a+b") as file:
        if found is None:
            file.truncate(0)
            file.write(line(header))
            return []
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
    return found[1]


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


def strict(value: JsonValue) -> JsonValue:
    """The value, or None for a number JSON cannot write.

    >>> strict(float("nan")), strict(0.5)
    (None, 0.5)
    """
    return None if isinstance(value, float) and not math.isfinite(value) else value


def same(one: JsonValue, other: JsonValue) -> bool:
    """Whether two JSON values are equal, numbers up to rounding.

    >>> same({"a": [1.0, None]}, {"a": [1.0 + 1e-15, None]}), same([1], [1, 2]), same(True, 2)
    (True, False, False)
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return one == other


def flat(values: Mapping[str, JsonValue], above: str = "") -> dict[str, JsonValue]:
    """Values by their full names: what stands in a mapping is called after it too.

    >>> flat({"settings": {"attack": {"pos": "any"}}, "seed": 1})
    {'settings.attack.pos': 'any', 'seed': 1}
    """
    found: dict[str, JsonValue] = {}
    for name, value in values.items():
        found |= flat(value, f"{above}{name}.") if isinstance(value, dict) else {f"{above}{name}": value}
    return found


def disagreements(here: Mapping[str, JsonValue], asked: Mapping[str, JsonValue]) -> list[str]:
    """The names, with both values, on which two flat mappings disagree."""
    names = dict.fromkeys([*here, *asked])
    return [
        f"{name} ({short(here.get(name))} there, {short(asked.get(name))} now)"
        for name in names
        if here.get(name) != asked.get(name)
    ]


def short(value: JsonValue) -> str:
    """A value as it fits into a sentence."""
    text = ", ".join(str(part) for part in value) if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= 40 else f"{text[:12]}…"
