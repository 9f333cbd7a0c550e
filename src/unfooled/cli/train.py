"""``unfooled train``: a recipe, overlaid by options, becomes a run folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unfooled.api import train_recipe
from unfooled.cli.tables import print_scores
from unfooled.config import assignments, find_recipe, overlaid, read_recipe, recipe_from


def run(named: Mapping[str, Any], recipe: str | None, changes: Sequence[str], out: Path, resume: bool) -> None:
    """Train and say what came out and what to do next."""
    base = {} if recipe is None else read_recipe(find_recipe(recipe))
    settings = recipe_from(overlaid(overlaid(base, named), assignments(changes)))
    trained = train_recipe(settings, out, resume)
    print_scores(f"{out}", trained.scores)
    print(f'\nmodel: {trained.model}   opens with transformers.pipeline("text-classification", "{trained.model}")')
    print(f"next:  unfooled evaluate {trained.model} --data {settings.data.source} --out {out}-results")
