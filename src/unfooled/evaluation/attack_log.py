"""The log of one attack: lines stand in the order in which attacks ended."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pydantic import JsonValue, TypeAdapter

from unfooled.attacks.records import AttackRecord
from unfooled.errors import BadInput
from unfooled.evaluation.log import LOG, Form, begin, disagreements, flat, read, read_header
from unfooled.files import versions

__all__ = ["FREE", "KIND", "LOG", "SCHEMA", "AttackHeader", "differences", "read_attack", "resume"]

SCHEMA = 1
KIND = "unfooled attack"
# What no outcome depends on; everything else must agree before a log is gone on with.
FREE = ("model", "data", "batches", "versions", "schema", "kind")


@dataclass(frozen=True)
class AttackHeader:
    """What a log holds: which attack on which model and examples, under which settings.

    ``budget`` holds the limits of one example, ``parts`` what the attack's neighbours and similarities come from,
    ``batches`` the number of examples in flight and the batch size, which decide nothing. A model that says sets of the
    labels ``set_labels`` has two answers, right and wrong, which are then its ``labels``.
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
    set_labels: tuple[str, ...] = ()
    schema: int = SCHEMA
    kind: str = KIND
    versions: dict[str, str] = field(default_factory=versions)


RECORDS = TypeAdapter(AttackRecord)
FORM: Form[AttackHeader, AttackRecord] = Form(
    kind=KIND,
    schema=SCHEMA,
    origin="an attack",
    again="attack again",
    header=TypeAdapter(AttackHeader),
    records=lambda _: RECORDS,
    size=lambda header: header.examples,
)


def read_attack(path: Path) -> tuple[AttackHeader, list[AttackRecord]] | None:
    """The header and the records, by index; None where not even the header was finished."""
    return read(path, FORM)


def differences(found: AttackHeader, wanted: AttackHeader) -> list[str]:
    """The keys, with both values, on which two attacks disagree so that one cannot go on with the other."""
    here, asked = essence(found), essence(wanted)
    if not found.model_hash:  # a callable has nothing but its name
        here["model"], asked["model"] = found.model, wanted.model
    return disagreements(here, asked)


def essence(header: AttackHeader) -> dict[str, JsonValue]:
    """What a header says that outcomes may depend on, the settings one by one."""
    plain: dict[str, JsonValue] = json.loads(json.dumps(asdict(header)))
    return flat({name: value for name, value in plain.items() if name not in FREE})


def resume(path: Path, wanted: AttackHeader) -> list[AttackRecord]:
    """The records a log already holds, made ready to be appended to; refuses another attack's log."""
    if path.is_file():
        with path.open("rb") as file:
            first = file.readline()
        names = differences(read_header(path, first, FORM), wanted) if first.endswith(b"\n") else []
        if names:
            raise BadInput(
                f"{path} is from another attack, which differs in {'; '.join(names)}; "
                "choose another folder, or attack as that one did"
            )
    return begin(path, wanted, FORM)
