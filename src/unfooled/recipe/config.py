"""A run as frozen typed settings ⇄ plain values; names become objects here and nowhere else."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from unfooled.errors import BadInput
from unfooled.methods.objective import Method
from unfooled.methods.table import METHODS
from unfooled.models.encoders.pretrained import ModelSettings
from unfooled.recipe.data_part import DataPart, data_part
from unfooled.recipe.file import tables
from unfooled.recipe.plan import Plan
from unfooled.settings import NONE, nones, settings_from


class Recipe(DataPart):
    """Everything that decides what a training run computes."""

    model: ModelSettings = ModelSettings()
    method: Method = Field(default_factory=lambda: METHODS["finetune"]())
    plan: Plan = Plan()

    def to_mapping(self) -> dict[str, Any]:
        """The fully resolved recipe as plain values, the method by its name."""
        values = plain_values(self)
        values["method"] = {"name": method_name(self.method), **plain_values(self.method)}
        return {name: values[name] for name in ("seed", "task", "data", "model", "method", "plan")}


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
    name = METHODS.name_of(type(method))
    if name is None:
        raise BadInput(f"{type(method).__name__} is not in the table unfooled.methods.METHODS; add it there first")
    return name


def recipe_from(raw: Mapping[str, Any]) -> Recipe:
    """A recipe from plain values, every name and type checked.

    >>> recipe_from({"data": {"source": "mr"}, "method": {"name": "freelb", "passes": 2}}).method.passes
    2
    """
    raw = tables(raw)
    method = dict(raw.get("method", {}))
    name = str(method.pop("name", "finetune"))
    METHODS.check(name)
    data_part(raw)
    built = settings_from(METHODS[name], nones(method), "method.")
    return settings_from(Recipe, {**nones(raw), "method": built}, "")
