"""``unfooled tune``: bounds become the best settings within them, as recipes."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unfooled.cli.compare import changed
from unfooled.commands.tune import read_bounds, tune
from unfooled.recipe.config import overlaid


def run(
    source: Mapping[str, Any],
    methods: Sequence[str],
    bounds: str,
    out: Path,
    model: str,
    trials: int,
    seed: int,
    changes: Sequence[str],
) -> None:
    """Search, and say what was found and how to train with it."""
    base = overlaid({"data": dict(source), "model": {"name": model}}, changed(changes))
    found = tune(base, [method.strip() for method in methods], read_bounds(bounds), out, trials, seed)
    for one in found:
        values = ", ".join(f"{name} = {value}" for name, value in one.settings.items())
        print(f"{one.method}: validation {one.score:.4f}, the best of {one.trials} trainings, with {values}")
    print("\nThese scores chose the settings and are too good to be reported; train anew and measure on test:")
    for one in found:
        print(
            f"  unfooled train --recipe {shlex.quote(str(one.recipe))} --out {shlex.quote(str(out / one.method))}-final"
        )
