"""How sure a model may say it is: a temperature fitted to the validation split that its own run has left out."""

from pathlib import Path
from typing import Any

from unfooled.data.sources import DataSettings, known_names
from unfooled.errors import BadInput
from unfooled.files import RECIPE, SUMMARY
from unfooled.parsing import json_file
from unfooled.recipe.config import recipe_from
from unfooled.recipe.file import read_recipe
from unfooled.tasks.reading import read_data
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


def is_here(settings: DataSettings) -> bool:
    """Whether data is on this machine, so that reading it asks nobody."""
    return Path(settings.source).exists() or settings.source in known_names()


def validation_temperature(source: str, victim: Victim) -> float | None:
    """T of a model on texts of its run's own validation split; None where they are not here any more."""
    folder = run_folder(source)
    if folder is None or not victim.logits:
        return None
    try:
        recipe = recipe_from(read_recipe(folder / RECIPE))
        if not is_here(recipe.data):
            return None
        data = read_data(recipe.data, victim.task, recipe.seed).data
        split = data.splits["validation"]
    except (BadInput, OSError, KeyError):
        return None
    if data.fingerprint != summary_of(source).get("data_hash") or tuple(data.labels) != victim.labels:
        return None
    some = split.take(range(0, len(split), max(len(split) // MOST, 1)))
    return temperature_of(victim, some.texts, some.labels, BATCH)
