"""Curves with their intervals: robustness over the size of a change, training over its steps."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from unfooled.report.charts.axes import Axis, across, covering, grid, legend, mark, picture, upward
from unfooled.report.markup import Markup, join, tag
from unfooled.scores.score import SHARE, Score

MARKED = 40  # with more points than this a curve is drawn without marks


@dataclass(frozen=True)
class Line:
    """One curve: (x, score) from left to right."""

    name: str
    points: tuple[tuple[float, Score], ...]


@dataclass(frozen=True)
class Plot:
    """Curves over one axis, and what they say in a sentence; a line without points keeps its colour from others."""

    title: str
    across: str
    up: str
    lines: tuple[Line, ...]
    says: str = ""

    @property
    def curved(self) -> bool:
        """Whether there is more to see than single points."""
        return any(len(line.points) > 1 for line in self.lines)


def figures(plots: Sequence[Plot]) -> Markup:
    """Pictures side by side, each with its sentence; nothing where there is none."""
    drawn = [
        tag("figure", tag("h3", plot.title), plotted(plot), tag("figcaption", plot.says) if plot.says else None)
        for plot in plots
    ]
    return tag("div", *drawn, class_="figures") if drawn else Markup()


def plotted(plot: Plot) -> Markup:
    """The curves as a picture, with a legend where there are several."""
    points = [point for line in plot.lines for point in line.points]
    share = all(score.unit == SHARE for _, score in points)
    x = across(min((at for at, _ in points), default=0.0), max((at for at, _ in points), default=1.0))
    y = upward(*covering([end for _, score in points for end in ends(score)], share), share)
    drawn = [curve(line, series, x, y) for series, line in enumerate(plot.lines) if line.points]
    names = [line.name if line.points else None for line in plot.lines]
    chart = picture(plot.title, plot.says, grid(x, y, plot.across, plot.up), *drawn)
    return join([chart, legend(names) if len(names) > 1 else None])


def ends(score: Score) -> tuple[float, ...]:
    """The value and its interval, as far as there is one."""
    return tuple(end for end in (score.value, score.low, score.high) if math.isfinite(end))


def curve(line: Line, series: int, x: Axis, y: Axis) -> Markup:
    """One curve: its band, its line, and its points, which say their numbers when pointed at."""
    name = f"series-{series % 8}"

    def through(ends: Sequence[tuple[float, float]]) -> list[str]:
        return [f"{x.place(at):.1f},{y.place(end):.1f}" for at, end in ends if math.isfinite(end)]

    upper = through([(at, score.high) for at, score in line.points])
    lower = through([(at, score.low) for at, score in line.points])
    path = through([(at, score.value) for at, score in line.points])
    band = tag("polygon", points=" ".join([*upper, *reversed(lower)]), class_=f"band {name}") if upper else None
    stroke = tag("polyline", points=" ".join(path), class_=f"line {name} dash-{series % 4}")
    marks = [
        tag(
            "g",
            tag("title", f"{line.name} at {at:g}: {y.word(score.value)}"),
            mark(series, x.place(at), y.place(score.value), 4.0),
        )
        for at, score in (line.points if len(line.points) <= MARKED else ())
    ]
    return tag("g", band, stroke, *marks)
