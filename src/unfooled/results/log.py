"""The log of one trial of one model, and what the logs of one results folder must agree on."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import JsonValue, TypeAdapter, ValidationError

from unfooled import journal
from unfooled.errors import BadInput, option
from unfooled.files import versions
from unfooled.journal import KIND, SCHEMA, disagreements, flat
from unfooled.tasks import TASKS
from unfooled.trials import TRIALS, require_trial
from unfooled.trials.trial import Trial

FARTHEST = 1e100  # from zero, of the numbers of a record: sums of squares of more are none
MODEL_KEYS = ("model_hash", "max_length", "labels")


@dataclass(frozen=True)
class Header:
    """What a log holds: which trial of which model on what, under which settings.

    A record is of one ``unit`` (an example, a triple, a case); ``examples`` is their number and ``examples_hash`` the
    SHA-256 of what they are. ``source`` says which of the data given they come from, ``data`` and ``data_hash`` are
    its name and its hash as a whole; ``task`` is what models are asked for. ``temperature`` is what the model's logits
    were divided by, where the trial fits one to them; an attack that goes on goes on with it. ``learnt_nothing`` is
    what the training of the model found on its validation split, ``learnt_from`` whether these very texts taught it.
    A log with a ``shard``, 2/8 say, is to hold as many records as ``shard_examples`` says, and becomes a whole with the
    others of its run (``results.merge``). ``asked`` are the options by which the data was read (columns, split,
    labels), for who wants to read it so again.
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
    task: str = "classification"
    temperature: float | None = None
    shard: str | None = None
    shard_examples: int | None = None
    shard_hash: str | None = None  # of which examples these are
    learnt_nothing: bool = False
    learnt_from: bool = False
    rules_hash: str | None = None  # of how the model reads and computes; logs before 2026-11-19 do not say
    asked: dict[str, str] = field(default_factory=dict)
    schema: int = SCHEMA
    kind: str = KIND
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def form(self) -> Trial:
        """The trial, which reads its records; that of an attack in no table is read as any attack's."""
        if self.trial not in TRIALS and "attack" in self.settings:
            from unfooled.trials.words.words import WORDS

            return WORDS
        if self.trial not in TRIALS:
            raise BadInput(
                f"a log is of a trial called {self.trial}, which this unfooled does not know; use the unfooled that "
                "wrote it"
            )
        return require_trial(self.trial, self.task)


HEADER = TypeAdapter(Header)


@cache
def reader_of(record: type) -> TypeAdapter[Any]:
    """What reads records of a type."""
    return TypeAdapter(record)


def header_of(path: Path, plain: dict[str, Any]) -> Header:
    """A header from its plain values."""
    try:
        header = HEADER.validate_python(plain)
        if header.task in TASKS:
            return header
        place = "task"
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
    raise BadInput(f"{path}, line 1: the header is damaged at {place}; delete the file to compute it again") from None


def read_header(path: Path) -> Header | None:
    """The header of a log; None where it was not finished."""
    plain = journal.first_line(path)
    return None if plain is None else header_of(path, plain)


def read_log(path: Path) -> tuple[Header, list[Any]] | None:
    """The header and the records, by index, all of them in memory; None where not even the header was finished."""
    header = read_header(path)
    if header is None:
        return None
    records: dict[int, Any] = {}
    for number, (_, record) in enumerate(placed_records(path, header), start=2):
        if record.index in records:
            raise twice(path, number, record.index, header)
        records[record.index] = record
    return header, [records[index] for index in sorted(records)]


def placed_records(path: Path, header: Header) -> Iterator[tuple[int, Any]]:
    """One record after another, as they were written, each with the byte at which its line begins; none is kept."""
    reader = reader_of(header.form.record)
    lines = journal.placed_entries(path)  # one at a time: all of them as plain values take more than the records
    next(lines, None)
    for number, (start, line) in enumerate(lines, start=2):
        record = record_of(line, header, reader)
        if record is None:
            raise BadInput(f"{path}, line {number} is no record; delete the file to compute it again")
        if not 0 <= record.index < header.examples:
            raise twice(path, number, record.index, header)
        yield start, record


