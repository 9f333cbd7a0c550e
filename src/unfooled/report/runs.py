"""What a model's training left beside it: the recipe, the metrics, the summary."""

from pathlib import Path
from typing import Any

from unfooled.files import METRICS, RECIPE, SUMMARY
from unfooled.parsing import json_file, json_value, opened, recipe_in, whole_lines
from unfooled.settings import nones


def run_at(name: str) -> Path | None:
    """The run folder that a model's name leads to, where it was trained here."""
    folders = (Path(name), Path(name).parent)
    return next((folder for folder in folders if (folder / RECIPE).is_file()), None)


def recipe_of(run: Path | None) -> dict[str, Any]:
    """The recipe of a run, with None where it says "none"; empty where there is no run."""
    return {} if run is None else nones(recipe_in(run / RECIPE))


def summary_of(run: Path | None) -> dict[str, Any]:
    """The summary of a run, empty where there is none to be read."""
    if run is None:
        return {}
    try:
        summary = json_file(run / SUMMARY)
    except (OSError, ValueError):
        return {}
    return summary if isinstance(summary, dict) else {}


def metrics_of(run: Path) -> list[dict[str, Any]]:
    """The lines of a run's metrics; one left half-written is none."""
    path, entries = run / METRICS, []
    if not path.is_file():
        return []
    with opened(path) as file:
        for line in whole_lines(file, str(path)):
            try:
                entry = json_value(line)
            except ValueError:
                break
            if isinstance(entry, dict) and isinstance(entry.get("step"), int | float):  # else it is not ours
                entries.append(entry)
    return entries
