"""The log of one attack: a header that says what it is, then one line per example as its attack ends.

It is only ever appended to, and it is the checkpoint. Lines stand in the order in which attacks ended.
"""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pydantic import JsonValue, TypeAdapter, ValidationError

from unfooled.attacks.records import AttackRecord
from unfooled.errors import BadInput
from unfooled.evaluation.log import line, short
from unfooled.files import versions

SCHEMA = 1
KIND = "unfooled attack"
LOG = "examples.jsonl"
# What no outcome depends on; everything else must agree before a log is gone on with.
FREE = ("model", "data", "batches", "versions", "schema", "kind")


@dataclass(frozen=True)
class AttackHeader:
    """What a log holds: which attack on which model and examples, under which settings.

    ``budget`` holds the limits of one example, ``parts`` what the attack's neighbours and similarities come from,
    ``batches`` the number of examples in flight and the batch size, which decide nothing.
    """

    attack: str
    settings: dict[str, JsonValue]
    target: str | None
    column: int
    budget: dict[str, JsonValue]
    parts: dict[str, JsonValue]
    model: str
    model_hash: str
    labels: tuple[str, ...]
    max_length: int | None
    data: str
    data_hash: str
    examples: int
    examples_hash: str
    seed: int
    batches: dict[str, JsonValue]
    schema: int = SCHEMA
    kind: str = KIND
    versions: dict[str, str] = field(default_factory=versions)


HEADER = TypeAdapter(AttackHeader)
RECORD = TypeAdapter(AttackRecord)


def read_attack(path: Path) -> tuple[AttackHeader, list[AttackRecord]] | None:
    """The header and the records, by index; None where not even the header was finished.

    A last line without its end is what a killed process leaves behind: it is not there yet.
    """
    lines = path.read_bytes().split(b"\n")[:-1]
    if not lines:
        return None
    header = read_header(path, lines[0])
    records: dict[int, AttackRecord] = {}
    for number, found in enumerate(lines[1:], start=2):
        try:
            record = RECORD.validate_python(json.loads(found))  # pydantic's own reader refuses half characters
        except ValueError:
            raise BadInput(f"{path}, line {number} is no record; delete the file to attack again") from None
        if record.index in records or not 0 <= record.index < header.examples:
            raise BadInput(
                f"{path}, line {number}: example {record.index} is there twice or is not one of the "
                f"{header.examples} examples; delete the file to attack again"
            )
        records[record.index] = record
    return header, [records[index] for index in sorted(records)]


def read_header(path: Path, first: bytes) -> AttackHeader:
    """The header, if it is an attack's of this schema version."""
    try:
        found = json.loads(first)
    except ValueError:
        found = None
    if not isinstance(found, dict) or found.get("kind") != KIND:
        raise BadInput(f"{path} is not from an attack; choose another folder")
    if found.get("schema") != SCHEMA:
        raise BadInput(
            f"{path} has schema version {found.get('schema')}, this unfooled reads {SCHEMA}; "
            "attack into a new folder, or use the unfooled that wrote it"
        )
    try:
        return HEADER.validate_python(found)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise BadInput(f"{path}, line 1: the header is damaged at {place}; delete the file to attack again") from None


def differences(found: AttackHeader, wanted: AttackHeader) -> list[str]:
    """The keys, with both values, on which two attacks disagree so that one cannot go on with the other."""
    here, asked = flat(found), flat(wanted)
    if not found.model_hash:  # a callable has nothing but its name
        here["model"], asked["model"] = found.model, wanted.model
    names = dict.fromkeys([*here, *asked])
    return [
        f"{name} ({short(here.get(name))} there, {short(asked.get(name))} now)"
        for name in names
        if here.get(name) != asked.get(name)
    ]


def flat(header: AttackHeader) -> dict[str, JsonValue]:
    """What a header says that outcomes may depend on, the settings one by one."""
    plain: dict[str, JsonValue] = json.loads(json.dumps(asdict(header)))
    out: dict[str, JsonValue] = {}
    for name, value in plain.items():
        if isinstance(value, dict):
            out |= {f"{name}.{inner}": part for inner, part in value.items() if name not in FREE}
        elif name not in FREE:
            out[name] = value
    return out


def resume(path: Path, wanted: AttackHeader) -> list[AttackRecord]:
    """The records a log already holds, made ready to be appended to; refuses another attack's log."""
    if path.parent.exists() and not path.parent.is_dir():
        raise BadInput(f"{path.parent} is a file; give a folder for the attack")
    path.parent.mkdir(parents=True, exist_ok=True)
    found = read_attack(path) if path.exists() else None
    if found is None:
        path.write_bytes(line(wanted))
        return []
    names = differences(found[0], wanted)
    if names:
        raise BadInput(
            f"{path} is from another attack, which differs in {'; '.join(names)}; "
            "choose another folder, or attack as that one did"
        )
    with path.open("r+b") as file:
        file.truncate(file.read().rfind(b"\n") + 1)
    return found[1]