def record_of(line: Mapping[str, Any], header: Header, reader: TypeAdapter[Any]) -> Any:
    """A record from its plain values; None where it is none."""
    try:
        refuse_impossible(line, header)
        return reader.validate_python(line)
    except ValueError:
        return None


def twice(path: Path, number: int, index: int, header: Header) -> BadInput:
    """That a line is of an example that has a record already, or that is none of the log's."""
    return BadInput(
        f"{path}, line {number}: example {index} is there twice or is not one of the {header.examples} examples; "
        "delete the file to compute it again"
    )


def refuse_impossible(line: Mapping[str, Any], header: Header) -> None:
    """Raise where a record says what cannot be: an answer that is no class, a number without end.

    What an attack claims is left to ``unfooled verify``, which names each claim that does not hold.
    """
    classes = range(max(len(header.labels), 2))
    answers = [line.get(name) for name in ("label", "prediction")] if header.labels and "outcome" not in line else []
    if any(isinstance(number, int) and number not in classes for number in answers):
        raise ValueError("no class")
    if too_far(line.values()):
        raise ValueError("no number")


def too_far(values: Iterable[Any]) -> bool:
    """Whether some number with a point, at any depth, is farther from zero than any can be."""
    for value in values:
        if isinstance(value, float):
            if abs(value) > FARTHEST:
                return True
        elif isinstance(value, list | dict) and too_far(value if isinstance(value, list) else value.values()):
            return True
    return False


def differences(known: Header, wanted: Header, same_model: bool) -> list[str]:
    """The keys, with both values, on which two logs of one folder disagree but must not.

    All agree on the seed, the shard and what models are asked for; those of one source on its data; those of one unit
    on what the units are; those of one trial on its settings too, those of one model on the model.
    """
    keys = ["seed", "task", "shard"]
    if known.source == wanted.source:
        keys.append("data_hash")
    if known.unit == wanted.unit:
        keys += ["examples", "examples_hash"]
    if known.trial == wanted.trial:
        keys.append("settings")
    if same_model:
        keys += MODEL_KEYS
        keys += [] if known.model_hash else ["model"]  # a callable has nothing but its name
        # Other versions may write the same rules otherwise.
        told = known.rules_hash and wanted.rules_hash and known.versions == wanted.versions
        keys += ["rules_hash"] if told else []
    return disagreements(part(known, keys), part(wanted, keys))


def part(header: Header, keys: list[str]) -> dict[str, JsonValue]:
    """Some of what a header says, the settings one by one."""
    plain = json.loads(json.dumps(asdict(header)))
    return flat({key: plain[key] for key in keys})


def refuse_different(path: Path, wanted: Header, same_model: bool) -> None:
    """Refuse a log that cannot stand in one table with what is asked for, naming what differs."""
    known = read_header(path)
    names = [] if known is None else differences(known, wanted, same_model)  # killed before its header was whole
    if names:
        raise BadInput(
            f"{path} is from another evaluation, which differs in {'; '.join(names)}; "
            "choose another output folder, or evaluate as that one did"
        )
    same = known is not None and same_model and known.trial == wanted.trial
    if known is not None and same and known.shard and known.shard_hash is None:
        raise BadInput(f"{path} is a shard of an earlier unfooled; choose another output folder")
    if known is not None and same and known.shard_hash != wanted.shard_hash:
        raise BadInput(
            f"{path} has other examples of shard {known.shard}: examples are parted by batches, and it was begun with "
            f"another {option('batch_size')}; give the same, or choose another output folder"
        )


def refuse_misplaced(path: Path) -> None:
    """Refuse a log that stands in the folder of another trial: records of that one would be added to it."""
    known = read_header(path)
    if known is not None and known.trial != path.parent.name:
        raise BadInput(f"{path} is the log of {known.trial}; put it back where it was, or choose another output folder")
