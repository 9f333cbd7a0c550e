"""The part of a recipe that says what is read; it needs no torch, so data can be looked at before anything else."""

from collections.abc import Mapping
from typing import Any

from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput, option
from unfooled.recipe.file import tables
from unfooled.settings import Settings, nones, settings_from


class DataPart(Settings):
    """The data, the seed that parts are drawn from it by, and the task it is read for."""

    data: DataSettings
    seed: int = 0
    task: str | None = None  # None: what the method and the data ask for


def data_part(raw: Mapping[str, Any]) -> DataPart:
    """That part of a recipe's plain values, checked."""
    values = nones(tables(raw))
    if "source" not in values.get("data", {}):
        raise BadInput(f"no data was named; give {option('data')} with a file, a folder or a name")
    return settings_from(DataPart, {name: values[name] for name in DataPart.model_fields if name in values}, "")
