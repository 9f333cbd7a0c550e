"""What a person calls to search for hyper-parameters: the same number of trainings for every method, by validation."""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import ValidationError, model_validator

from unfooled.commands.compare import check
from unfooled.commands.train import train_recipe
from unfooled.errors import BadInput, option
from unfooled.files import LOCK, SUMMARY, held, owned, versions, write_whole
from unfooled.journal import cut
from unfooled.parsing import object_in, recipe_in
from unfooled.recipe.config import Recipe, recipe_from
from unfooled.recipe.file import overlaid, recipe_folder
from unfooled.seeds import digest
from unfooled.settings import NONE, Settings

KIND, SCHEMA = "unfooled search", 1
MISSING = "a search needs optuna; install it with: pip install 'unfooled[tune]'"


class Bound(Settings):
    """Where a setting is searched: between two numbers (whole ones if both are), or among choices.

    ``zero`` is what a 0 stands for, as "none" where a paper writes 0 for unlimited.
    """

    low: int | float | None = None
    high: int | float | None = None
    step: float | None = None
    log: bool = False
    choices: tuple[str | float | int | bool, ...] = ()
    zero: str | None = None

    @model_validator(mode="after")
    def one_kind(self) -> "Bound":
        """Refuse bounds that are neither an interval nor choices."""
        if bool(self.choices) == (self.low is not None and self.high is not None):
            raise ValueError("give low and high, or choices")
        if not self.choices and not float(self.low or 0) < float(self.high or 0):
            raise ValueError("low must be below high")
        if self.log and (self.step is not None or float(self.low or 0) <= 0):
            raise ValueError("log needs low above 0 and no step")
        return self

    def drawn(self, trial: Any, name: str) -> Any:
        """A value of this setting for one trial of optuna's."""
        if self.choices:
            return trial.suggest_categorical(name, self.choices)
        if isinstance(self.low, int) and isinstance(self.high, int):
            value = trial.suggest_int(name, self.low, self.high, step=int(self.step or 1), log=self.log)
        else:
            value = trial.suggest_float(name, float(self.low or 0), float(self.high or 0), step=self.step, log=self.log)
        return self.zero if value == 0 and self.zero is not None else value


Bounds = Mapping[str, Bound]  # by full name, as in "method.step_size"


@dataclass(frozen=True)
class BestTraining:
    """The best of a method's trainings: its validation score, its settings, and the recipe to train with."""

    method: str
    score: float
    trials: int
    settings: Mapping[str, Any]
    recipe: Path


def tune(
    base: Mapping[str, Any],
    methods: Sequence[str],
    bounds: Bounds,
    out: str | Path,
    trials: int = 10,
    seed: int = 0,
    wait: bool = False,
) -> list[BestTraining]:
    """Search for each method within the bounds; ``trials`` trainings each, resumed where an earlier call stopped.

    ``base`` is a recipe without what is searched. Bounds that a method has no setting for are left out for it. A
    method that another process is searching for is waited for with ``wait``, else refused.
    """
    check(methods, 1, least=1)
    if trials < 1:
        raise BadInput(f"{option('trials')} {trials} trains nothing; give at least 1")
    folder = Path(out)
    plan = {
        "bounds": {name: bound.model_dump(mode="json") for name, bound in bounds.items()},
        "base": dict(base),
        "seed": seed,
    }
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file; choose another {option('out')}")
    with held(folder / LOCK, wait=True):  # for the moment that it takes
        refuse_other(folder, plan)
    best = []
    for method in methods:
        with owned(folder / method, wait=wait):
            best.append(search(base, method, bounds, folder / method, trials, seed))
    facts = [{**vars(one), "recipe": str(one.recipe), "settings": dict(one.settings)} for one in best]
    whole = {"kind": KIND, "schema": SCHEMA, "versions": versions(), "found": facts}
    with held(folder / LOCK, wait=True):
        write_whole(folder / SUMMARY, json.dumps(whole, indent=2) + "\n")
    return best


def search(base: Mapping[str, Any], method: str, bounds: Bounds, folder: Path, trials: int, seed: int) -> BestTraining:
    """One method's trainings."""
    optuna = imported()
    own = {name: bound for name, bound in bounds.items() if has(base, method, name)}
    if not own:
        raise BadInput(f"{method} has none of the settings {', '.join(bounds)}; give bounds of its own")
    study = opened(optuna, folder / "search.jsonl", method)
    while (trial := unfinished(optuna, study)) is not None or len(study.trials) < trials:
        trial = trial or study.ask()
        for name, bound in own.items():
            # Seeded by number and name, so that a search killed in the midst of a draw draws what an unbroken one does.
            study.sampler = optuna.samplers.TPESampler(
                seed=digest(seed, method, trial.number, name) % 2**32, n_startup_trials=5
            )
            bound.drawn(trial, name)
        study.tell(trial, score(recipe_of(base, method, own, trial.params, seed), folder, trial.number))
        forget_models(folder, study.best_trial.number)
    best = study.best_trial
    forget_models(folder, best.number)  # again: a kill may have come between the last training and this
    recipe = recipe_of(base, method, own, best.params, seed)
    write_whole(folder / "best.toml", tomli_w.dumps(recipe.to_mapping()))
    return BestTraining(method, float(best.value), len(study.trials), meant(own, best.params), folder / "best.toml")


