"""A run as frozen typed settings ⇄ TOML; names become objects here and nowhere else."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from unfooled.data.datasets import DataSettings
from unfooled.errors import BadInput, nearest
from unfooled.methods import METHODS, Finetune, Method
from unfooled.models.encoders.pretrained import ModelSettings
from unfooled.settings import NONE, Settings, nones, settings_from
from unfooled.training.plan import Plan


class Recipe(Settings):
    """Everything that decides what a training run computes."""

    data: DataSettings
    model: ModelSettings = ModelSettings()
    method: Method = Finetune()
    plan: Plan = Plan()
    seed: int = 0
    task: str | None = None  # None: what the method and the data ask for

    def to_mapping(self) -> dict[str, Any]:
        """The fully resolved recipe as plain values, the method by its name."""
        parts = {"data": self.data, "model": self.model, "plan": self.plan}
        plain = {name: plain_values(part) for name, part in parts.items()}
        method = {"name": method_name(self.method), **plain_values(self.method)}
        return {
            "seed": self.seed,
            "task": NONE if self.task is None else self.task,
            "data": plain["data"],
            "model": plain["model"],
            "method": method,
            "plan": plain["plan"],
        }


def plain_values(settings: BaseModel) -> dict[str, Any]:
    """Settings as values TOML can hold."""
    return without_null(settings.model_dump(mode="json"))


def without_null(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values with None written out, at every depth."""
    return {
        name: without_null(value) if isinstance(value, Mapping) else NONE if value is None else value
        for name, value in values.items()
    }


def method_name(method: Method) -> str:
    """The name of a method in the table."""
    for name, kind in METHODS.items():
        if kind is type(method):
            return name
    raise BadInput(f"{type(method).__name__} is not in the table unfooled.methods.METHODS; add it there first")


def recipe_from(raw: Mapping[str, Any]) -> Recipe:
    """A recipe from plain values, every name and type checked.

    >>> recipe_from({"data": {"source": "mr"}, "method": {"name": "freelb", "passes": 2}}).method.passes
    2
    """
    raw = tables(raw)
    method = dict(raw.get("method", {}))
    name = str(method.pop("name", "finetune"))
    if name not in METHODS:
        raise BadInput(f"unknown method {name}; {nearest(name, METHODS)}")
    if "source" not in raw.get("data", {}):
        raise BadInput("no data was named; give --data with a file, a folder or a name")
    built = settings_from(METHODS[name], nones(method), "method.")
    return settings_from(Recipe, {**nones(raw), "method": built}, "")


SHORT = {"data": "source", "model": "name", "method": "name"}  # what a lone text in a table's place means


def tables(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The values with every part a table: ``method = "freelb"`` is short for its name."""
    found = {}
    for name, value in raw.items():
        if name in ("data", "model", "method", "plan") and not isinstance(value, Mapping) and value is not None:
            if not isinstance(value, str) or name not in SHORT:
                raise BadInput(f"{name} = {value!r} cannot be used: it is a table of settings, as in {name}.name = …")
            value = {SHORT[name]: value}
        if value is not None:
            found[name] = value
    return found


def recipe_folder() -> Path:
    """The recipes that come along: inside an installed package, or beside the sources."""
    installed = Path(__file__).parents[1] / "recipes"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "recipes"


def find_recipe(name: str) -> Path:
    """A recipe's path from a path or from a name that comes along."""
    coming_along = recipe_folder() / f"{name}.toml"
    return Path(name) if Path(name).exists() or not coming_along.is_file() else coming_along


def read_recipe(path: Path) -> dict[str, Any]:
    """The plain values of a TOML recipe."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"no recipe at {path}; unfooled list recipes shows those that come along") from None
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read as TOML: {error}") from None


def overlaid(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """``base`` with the values of ``over`` that are not None; another method starts from its own defaults."""
    merged = tables(base)
    for name, value in tables(over).items():
        if isinstance(value, Mapping):
            below = merged.get(name) or {}
            changed = name == "method" and value.get("name") not in (
                None,
                below.get("name", value.get("name")),
            )
            merged[name] = overlaid({} if changed else below, value)
        elif value is not None:
            merged[name] = value
    return merged
