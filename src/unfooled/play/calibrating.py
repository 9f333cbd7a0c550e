"""How sure a model may say it is: a temperature fitted to the validation split that its own run has left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from unfooled.data.sources import DataSettings, known_names
from unfooled.errors import BadInput
from unfooled.files import RECIPE, SUMMARY
from unfooled.parsing import json_file
from unfooled.recipe.file import read_recipe
from unfooled.tasks.reading import read_data
from unfooled.types import Texts
from unfooled.victims import Victim
from unfooled.victims.calibration import temperature_of

MOST = 64  # texts: enough for one number, and soon asked
BATCH = 16


def run_folder(source: str) -> Path | None:
    """The run that a model comes from; None where it is of none."""
    return next((place for place in (Path(source), Path(source).parent) if (place / RECIPE).is_file()), None)


def summary_of(source: str) -> dict[str, Any]:
    """What the run of a model says of it; nothing where it is of none."""
    folder = run_folder(source)
    try:
        told = {} if folder is None else json_file(folder / SUMMARY)
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}


@dataclass(frozen=True)
class LeftOut:
    """Some of the texts that training left out, with the hash of all data and the names of its labels."""

    texts: Sequence[Texts]
    labels: Sequence[int]
    names: tuple[str, ...]
    data_hash: str


@lru_cache(1)  # two models that are played with are often of the same data
def left_out(written: str, task: str, seed: int) -> LeftOut | None:
    """Texts of the validation split, of data by its settings in JSON; None where it is gone, or on another machine."""
    settings = DataSettings.model_validate_json(written)
    if not (Path(settings.source).exists() or settings.source in known_names()):
        return None
    try:
        data = read_data(settings, task, seed).data
        split = data.splits["validation"]
    except (BadInput, OSError, KeyError):
        return None
    some = split.take(range(0, len(split), max(len(split) // MOST, 1)))
    return LeftOut(some.texts, some.labels, tuple(data.labels), data.fingerprint)


def validation_temperature(source: str, victim: Victim) -> float | None:
    """T of a model on texts of its run's own validation split; None where they are not here any more."""
    from unfooled.recipe.config import recipe_from  # which loads torch, and the page is to be there before that

    folder = run_folder(source)
    if folder is None or not victim.logits:
        return None
    try:
        recipe = recipe_from(read_recipe(folder / RECIPE))
    except BadInput:
        return None
    data = left_out(recipe.data.model_dump_json(), victim.task, recipe.seed)
    if data is None or (data.data_hash, data.names) != (summary_of(source).get("data_hash"), victim.labels):
        return None
    return temperature_of(victim, data.texts, data.labels, BATCH)
