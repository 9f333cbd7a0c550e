"""What a model's training left beside it: the recipe, the metrics, the summary."""

import json
import tomllib
from pathlib import Path
from typing import Any

from unfooled.files import METRICS, RECIPE, SUMMARY


def run_at(name: str) -> Path | None:
    """The run folder that a model's name leads to, where it was trained here."""
    folders = (Path(name), Path(name).parent)
    return next((folder for folder in folders if (folder / RECIPE).is_file()), None)


def recipe_of(run: Path | None) -> dict[str, Any]:
    """The recipe of a run, empty where there is no run."""
    return {} if run is None else tomllib.loads((run / RECIPE).read_text(encoding="utf-8"))


def summary_of(run: Path | None) -> dict[str, Any]:
    """The summary of a run, empty where there is none to be read."""
    if run is None:
        return {}
    try:
        summary = json.loads((run / SUMMARY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return summary if isinstance(summary, dict) else {}


def metrics_of(run: Path) -> list[dict[str, Any]]:
    """The lines of a run's metrics; one left half-written is none."""
    path, entries = run / METRICS, []
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
        try:
            entries.append(json.loads(line))
        except ValueError:
            break
    return entries
