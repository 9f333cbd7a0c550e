"""A job the loop can do, however the data is read and the network judged."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from unfooled.data.batches.address import SMALLEST_LAST, Batches
from unfooled.errors import BadInput
from unfooled.methods.objective import Objective, TrainingTask
from unfooled.recipe.config import Recipe
from unfooled.recipe.plan import Plan
from unfooled.scores.score import Score
from unfooled.training.engine import Processes
from unfooled.training.loop import planned_steps
from unfooled.training.run_folder import State
from unfooled.training.temperature import Calibration
from unfooled.types import Evaluation


@dataclass(frozen=True)
class Job:
    """One task on one set of data, ready for the loop: what is trained, on what, how it is judged and kept."""

    data: str  # its name
    data_hash: str
    model_hash: Callable[[], str]  # of the weights as they are now
    build: Callable[[], Objective]
    loader: Batches
    look: Callable[[], Evaluation]  # at the validation split
    scores: Callable[[State], Mapping[str, Score]]  # of the weights chosen: on validation and, once, on test
    save: Callable[[Path, str], None]  # a Hugging Face folder, with this model card
    facts: Mapping[str, Any] = field(default_factory=dict)  # what the summary says besides
    notes: tuple[str, ...] = ()
    # Once the weights are chosen, whether a temperature is to be folded in or kept; None: nothing to calibrate.
    calibrate: Callable[[bool], Calibration] | None = None
    from_nothing: bool = False  # the network has no weights yet that anyone trained
    stands_on: Mapping[str, str] = field(default_factory=dict)  # hashes that a resumed run must find again


def objective_of(recipe: Recipe, model: Any, loader: Batches, processes: Processes, **known: Any) -> Objective:
    """The method's objective over a model, told what it may know; running text has no classes and no labels."""
    told = {"classes": 0, "labels": torch.zeros(0), "steps": planned_steps(recipe.plan, loader), "seed": recipe.seed}
    return recipe.method.build(model, TrainingTask(**{**told, **known})).to(processes.device)


def addressed(recipe: Recipe, processes: Processes) -> dict[str, Any]:
    """How batches are addressed: by the seed, and shared out over the passes of an update and over processes."""
    taken = {"rank": processes.rank, "processes": processes.count}
    return {"seed": recipe.seed, "accumulation": recipe.plan.accumulation, **taken}


def choice(plan: Plan, able: Sequence[str]) -> str:
    """The score that weights are chosen by: the plan's, or the task's first."""
    if plan.choose_by is None:
        return able[0]
    wanted = plan.choose_by.replace("_", " ")
    if wanted not in able:
        raise BadInput(f"plan.choose_by = {plan.choose_by!r} is no score of this task; it has {', '.join(able)}")
    return wanted


def check_processes(plan: Plan, examples: int, processes: Processes) -> None:
    """Refuse batches that leave a process without examples."""
    smallest = SMALLEST_LAST * processes.count
    if processes.count > 1 and min(plan.batch_size, examples) < smallest:
        raise BadInput(
            f"{processes.count} processes need batches of at least {smallest} examples; raise plan.batch_size"
        )
