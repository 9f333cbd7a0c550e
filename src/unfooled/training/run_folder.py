"""A run on disk: its recipe, its metrics, its checkpoints (whole or absent), its model and its summary."""

import json
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import TypeAdapter, ValidationError
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from unfooled.errors import BadInput, either, option
from unfooled.files import METRICS, RECIPE, SUMMARY, naming, synchronise, write_whole
from unfooled.parsing import json_file, json_value, object_in, opened, recipe_in, whole_lines
from unfooled.recipe.config import recipe_from
from unfooled.recipe.plan import AUTO
from unfooled.training.manifest import MANIFEST, check_manifest, write_manifest

SCHEMA = 2
WITHOUT_MANIFEST = 1  # the schema of checkpoints that had none
STEP = re.compile(r"step-[0-9]{1,18}")  # what a checkpoint is called


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


@dataclass(frozen=True)
class Checkpoint:
    """A whole checkpoint: the state, the objective's tensors and the optimiser's."""

    state: State
    objective: Mapping[str, Tensor]
    optimizer: Mapping[str, Tensor]


class RunFolder:
    """The files of one run. Everything is written beside its place and renamed into it."""

    def __init__(self, root: Path, keeps_all: bool = False) -> None:
        self.root, self.keeps_all = root, keeps_all
        self.recipe = root / RECIPE
        self.metrics = root / METRICS
        self.checkpoints = root / "checkpoints"
        self.model = root / "model"
        self.summary = root / SUMMARY
        self.begun_with = root / "begun_with.json"
        self.listeners: list[Callable[[Mapping[str, Any]], None]] = []  # who is told every line of the log

    def open(self, recipe: Mapping[str, Any], resume: bool) -> None:
        """Take the folder for this recipe, or refuse and say why."""
        if self.recipe.is_file() and self.begun:
            if not resume:
                goes_on = either("--resume it", "go on with resume=True")
                raise BadInput(f"{self.root} holds a run already; choose another {option('out')}, or {goes_on}")
            self.refuse_other(recipe)
        elif self.root.exists() and not self.root.is_dir():
            raise BadInput(f"{self.root} is a file; choose another {option('out')}")
        elif not self.recipe.is_file() and self.root.is_dir() and any(self.root.glob("[!.]*")):
            raise BadInput(f"{self.root} is not empty and holds no run of unfooled; choose another {option('out')}")
        self.root.mkdir(parents=True, exist_ok=True)
        if not self.begun:  # first of all files: a folder that holds anything else holds a recipe
            write_whole(self.recipe, tomli_w.dumps(recipe))
        self.checkpoints.mkdir(exist_ok=True)
        for leftover in self.checkpoints.glob(".*"):
            shutil.rmtree(leftover, ignore_errors=True)

    @property
    def begun(self) -> bool:
        """Whether there is something to lose: a recipe alone is an attempt that ended before its first step."""
        return bool(self.steps()) or self.metrics.is_file() or self.model.exists()

    def settle(self, recipe: Mapping[str, Any]) -> None:
        """Keep the recipe with what has been decided since the folder was opened; a begun run has decided already."""
        if self.begun:
            self.refuse_other(recipe)
        else:
            write_whole(self.recipe, tomli_w.dumps(recipe))

    def refuse_other(self, recipe: Mapping[str, Any]) -> None:
        """Refuse settings that the run was not begun with."""
        differing = self.other_settings(recipe)
        if differing:
            raise BadInput(
                f"{self.root} was begun with other settings and cannot be resumed with these: " + "; ".join(differing)
            )

    def other_settings(self, recipe: Mapping[str, Any]) -> list[str]:
        """The settings that differ from those begun with; a rate that is yet to be decided on is no other rate."""
        differing = differences(filled(recipe_in(self.recipe)), recipe)
        undecided = recipe.get("plan", {}).get("learning_rate") == AUTO
        return [one for one in differing if not (undecided and one.startswith("plan.learning_rate:"))]

    def stand_on(self, facts: Mapping[str, str]) -> None:
        """Refuse to go on where the data or the weights a run began with are no longer the same."""
        if not self.steps():
            write_whole(self.begun_with, json.dumps(facts, indent=2) + "\n")
            return
        begun = object_in(self.begun_with, "begin the run anew in another folder") if self.begun_with.is_file() else {}
        differing = differences(begun, facts)
        if differing:
            raise BadInput(f"{self.root} was begun with something else and cannot be resumed: " + "; ".join(differing))

    def steps(self) -> list[int]:
        """The steps of all whole checkpoints, newest first."""
        names = (path.name for path in self.checkpoints.glob("step-*"))
        return sorted((int(name[5:]) for name in names if STEP.fullmatch(name)), reverse=True)

    def save(self, state: State, objective: Mapping[str, Tensor], optimizer: Mapping[str, Tensor]) -> None:
        """Write a checkpoint whole or not at all; then keep only it and the best, unless all are to be kept."""
        place = self.checkpoints / f"step-{state.step}"
        if place.exists() and not json_file(place / "state.json").get("look_due"):
            return  # the same step has the same bits
        writing = self.checkpoints / f".writing-step-{state.step}"
        try:
            shutil.rmtree(writing, ignore_errors=True)
            writing.mkdir(parents=True)
            for name, tensors in (("objective", objective), ("optimizer", optimizer)):
                save_file(unshared(tensors), writing / f"{name}.safetensors")
                synchronise(writing / f"{name}.safetensors")
            write_whole(writing / "state.json", json.dumps({"schema": SCHEMA, **asdict(state)}))
            write_manifest(writing, self.recipe)
            synchronise(writing)
            if place.exists():  # of a look that was stopped
                self.remove(state.step)
            writing.rename(place)
            synchronise(self.checkpoints)
        except (OSError, SafetensorError) as error:
            shutil.rmtree(writing, ignore_errors=True)
            kept = f"step {self.steps()[0]} is whole" if self.steps() else "there is no earlier one"
            raise BadInput(
                f"the checkpoint of step {state.step} could not be written to {self.checkpoints} ({error}); "
                f"{kept}; make room and run again with {either('--resume', 'resume=True')}"
            ) from error
        for step in self.steps():
            if not self.keeps_all and step not in (state.step, state.best_step):
                self.remove(step)

    def remove(self, step: int) -> None:
        """Delete a checkpoint; it stops being one before its first file goes."""
        leaving = self.checkpoints / f".removing-step-{step}"
        shutil.rmtree(leaving, ignore_errors=True)
        (self.checkpoints / f"step-{step}").rename(leaving)
        shutil.rmtree(leaving, ignore_errors=True)

    def load(self, step: int) -> Checkpoint:
        """A checkpoint by its step."""
        place = self.checkpoints / f"step-{step}"
        try:
            stored = json_file(place / "state.json")
            schema = stored.pop("schema") if isinstance(stored, dict) else None
            if schema not in (SCHEMA, WITHOUT_MANIFEST):
                raise BadInput(f"{place} was written by another version of unfooled; finish the run with that one")
            if schema == SCHEMA or (place / MANIFEST).exists():
                check_manifest(place, self.recipe)
            state = state_of(stored)
            if state.step != step:
                raise BadInput(f"the checkpoint {place} is of step {state.step}; delete it to resume earlier")
            tensors = [load_file(place / f"{name}.safetensors") for name in ("objective", "optimizer")]
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            raise BadInput(f"the checkpoint {place} cannot be read ({error}); delete it to resume earlier") from None
        return Checkpoint(state, *tensors)

    def check_best(self, state: State) -> None:
        """Refuse a state whose best weights are gone or damaged: it would be told when all is trained, hours later."""
        if state.best_step in (0, state.step):
            return
        if state.best_step not in self.steps():
            place = self.checkpoints / f"step-{state.step}"
            raise BadInput(
                f"the checkpoint {place} cannot be gone on with: that of its best step {state.best_step} is gone; "
                "delete it to resume earlier"
            )
        self.load(state.best_step)

    def log(self, **values: Any) -> None:
        """Append one line to metrics.jsonl, and tell it to whoever listens."""
        with naming(self.metrics), self.metrics.open("a", encoding="utf-8") as file:
            file.write(json.dumps(values) + "\n")
        for listener in self.listeners:
            listener(values)

    def forget_after(self, step: int) -> None:
        """Drop metric lines of steps that will be made again, and a line a kill left half-written."""
        if not self.metrics.is_file():
            return
        kept = []
        with opened(self.metrics) as file:
            for line in whole_lines(file, str(self.metrics)):
                try:
                    if json_value(line, finite=False)["step"] <= step:
                        kept.append(line.decode())
                except ValueError:
                    break
                except (KeyError, TypeError):
                    raise BadInput(f"{self.metrics} is not from a run of unfooled; take it out of the folder") from None
        write_whole(self.metrics, "".join(kept))


