"""The training of models whose runs left their metrics behind; of several seeds, their mean."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from unfooled.report.chapter import Chapter
from unfooled.report.charts.lines import Line, Plot, figures
from unfooled.report.markup import Markup
from unfooled.report.runs import metrics_of, run_at
from unfooled.report.told import Told
from unfooled.scores.score import SHARE, Score

# Title, kind of line, number, its unit.
SERIES = (
    ("Training loss of the task", "train", "task", "loss"),
    ("Validation accuracy", "validation", "accuracy", SHARE),
    ("Validation perplexity", "validation", "perplexity", "perplexity"),
)


def content(told: Told) -> Markup:
    """The curves, side by side."""
    return figures(plots(told))


def plots(told: Told) -> list[Plot]:
    """The task loss and the validation score, as far as runs have them."""
    runs = [
        (group.name, [run for name in group.members if (run := run_at(told.header(name).model)) is not None])
        for group in told.groups
    ]
    says = "Bands reach from the lowest to the highest seed." if any(len(own) > 1 for _, own in runs) else ""
    drawn = [
        Plot(title, "step", name if unit == SHARE else unit, lines_of(runs, kind, name, unit), says)
        for title, kind, name, unit in SERIES
    ]
    return [plot for plot in drawn if plot.curved]


def lines_of(runs: Sequence[tuple[str, Sequence[Path]]], kind: str, name: str, unit: str) -> tuple[Line, ...]:
    """One number of the runs of each column."""
    return tuple(
        Line(group, together([series(metrics_of(run), kind, name) for run in own], unit)) for group, own in runs
    )


def together(runs: Sequence[dict[float, float]], unit: str) -> tuple[tuple[float, Score], ...]:
    """The mean over runs at the steps that all have, from the lowest to the highest of them."""
    steps = sorted(set.intersection(*(set(run) for run in runs))) if runs else []
    points = []
    for step in steps:
        own = [run[step] for run in runs]
        low, high = (min(own), max(own)) if len(own) > 1 else (math.nan, math.nan)
        points.append((step, Score(float(np.mean(own)), low, high, len(own), "", unit=unit)))
    return tuple(points)


def series(entries: Sequence[dict[str, Any]], kind: str, name: str) -> dict[float, float]:
    """One number by step."""
    own = [entry for entry in entries if entry.get("kind") == kind and isinstance(entry.get(name), int | float)]
    return {float(entry["step"]): float(entry[name]) for entry in own}


CHAPTER = Chapter("Training", content)
