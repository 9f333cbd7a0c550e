"""One trial of one model as a worker is told of it: plain values, and everything that is more by its place.

A worker opens the model itself, by its path, and makes sure that it has what whoever asks has: the same weights and
the same sentence encoder. Units come later, with the pieces of work (``piece.py``). What travels is JSON, so nothing is
pickled.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import JsonValue, TypeAdapter

from unfooled.attacks.attack import Attack
from unfooled.device import asked_device
from unfooled.errors import BadInput, either
from unfooled.results.log import Header
from unfooled.results.planned import Planned, noted
from unfooled.settings import settings_from
from unfooled.table import at
from unfooled.trials import TRIALS, require_trial
from unfooled.trials.inputs import hash_units
from unfooled.trials.trial import MakeParts, Trial, TrialRun
from unfooled.trials.words.words import trial_of
from unfooled.victims import open_victim
from unfooled.victims.victim import Victim


@dataclass(frozen=True)
class Assignment:
    """A job in plain values; ``attack`` is where an attack that is in no table stands, ``parts`` what makes its parts.

    Units are each the place of a type and plain values: the ``first`` one, for a model that has to be tried, and all of
    them where a trial cannot do without. ``options`` is whether sentences are for a command line.
    """

    model: str
    header: Header
    settings: dict[str, JsonValue]
    attack: str | None
    parts: str
    first: tuple[str, JsonValue]
    units: list[tuple[str, JsonValue]]
    names: tuple[str, ...]
    batch_size: int
    in_flight: int
    temperature: float | None
    device: str | None
    options: bool


ASSIGNMENT = TypeAdapter(Assignment)


def assigned(job: Planned, parts: str) -> Assignment:
    """A job as another process is told of it."""
    run, attack = job.run, getattr(job.run.settings, "attack", None)
    stranger = isinstance(attack, Attack) and job.header.trial not in TRIALS
    return Assignment(
        model=absolute(run.victim.place),
        header=job.header,
        settings=run.settings.model_dump(mode="json"),
        attack=importable(type(attack)) if stranger else None,
        parts=parts,
        first=plain_unit(run.units[0]),
        units=[plain_unit(unit) for unit in run.units] if job.trial.among_all else [],
        names=run.names,
        batch_size=run.batch_size,
        in_flight=run.in_flight,
        temperature=run.temperature,
        device=asked_device(),
        options=bool(either("options", "")),
    )


def refuse_in_hand(victims: Sequence[Victim]) -> None:
    """Refuse models that other processes cannot open, or of which nobody could tell that they are the same."""
    alone = either("leave --workers and --ray out", "leave workers= and ray= out")
    for victim in victims:
        if not victim.place:
            raise BadInput(f"{victim.name} is an object of this process, which no worker can open; save it, or {alone}")
        if not victim.hash:
            raise BadInput(f"{victim.name} has no hash by which workers could tell that they ask the same; {alone}")


def absolute(place: str) -> str:
    """A path as it is found from any folder; a name stays one."""
    return str(Path(place).absolute()) if Path(place).exists() else place


def importable(kind: type) -> str:
    """Where a class stands, if other processes can import it."""
    if kind.__module__ == "__main__" or "." in kind.__qualname__:
        raise BadInput(
            f"{kind.__qualname__} stands in this script, where no worker finds it; put it into a module of its own"
        )
    return place_of(kind)


def place_of(kind: type) -> str:
    """Where a class stands, as tables say it."""
    return f"{kind.__module__}:{kind.__qualname__}"


@cache
def reader(kind: Any) -> TypeAdapter[Any]:
    """What turns units of a type into plain values and back."""
    return TypeAdapter(kind)


def plain_unit(unit: Any) -> tuple[str, JsonValue]:
    """A unit as the place of its type and plain values."""
    kind: Any = type(unit)
    return place_of(kind), reader(kind).dump_python(unit, mode="json")


def tupled(value: JsonValue) -> Any:
    """Plain values with tuples for lists, as examples have them.

    >>> tupled([["a text"], {"right": [1, 2]}])
    (('a text',), {'right': (1, 2)})
    """
    if isinstance(value, list):
        return tuple(map(tupled, value))
    return {name: tupled(inner) for name, inner in value.items()} if isinstance(value, dict) else value


def units_of(given: Sequence[tuple[str, JsonValue]]) -> list[Any]:
    """The units that plain values stand for."""
    return [reader(at(place)).validate_python(tupled(plain)) for place, plain in given]


def opened(told: Assignment, victim: Victim | None, parts: MakeParts) -> tuple[Trial, TrialRun]:
    """The trial and its run in a worker, by a victim that is open already or is opened now."""
    header = told.header
    trial = require_trial(header.trial, header.task) if told.attack is None else trial_of(found(told.attack))
    settings = settings_from(trial.settings, told.settings, f"{header.trial}.")
    able = replace(open_victim(told.model) if victim is None else victim, labels=header.labels)
    refuse_other_model(told, able)
    refuse_other_parts(header, noted(settings, parts))
    first, units = units_of([told.first])[0], units_of(told.units)
    if trial.among_all and hash_units(units) != header.examples_hash:
        raise BadInput(f"a worker has read other examples for {header.trial}; give all of them the same unfooled")
    run = TrialRun(
        able, units, settings, header.seed, told.batch_size, parts, told.in_flight, header.task, told.names,
        told.temperature, first=first,
    )  # fmt: skip
    return trial, run


def found(place: str) -> Any:
    """The class at a place, refused in one sentence where a worker's Python does not find it."""
    try:
        return at(place)
    except ImportError as error:
        raise BadInput(f"a worker does not find the attack {place} ({error}); install its module everywhere") from None


def refuse_other_model(told: Assignment, victim: Victim) -> None:
    """Refuse a model that is not the one that was asked about."""
    if (victim.hash, victim.max_length) != (told.header.model_hash, told.header.max_length):
        raise BadInput(
            f"a worker finds another model at {told.model} ({victim.hash[:12]}) than {told.header.model} "
            f"({told.header.model_hash[:12]}); give every machine the same folder"
        )
    if (victim.rules or None) != told.header.rules_hash:
        raise BadInput(
            f"a worker finds another tokenizer or configuration at {told.model} than {told.header.model}; give every "
            "machine the same folder"
        )


def refuse_other_parts(header: Header, settings: Mapping[str, JsonValue]) -> None:
    """Refuse a sentence encoder or a table of near words that is not the one that was asked about."""
    here, there = settings.get("parts"), header.settings.get("parts")
    if here != there:
        raise BadInput(
            f"a worker builds {header.trial} from other parts ({here}) than whoever asks ({there}); give every machine "
            "the same encoder and UNFOOLED_DATA"
        )
