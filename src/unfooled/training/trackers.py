"""What a run's log gets, trackers get too; beside the engine the only file that imports accelerate.

Trackers (TensorBoard, Weights & Biases, MLflow, trackio) draw curves of a training. The log stays what counts: no run
depends on a tracker, one that fails is said once and left, and none of them is told anything by any process but the
first. A resumed run goes on in the same place, from the step of its checkpoint.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from accelerate.tracking import GeneralTracker, MLflowTracker, TensorBoardTracker, TrackioTracker, WandBTracker

from unfooled.errors import BadInput, nearest, option
from unfooled.files import METRICS, write_whole
from unfooled.journal import flat
from unfooled.parsing import json_file
from unfooled.progress import Display
from unfooled.training.run_folder import RunFolder

PROJECT = "unfooled"  # what runs stand under where they are collected, unless the tracker's own variable says otherwise
MARKS = "trackers.json"  # of a run folder: what its trackers call the run


@dataclass(frozen=True)
class TrackerKind:
    """A kind of tracker: which package brings it (any of these), how one is made, what it calls the run.

    It is made for a run's folder, and for the mark it had before where the run is resumed.
    """

    packages: tuple[str, ...]
    make: Callable[[RunFolder, str | None], GeneralTracker]
    mark: Callable[[Any], str | None] = lambda run: None


def tensorboard(folder: RunFolder, mark: str | None) -> GeneralTracker:
    """Event files in the run folder; what an earlier process wrote of steps that are made again is taken back."""
    first = folder.steps()[0] + 1 if folder.steps() else 0
    return TensorBoardTracker("tensorboard", folder.root, purge_step=first)


def wandb(folder: RunFolder, mark: str | None) -> GeneralTracker:
    """A run of Weights & Biases, where that is told to keep it: on its server, on another, or in files alone."""
    project = os.environ.get("WANDB_PROJECT", PROJECT)
    return WandBTracker(project, name=title(folder), dir=str(folder.root), id=mark, resume="allow")


def mlflow(folder: RunFolder, mark: str | None) -> GeneralTracker:
    """A run of MLflow, where MLFLOW_TRACKING_URI says, or in files here."""
    return MLflowTracker(PROJECT, run_id=mark, run_name=title(folder))


def trackio(folder: RunFolder, mark: str | None) -> GeneralTracker:
    """A run of trackio, which keeps it on this machine."""
    return TrackioTracker(PROJECT, name=mark, resume="allow")


TRACKERS = {
    "tensorboard": TrackerKind(("tensorboard", "tensorboardX"), tensorboard),
    "wandb": TrackerKind(("wandb",), wandb, lambda run: str(run.id)),
    "mlflow": TrackerKind(("mlflow",), mlflow, lambda run: str(run.info.run_id)),
    "trackio": TrackerKind(("trackio",), trackio, lambda run: str(run.name)),
}


def title(folder: RunFolder) -> str:
    """What a person calls the run: its folder's name."""
    return folder.root.resolve().name


def trackers_named(asked: str | Sequence[str] | None) -> tuple[str, ...]:
    """The trackers asked for, in a list or by comma; one that is not known or not installed is refused.

    >>> trackers_named(None), trackers_named(" ")
    ((), ())
    """
    parts = asked.split(",") if isinstance(asked, str) else list(asked or ())
    names = tuple(dict.fromkeys(str(part).strip() for part in parts if str(part).strip()))
    for name in names:
        if name not in TRACKERS:
            raise BadInput(f"there is no tracker called {name} ({option('track')}); {nearest(name, TRACKERS)}")
        if not any(find_spec(package) for package in TRACKERS[name].packages):
            raise BadInput(f"{option('track', name)} needs a package that is not here; run: pip install {name}")
    return names


class Trackers:
    """The trackers of one run, each until it fails."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self.running: dict[str, GeneralTracker] = {}

    def start(self, names: Sequence[str], settings: Mapping[str, Any]) -> None:
        """Open each; a run that begins says how it is trained, one that goes on is found again by its mark."""
        resumed = bool(self.folder.steps())
        marks = stored_marks(self.folder) if resumed else {}
        for name in names:
            tracker = self.attempt(name, TRACKERS[name].make, self.folder, marks.get(name))
            if tracker is not None:
                self.running[name] = tracker
                self.attempt(name, tracker.start)
            if not resumed and name in self.running:
                self.attempt(name, tracker.store_init_configuration, told(settings))
        own = {name: self.attempt(name, self.mark_of, name) for name in list(self.running)}
        kept = marks | {name: mark for name, mark in own.items() if mark is not None}
        if kept:
            write_whole(self.folder.root / MARKS, json.dumps(kept, indent=2) + "\n")

    def mark_of(self, name: str) -> str | None:
        """What a tracker calls the run."""
        return TRACKERS[name].mark(self.running[name].tracker)

    def log(self, line: Mapping[str, Any]) -> None:
        """Tell a line of the log: its numbers, named after the kind of line, at its step."""
        names = [name for name in line if name not in ("step", "kind") and isinstance(line[name], int | float)]
        numbers = {f"{line['kind']}/{name}": float(line[name]) for name in names}
        for name, tracker in list(self.running.items()):
            self.attempt(name, tracker.log, numbers, line["step"])

    def finish(self) -> None:
        """Close each."""
        for name, tracker in list(self.running.items()):
            self.attempt(name, tracker.finish)

    def attempt(self, name: str, act: Callable[..., Any], *given: Any) -> Any:
        """Do something with a tracker; one that fails, however, is named and told nothing more."""
        try:
            return act(*given)
        except Exception as error:  # whatever it raises: a server, a disk, a login that is not there
            self.running.pop(name, None)
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            Display("", 0).say(f"WARNING: {name} failed ({reason}); training goes on, and {METRICS} has every number")
            return None


def stored_marks(folder: RunFolder) -> dict[str, str]:
    """What trackers called the run when it was last under way; nothing where that is not known."""
    try:
        marks = json_file(folder.root / MARKS)
    except (OSError, ValueError):
        return {}
    return {str(name): str(mark) for name, mark in marks.items()} if isinstance(marks, dict) else {}


def told(settings: Mapping[str, Any]) -> dict[str, str | int | float]:
    """Settings by their full names, lists as text: what every tracker can hold."""
    return {
        name: value if isinstance(value, str | int | float) else str(value) for name, value in flat(settings).items()
    }


@contextmanager
def tracked(folder: RunFolder, names: Sequence[str], settings: Mapping[str, Any], first: bool) -> Iterator[None]:
    """While open, trackers are told every line that the log gets, in the first process."""
    if not names or not first:
        yield
        return
    trackers = Trackers(folder)
    trackers.start(names, settings)
    folder.listeners.append(trackers.log)
    try:
        yield
    finally:
        folder.listeners.remove(trackers.log)
        trackers.finish()
