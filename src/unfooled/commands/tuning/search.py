"""One method's trainings as several processes share them: an optuna study in a file, a folder for each training.

The file is its own lock: whoever looks at the study or changes it has the file to itself meanwhile, and the system lets
go of it when that process ends, however it ends. A training is alive as long as its folder is locked; one that was
begun, has not ended and is not locked is gone on with under its own number.
"""

import math
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unfooled.commands.train import train_recipe
from unfooled.commands.tuning.bounds import Bounds, recipe_of
from unfooled.errors import BadInput, Diverged
from unfooled.files import SUMMARY, alone, in_other_hands, turn, write_whole
from unfooled.journal import cut
from unfooled.parsing import object_in
from unfooled.progress import Display
from unfooled.recipe.config import Recipe, recipe_from
from unfooled.seeds import digest

MISSING = "a search needs optuna; install it with: pip install 'unfooled[tune]'"
DIVERGED = "diverged.txt"  # in the folder of a training that led nowhere: why
STARTUP = 5  # trainings that are drawn at random; later ones by what did well


@dataclass
class Search:
    """The trainings of one method, of which there are to be so many."""

    base: Mapping[str, Any]
    method: str
    bounds: Bounds  # those that the method has settings for
    folder: Path
    trials: int
    seed: int
    mine: set[int] = field(default_factory=set)  # trainings that processes of this call are at
    others: list[int] = field(default_factory=list)  # those that others were at when one was last taken
    done: int = 0

    @property
    def complete(self) -> bool:
        """Whether there is nothing left to train, as far as is known."""
        return self.done >= self.trials and not self.mine and not self.others

    def run(self, number: int) -> Path:
        """The folder of a training."""
        return self.folder / f"trial-{number}"

    @contextmanager
    def study(self) -> Iterator[Any]:
        """The study, which nobody else reads or writes meanwhile."""
        optuna, journal = imported(), self.folder / "search.jsonl"
        self.folder.mkdir(parents=True, exist_ok=True)
        with turn(journal):
            yield opened(optuna, journal, self.method)

    def take(self) -> tuple[int, Recipe] | None:
        """A training that nobody is at, by its number: one that was left, or else a new one; None where none is due."""
        with self.study() as study:
            self.look(study)
            left = [trial for trial in begun(study) if trial.number not in (*self.mine, *self.others)]
            if left:  # what it drew stays drawn
                trial = imported().trial.Trial(study, left[0]._trial_id)
            elif len(study.get_trials(deepcopy=False)) < self.trials:
                trial = study.ask()
            else:
                return None
            self.draw(study, trial)
            self.mine.add(trial.number)
            return trial.number, recipe_of(self.base, self.method, self.bounds, trial.params, self.seed)

    def look(self, study: Any) -> None:
        """Count what is done, and see what others are at."""
        self.others = [
            trial.number
            for trial in begun(study)
            if trial.number not in self.mine and in_other_hands(self.run(trial.number))
        ]
        self.done = len(study.get_trials(deepcopy=False)) - len(begun(study))

    def draw(self, study: Any, trial: Any) -> None:
        """Draw the settings of a training that it has not drawn yet."""
        optuna = imported()
        for name, bound in self.bounds.items():
            # Seeded by number and name, so that a search killed in the midst of a draw draws what an unbroken one does.
            number = digest(self.seed, self.method, trial.number, name) % 2**32
            study.sampler = optuna.samplers.TPESampler(seed=number, n_startup_trials=STARTUP)
            bound.drawn(trial, name)

    def finish(self, number: int) -> None:
        """A training has ended: tell the study its score, unless another process has, and forget worse models.

        One that diverged has none; it counts as made, and is not made again.
        """
        diverged = (self.run(number) / DIVERGED).is_file()
        value = None if diverged else score(self.run(number))
        with self.study() as study:
            if any(trial.number == number for trial in begun(study)):
                # Pruned and not failed: what is drawn later keeps away from there.
                study.tell(number, value, imported().trial.TrialState.PRUNED if diverged else None)
            self.mine.discard(number)
            forget_models(study, self.folder)
            self.look(study)

    def best(self) -> tuple[float, int, dict[str, Any]]:
        """The best score, of how many trainings, and what was drawn for it."""
        with self.study() as study:
            forget_models(study, self.folder)  # again: a kill may have come between the last training and this
            if (best := best_of(study)) is None:
                raise Diverged(
                    f"all {self.done} trainings of {self.method} in {self.folder} diverged; search lower learning "
                    "rates or radii, in another folder"
                )
            return float(best.value), len(study.get_trials(deepcopy=False)), dict(best.params)


def opened(optuna: Any, path: Path, method: str) -> Any:
    """The study in a file that only this process writes to; a line that a kill left half-written is cut off.

    optuna's own lock would outlive a process that was killed while it had it.
    """
    cut(path)
    backend = optuna.storages.journal.JournalFileBackend(str(path), lock_obj=AlreadyLocked())
    storage = optuna.storages.JournalStorage(backend)
    if method in optuna.get_all_study_names(storage):  # else each look would leave a line
        return optuna.load_study(study_name=method, storage=storage)
    return optuna.create_study(storage=storage, study_name=method, direction="maximize")


class AlreadyLocked:
    """A lock of optuna's for a file that is locked."""

    def acquire(self) -> bool:
        """It is ours."""
        return True

    def release(self) -> None:
        """It stays ours."""


def begun(study: Any) -> list[Any]:
    """The trainings that were begun and of which no score is told."""
    return list(study.get_trials(deepcopy=False, states=(imported().trial.TrialState.RUNNING,)))


def imported() -> Any:
    """optuna, quiet; or the sentence that says how to get it."""
    try:
        import optuna
    except ImportError:
        raise BadInput(MISSING) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def train_trial(recipe: Mapping[str, Any], run: str) -> None:
    """A training of a search as a worker is told of it: a recipe and a folder."""
    train_one(recipe_from(recipe), Path(run))


def train_one(recipe: Recipe, run: Path) -> None:
    """A training, made or gone on with unless it is finished; nobody else is at it."""
    with alone(run):
        if not (run / SUMMARY).is_file() and not (run / DIVERGED).is_file():
            try:
                train_recipe(recipe, run, resume=True)
            except Diverged as error:  # the search goes on: that these settings lead nowhere is what it has found
                write_whole(run / DIVERGED, f"{error}\n")
                Display("", 0).say(f"warning: {run.name}: {error}")
        shutil.rmtree(run / "checkpoints", ignore_errors=True)


def score(run: Path) -> float:
    """The validation score of a training."""
    summary = object_in(run / SUMMARY, "delete that training to have it made again")
    try:
        scores = summary["scores"]
        value = float(next(one["value"] for name, one in scores.items() if name.startswith("validation")))
        if not math.isfinite(value):
            raise ValueError("no number")
        return value
    except (AttributeError, KeyError, TypeError, ValueError, StopIteration):
        raise BadInput(f"{run / SUMMARY} has no validation score; delete that training to have it made again") from None


def best_of(study: Any) -> Any:
    """The training with the best score; None where none has one."""
    scored = study.get_trials(deepcopy=False, states=(imported().trial.TrialState.COMPLETE,))
    return study.best_trial if scored else None


def forget_models(study: Any, folder: Path) -> None:
    """Delete the weights of all trainings whose score is known but the best; their records stay."""
    best = best_of(study)
    kept = [trial.number for trial in (*begun(study), *([] if best is None else [best]))]
    for run in folder.glob("trial-*"):
        if run.name not in {f"trial-{number}" for number in kept}:
            shutil.rmtree(run / "model", ignore_errors=True)
