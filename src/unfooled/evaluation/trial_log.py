"""The log of one trial of one model, and what the logs of one results folder must agree on."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import JsonValue, TypeAdapter

from unfooled.errors import BadInput
from unfooled.evaluation.log import Form, disagreements, flat, read_header
from unfooled.evaluation.measures import reader_of
from unfooled.files import versions

SCHEMA = 1
KIND = "unfooled evaluation"
MODEL_KEYS = ("model_hash", "max_length", "labels")


@dataclass(frozen=True)
class Header:
    """What a log holds: which trial of which model on what, under which settings.

    A record is of one ``unit`` (an example, a triple, a case); ``examples`` is their number and ``examples_hash`` the
    SHA-256 of what they are. ``source`` says which of the data given they come from, ``data`` and ``data_hash`` are
    its name and its hash as a whole; ``problem`` is what models are asked for.
    """

    trial: str
    model: str
    model_hash: str
    labels: tuple[str, ...]
    max_length: int | None
    data: str
    data_hash: str
    examples: int
    examples_hash: str
    seed: int
    settings: dict[str, JsonValue]
    unit: str = "example"
    source: str = "data"
    problem: str = "class"
    schema: int = SCHEMA
    kind: str = KIND
    versions: dict[str, str] = field(default_factory=versions)


FORM: Form[Header, Any] = Form(
    kind=KIND,
    schema=SCHEMA,
    origin="an evaluation",
    again="compute it again",
    header=TypeAdapter(Header),
    records=lambda header: reader_of(header.trial, header.problem),
    size=lambda header: header.examples,
)


def differences(found: Header, wanted: Header, same_model: bool) -> list[str]:
    """The keys, with both values, on which two logs of one folder disagree but must not.

    All agree on the seed and on what models are asked for; those of one source on its data; those of one unit on what
    the units are; those of one trial on its settings too, those of one model on the model.
    """
    keys = ["seed", "problem"]
    if found.source == wanted.source:
        keys.append("data_hash")
    if found.unit == wanted.unit:
        keys += ["examples", "examples_hash"]
    if found.trial == wanted.trial:
        keys.append("settings")
    if same_model:
        keys += MODEL_KEYS
        keys += [] if found.model_hash else ["model"]  # a callable has nothing but its name
    return disagreements(part(found, keys), part(wanted, keys))


def part(header: Header, keys: list[str]) -> dict[str, JsonValue]:
    """Some of what a header says, the settings one by one."""
    plain = json.loads(json.dumps(asdict(header)))
    return flat({key: plain[key] for key in keys})


def refuse_different(path: Path, wanted: Header, same_model: bool) -> None:
    """Refuse a log that cannot stand in one table with what is asked for, naming what differs."""
    with path.open("rb") as file:
        first = file.readline()
    if not first.endswith(b"\n"):  # killed before its header was whole: nothing is in it yet
        return
    names = differences(read_header(path, first, FORM), wanted, same_model)
    if names:
        raise BadInput(
            f"{path} is from another evaluation, which differs in {'; '.join(names)}; "
            "choose another output folder, or evaluate as that one did"
        )
