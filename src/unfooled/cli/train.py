"""``unfooled train``: a recipe, overlaid by options, becomes a run folder."""

import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unfooled.cli.tables import print_scores
from unfooled.commands.train import train_recipe
from unfooled.data.datasets import DataSettings
from unfooled.recipe.config import find_recipe, overlaid, read_recipe, recipe_from
from unfooled.settings import assignments


def run(named: Mapping[str, Any], recipe: str | None, changes: Sequence[str], out: Path, resume: bool) -> None:
    """Train and say what came out and what to do next."""
    left_behind = out / "recipe.toml"
    if resume and recipe is None and left_behind.is_file():
        recipe = str(left_behind)
    base = {} if recipe is None else read_recipe(find_recipe(recipe))
    settings = recipe_from(overlaid(overlaid(base, named), assignments(changes)))
    if resume and not left_behind.is_file():
        print(f"nothing to resume in {out}; starting", file=sys.stderr)
    trained = train_recipe(settings, out, resume)
    if os.environ.get("RANK", "0") == "0":
        print_scores(f"{out}", trained.scores)
        print(f"\nmodel: {trained.model}")
        print(f"open:  {trained.opens}")
        if trained.task == "classification":
            print(f"next:  {next_command(settings.data, trained.model, out)}")


def next_command(data: DataSettings, model: str, out: Path) -> str:
    """How to measure the model on texts it has not seen."""
    chosen = {"text": data.text, "label": data.label, "subset": None if data.test else data.subset}
    options = "".join(f" --{name} {shlex.quote(value)}" for name, value in chosen.items() if value is not None)
    alone = data.test is None and Path(data.source).is_file()
    source = "FILE-IT-HAS-NOT-SEEN" if alone else shlex.quote(data.test or data.source)
    return f"unfooled evaluate {shlex.quote(model)} --data {source}{options} --out {shlex.quote(str(out))}-results"