def filled(recipe: dict[str, Any]) -> dict[str, Any]:
    """A recipe as it was written with what has become a setting since, at its default; as it is where it is none."""
    try:
        return recipe_from(recipe).to_mapping()
    except BadInput:
        return recipe


def state_of(stored: Mapping[str, Any]) -> State:
    """The state that a checkpoint holds, each of its values of the right kind; else a ValueError says which is not."""
    strange = sorted(stored.keys() - {one.name for one in fields(State)})
    if strange:
        raise ValueError(f"its state has a {strange[0][:40]}")
    try:
        return STATE.validate_python(stored)
    except ValidationError as error:
        raise ValueError(f"its state has no {error.errors()[0]['loc'][0]} that can be used") from None


def unshared(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors with each storage once: tied weights are stored under their first name."""
    seen: set[tuple[int, int]] = set()
    kept = {}
    for name, tensor in tensors.items():
        key = (tensor.data_ptr(), tensor.numel())
        if tensor.numel() == 0 or key not in seen:
            seen.add(key)
            kept[name] = tensor.detach().contiguous()
    return kept


def differences(before: Mapping[str, Any], now: Mapping[str, Any], path: str = "") -> list[str]:
    """The settings in which two recipes differ, each as "a.b: 1 → 2".

    >>> differences({"plan": {"epochs": 2}}, {"plan": {"epochs": 3}, "seed": 0})
    ['plan.epochs: 2 → 3', 'seed: (not set) → 0']
    """
    differing = []
    for key in sorted({*before, *now}):
        old, new = before.get(key, "(not set)"), now.get(key, "(not set)")
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            differing += differences(old, new, f"{path}{key}.")
        elif old != new:
            differing.append(f"{path}{key}: {old} → {new}")
    return differing
