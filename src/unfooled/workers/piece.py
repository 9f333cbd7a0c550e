"""A piece of work as it travels: some units of a trial by their places, with the units themselves.

So a worker holds, reads and checks what it works on, however many units there are. Groups of units that a trial
computes in one go come whole, those that are done too: a batch is then the batch of one process.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pydantic import JsonValue, TypeAdapter

from unfooled.errors import BadInput
from unfooled.results.planned import Planned
from unfooled.trials.groups import made_of_part
from unfooled.trials.inputs import hash_units
from unfooled.trials.trial import Trial, TrialRun
from unfooled.workers.assignment import plain_unit, units_of

BEGINS = b'{"places":'


class UnitGroup(NamedTuple):
    """Units that are computed in one go, those whose records are wanted, and how many workers were lost at them."""

    whole: Sequence[int]
    wanted: Sequence[int]
    losses: int = 0


@dataclass(frozen=True)
class WorkPiece:
    """Places of units in rising order, those of them that are done, and the units, by whose hash they are checked.

    Of a trial whose workers have all units (``Trial.among_all``) there are only the places that are wanted.
    """

    places: list[int]
    done: list[int]
    units: list[tuple[str, JsonValue]]
    hash: str


PIECE = TypeAdapter(WorkPiece)


def piece_of(job: Planned, groups: Sequence[UnitGroup]) -> bytes:
    """Groups as a worker is given them."""
    wanted = {place for group in groups for place in group.wanted}
    if job.trial.among_all:
        return PIECE.dump_json(WorkPiece(sorted(wanted), [], [], ""))
    places = sorted(place for group in groups for place in group.whole)
    units = [job.run.units[place] for place in places]
    done = [place for place in places if place not in wanted]
    return PIECE.dump_json(WorkPiece(places, done, [plain_unit(unit) for unit in units], hash_units(units)))


def is_piece(question: bytes) -> bool:
    """Whether a worker is asked to work on a piece."""
    return question.startswith(BEGINS)


def records_of(piece: WorkPiece, trial: Trial, run: TrialRun) -> Iterator[Any]:
    """The records of a piece; ``run`` holds all units where the trial needs them, else none."""
    if trial.among_all:
        yield from trial.run(run, frozenset(range(len(run.units))) - set(piece.places))
        return
    fits = trial.calibrate is not None and run.victim.logits
    assert run.temperature is not None or not fits, "a temperature is that of all units"
    units = units_of(piece.units)
    refuse_other_units(units, piece.hash, trial.unit)
    yield from made_of_part(trial.run, replace(run, units=units), piece.places, piece.done)


def refuse_other_units(units: Sequence[Any], told: str, unit: str) -> None:
    """Refuse units that do not come out as they went in."""
    if hash_units(units) != told:
        raise BadInput(
            f"a worker has read another {unit} than it was sent; give all machines the same version of unfooled"
        )
