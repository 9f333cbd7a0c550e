"""Bounds of a search: where settings may lie, and the recipes that values drawn there stand for."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError, model_validator

from unfooled.errors import BadInput
from unfooled.parsing import recipe_in
from unfooled.recipe.config import Recipe, recipe_from
from unfooled.recipe.file import overlaid, recipe_folder
from unfooled.settings import Settings


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


DATA, FETCHED = "data", ("model.name", "model.tokenizer")  # what only a person names
Bounds = Mapping[str, Bound]  # by full name, as in "method.step_size"


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
            if room == DATA or f"{room}.{setting}" in FETCHED:
                raise BadInput(
                    f"{path}: {room}.{setting} says what is read or fetched, which a file of bounds never chooses; "
                    "take it out, and name it yourself"
                )
            try:
                bounds[f"{room}.{setting}"] = Bound.model_validate(values)
            except ValidationError as error:
                raise BadInput(f"{path}: {room}.{setting} {error.errors()[0]['msg'].lower()}") from None
    if not bounds:
        raise BadInput(f"{path} holds no bounds; write tables such as [method.step_size] with low and high")
    return bounds
