"""Where a run stands, as a checkpoint holds it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from pydantic import TypeAdapter, ValidationError


@dataclass
class State:
    """Where a run stands; with the weights and the optimiser's tensors, all that a restart needs."""

    step: int = 0
    best_score: float | None = None
    best_step: int = 0
    since_best: int = 0
    kept: float | None = None  # of the look chosen, the score that must not be lost for the sake of the best
    highest: float | None = None  # of all looks, that score
    skipped: int = 0  # updates left out because their gradient was no number
    skipped_in_a_row: int = 0
    finished: bool = False
    look_due: bool = False  # the validation split is yet to be looked at: a stop came meanwhile
    tally: dict[str, list[float]] = field(default_factory=dict)  # sums and counts since the last log line
    report: dict[str, Any] = field(default_factory=dict)  # what the method says of itself at the end


STATE = TypeAdapter(State)


def state_of(stored: Mapping[str, Any]) -> State:
    """The state that a checkpoint holds, each of its values of the right kind; else a ValueError says which is not."""
    strange = sorted(stored.keys() - {one.name for one in fields(State)})
    if strange:
        raise ValueError(f"its state has a {strange[0][:40]}")
    try:
        return STATE.validate_python(stored)
    except ValidationError as error:
        raise ValueError(f"its state has no {error.errors()[0]['loc'][0]} that can be used") from None
