"""A run on disk: its recipe, its metrics, its checkpoints (whole or absent), its model and its summary."""

import json
import re
import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import tomli_w
from safetensors import SafetensorError
from safetensors.torch import save_file
from torch import Tensor

from unfooled.errors import BadInput, either, option
from unfooled.files import METRICS, RECIPE, SUMMARY, naming, refuse_link, synchronise, write_whole
from unfooled.parsing import json_file, json_value, object_in, opened, recipe_in, whole_lines
from unfooled.recipe.config import recipe_from
from unfooled.recipe.plan import AUTO
from unfooled.training.manifest import check_manifest, write_manifest
from unfooled.training.pieces import Stored, StoredTensor, Writers, piece_file, piece_files
from unfooled.training.pieces import unshared as unshared
from unfooled.training.state import State as State
from unfooled.training.state import state_of

SCHEMA = 2
STEP = re.compile(r"step-[0-9]{1,18}")  # what a checkpoint is called


@dataclass(frozen=True)
class Checkpoint:
    """A whole checkpoint: the state, the objective's tensors and the optimiser's."""

    state: State
    objective: Mapping[str, StoredTensor]
    optimizer: Mapping[str, StoredTensor]


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

    def decided(self, name: str) -> Any:
        """What a begun run has decided on for a setting of its plan; None where nothing has begun."""
        return filled(recipe_in(self.recipe))["plan"][name] if self.begun and self.recipe.is_file() else None

    def refuse_other(self, recipe: Mapping[str, Any]) -> None:
        """Refuse settings that the run was not begun with."""
        differing = self.other_settings(recipe)
        if differing:
            raise BadInput(
                f"{self.root} was begun with other settings and cannot be resumed with these: " + "; ".join(differing)
            )

    def other_settings(self, recipe: Mapping[str, Any]) -> list[str]:
        """The settings that differ from those begun with.

        What is yet to be decided on is nothing else, and any engine goes on with what another one began.
        """
        undecided = [name for name, value in recipe.get("plan", {}).items() if value == AUTO]
        free = tuple(f"plan.{name}:" for name in ("engine", *undecided))
        return [one for one in differences(filled(recipe_in(self.recipe)), recipe) if not one.startswith(free)]

    def stand_on(self, facts: Mapping[str, str]) -> None:
        """Refuse to go on where the data or the weights a run began with are no longer the same."""
        if not self.steps():
            write_whole(self.begun_with, json.dumps(facts, indent=2) + "\n")
            return
        begun = object_in(self.begun_with, "begin the run anew in another folder") if self.begun_with.is_file() else {}
        differing = differences(begun, facts)
        if differing:
            how = f"begin anew with another {option('out')}"
            raise BadInput(
                f"{self.root} was begun with something else and is not resumed: {'; '.join(differing)}; {how}"
            )

    def steps(self) -> list[int]:
        """The steps of all whole checkpoints, newest first."""
        names = (path.name for path in self.checkpoints.glob("step-*"))
        return sorted((int(name[5:]) for name in names if STEP.fullmatch(name)), reverse=True)

    def save(
        self,
        state: State,
        objective: Mapping[str, Tensor],
        optimizer: Mapping[str, Tensor],
        writers: Writers | None = None,
    ) -> None:
        """Write a checkpoint whole or not at all; then keep only it and the best, unless all are to be kept.

        Several ``writers`` call this at once, each with its own pieces; what one of them cannot write none has written.
        """
        rank, count, agreed = (0, 1, bool) if writers is None else (writers.rank, writers.count, writers.any)
        place, writing = (self.checkpoints / f"{begun}step-{state.step}" for begun in ("", ".writing-"))
        if agreed(rank == 0 and place.exists() and not json_file(place / "state.json").get("look_due")):
            return  # the same step has the same bits

        def begin() -> None:
            shutil.rmtree(writing, ignore_errors=True)
            writing.mkdir(parents=True)

        def write() -> None:
            for kind, tensors in (("objective", objective), ("optimizer", optimizer)):
                file = writing / piece_file(kind, rank, count)
                save_file(unshared(tensors), file)
                synchronise(file)

        for task in (begin if rank == 0 else None, write, partial(self.publish, state, writing) if rank == 0 else None):
            error = failure(task)
            if agreed(error is not None):
                raise self.not_written(state, writing, error) from error
        if rank == 0:
            self.keep_only(state)

    def keep_only(self, state: State) -> None:
        """Delete all checkpoints but that of a state and its best one, unless all are to be kept."""
        for step in self.steps():
            if not self.keeps_all and step not in (state.step, state.best_step):
                self.remove(step)

    def publish(self, state: State, writing: Path) -> None:
        """Complete a checkpoint of which all tensors are written, and put it in its place."""
        write_whole(writing / "state.json", json.dumps({"schema": SCHEMA, **asdict(state)}))
        write_manifest(writing, self.recipe)
        synchronise(writing)
        place = self.checkpoints / f"step-{state.step}"
        if place.exists():  # of a look that was stopped
            self.remove(state.step)
        writing.rename(place)
        synchronise(self.checkpoints)

    def not_written(self, state: State, writing: Path, error: Exception | None) -> BadInput:
        """The sentence for a checkpoint that could not be written, by this process or by another one."""
        shutil.rmtree(writing, ignore_errors=True)
        kept = f"step {self.steps()[0]} is whole" if self.steps() else "there is no earlier one"
        return BadInput(
            f"the checkpoint of step {state.step} could not be written to {self.checkpoints} "
            f"({error or 'by another process'}); {kept}; make room and run again with "
            + either("--resume", "resume=True")
        )

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
            if schema != SCHEMA:
                raise BadInput(f"{place} was written by another version of unfooled; finish the run with that one")
            check_manifest(place, self.recipe)
            state = state_of(stored)
            if state.step != step:
                raise BadInput(f"the checkpoint {place} is of step {state.step}; delete it to resume earlier")
            tensors = [Stored(piece_files(place, kind)) for kind in ("objective", "optimizer")]
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
        refuse_link(self.metrics)
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


def failure(task: Callable[[], None] | None) -> Exception | None:
    """What kept a part of a checkpoint from being written, if anything did."""
    try:
        if task is not None:
            task()
    except (OSError, SafetensorError) as error:
        return error
    return None


def filled(recipe: dict[str, Any]) -> dict[str, Any]:
    """A recipe as it was written with what has become a setting since, at its default; as it is where it is none."""
    try:
        return recipe_from(recipe).to_mapping()
    except BadInput:
        return recipe


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
