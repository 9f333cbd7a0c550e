"""The part of a recipe that says what is read; it needs no torch, so data can be looked at before anything else."""

from collections.abc import Mapping
from typing import Any

from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput, option
from unfooled.recipe.file import tables
from unfooled.recipe.plan import Plan
from unfooled.settings import Settings, nones, settings_from


class DataPart(Settings):
    """The data, the seed that parts are drawn from it by, and the task it is read for."""

    data: DataSettings
    seed: int = 0
    task: str | None = None  # None: what the method and the data ask for


# What people look for among the settings of data; those of a network need torch to be listed.
ELSEWHERE = dict.fromkeys(("max_length", "dropout", "classifier_dropout", "embeddings", "tokenizer"), "model")


def refuse_moved(values: Mapping[str, Any]) -> None:
    """Refuse a setting that stands in another room than the one it was looked for in, and say where it is."""
    rooms = dict.fromkeys(DataSettings.model_fields, "data") | dict.fromkeys(Plan.model_fields, "plan") | ELSEWHERE
    own = {"data": DataSettings.model_fields, "plan": Plan.model_fields, "model": {*ELSEWHERE, "name", "sizes"}}
    for room, known in own.items():
        for name in values.get(room) or {}:
            if name not in known and rooms.get(name, room) != room:
                raise BadInput(f"unknown setting {room}.{name}; did you mean {rooms[name]}.{name}?")


def data_part(raw: Mapping[str, Any]) -> DataPart:
    """That part of a recipe's plain values, checked."""
    values = nones(tables(raw))
    refuse_moved(values)
    if "source" not in values.get("data", {}):
        raise BadInput(f"no data was named; give {option('data')} with a file, a folder or a name")
    return settings_from(DataPart, {name: values[name] for name in DataPart.model_fields if name in values}, "")