def opened(optuna: Any, path: Path, method: str) -> Any:
    """The study in a file that only this process writes to; a line that a kill left half-written is cut off.

    optuna's own lock would outlive a process that was killed while it had it.
    """
    cut(path)
    backend = optuna.storages.journal.JournalFileBackend(str(path), lock_obj=AlreadyLocked())
    return optuna.create_study(
        storage=optuna.storages.JournalStorage(backend), study_name=method, direction="maximize", load_if_exists=True
    )


class AlreadyLocked:
    """A lock of optuna's for a file whose folder is locked."""

    def acquire(self) -> bool:
        """It is ours."""
        return True

    def release(self) -> None:
        """It stays ours."""


def unfinished(optuna: Any, study: Any) -> Any:
    """A trial that a killed call began, None where there is none: what it drew stays drawn, its training goes on."""
    begun = optuna.trial.TrialState.RUNNING
    for left in study.get_trials(deepcopy=False, states=(begun,)):
        return optuna.trial.Trial(study, left._trial_id)
    return None


def imported() -> Any:
    """optuna, quiet; or the sentence that says how to get it."""
    try:
        import optuna
    except ImportError:
        raise BadInput(MISSING) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna


def meant(bounds: Bounds, values: Mapping[str, Any]) -> dict[str, Any]:
    """What drawn values stand for."""
    return {
        name: bounds[name].zero if value == 0 and bounds[name].zero is not None else value
        for name, value in values.items()
    }


def recipe_of(base: Mapping[str, Any], method: str, bounds: Bounds, values: Mapping[str, Any], seed: int) -> Recipe:
    """The base recipe with a method and drawn values."""
    over: dict[str, Any] = {"method": {"name": method}, "seed": seed}
    for name, value in meant(bounds, values).items():
        room, _, setting = name.partition(".")
        over.setdefault(room, {})[setting] = value
    return recipe_from(overlaid(base, over))


def has(base: Mapping[str, Any], method: str, name: str) -> bool:
    """Whether a method's recipe has a setting; only those of the method itself may be missing."""
    room, _, setting = name.partition(".")
    known = recipe_from(overlaid(base, {"method": {"name": method}})).to_mapping()
    if room != "method" and setting not in known.get(room, {}):
        raise BadInput(f"there is no setting {name} to search; settings are method.…, plan.… and model.…")
    return setting in known[room]


def score(recipe: Recipe, folder: Path, number: int) -> float:
    """The validation score of one training, made or gone on with unless it is finished."""
    run = folder / f"trial-{number}"
    if not (run / SUMMARY).is_file():
        train_recipe(recipe, run, resume=True)
        shutil.rmtree(run / "checkpoints", ignore_errors=True)
    summary = object_in(run / SUMMARY, "delete that training to have it made again")
    try:
        scores = summary["scores"]
        return float(next(one["value"] for name, one in scores.items() if name.startswith("validation")))
    except (AttributeError, KeyError, TypeError, ValueError, StopIteration):
        raise BadInput(f"{run / SUMMARY} has no validation score; delete that training to have it made again") from None


def forget_models(folder: Path, best: int) -> None:
    """Delete the weights of all trainings but the best; their records stay."""
    for run in folder.glob("trial-*"):
        if run.name != f"trial-{best}":
            shutil.rmtree(run / "model", ignore_errors=True)


def refuse_other(folder: Path, plan: Mapping[str, Any]) -> None:
    """Refuse a folder with a search of other bounds; write down these otherwise."""
    path, now = folder / "search.json", json.loads(json.dumps(plan))
    if path.is_file():
        before = object_in(path, f"choose another {option('out')}")
        differing = [name for name in now if before.get(name) != now[name]]
        if differing:
            raise BadInput(
                f"{folder} holds a search with another {' and '.join(differing)}; choose another {option('out')}"
            )
        return
    write_whole(path, json.dumps(now, indent=2) + "\n")


def read_bounds(name: str) -> dict[str, Bound]:
    """Bounds from a TOML file or a name that comes along: tables such as [method.step_size] with low and high."""
    coming_along = recipe_folder() / "bounds" / f"{name}.toml"
    path = Path(name) if Path(name).exists() or not coming_along.is_file() else coming_along
    try:
        raw = recipe_in(path)
    except FileNotFoundError:
        raise BadInput(f"no bounds at {path}; carl-table8 comes along") from None
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); check the path and permissions") from None
    bounds = {}
    for room, settings in raw.items():
        for setting, values in settings.items() if isinstance(settings, dict) else ():
            try:
                bounds[f"{room}.{setting}"] = Bound.model_validate(values)
            except ValidationError as error:
                raise BadInput(f"{path}: {room}.{setting} {error.errors()[0]['msg'].lower()}") from None
    if not bounds:
        raise BadInput(f"{path} holds no bounds; write tables such as [method.step_size] with low and high")
    return bounds


__all__ = ["NONE", "BestTraining", "Bound", "read_bounds", "tune"]
