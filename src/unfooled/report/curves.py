"""Curves with their intervals: robustness over the size of a change, training over its steps."""

from unfooled.report.axes import Axis, across, covering, grid, legend, mark, picture, upward
from unfooled.report.markup import Markup, join, tag
from unfooled.report.story import Line, Number, Plot

MARKED = 40  # with more points than this a curve is drawn without marks


def plotted(plot: Plot) -> Markup:
    """The curves as a picture, with a legend where there are several."""
    points = [point for line in plot.lines for point in line.points]
    heights = [end for _, number in points for end in ends(number)]
    x = across(min((at for at, _ in points), default=0.0), max((at for at, _ in points), default=1.0))
    y = upward(*covering(heights, plot.share), plot.share)
    drawn = [curve(line, series, x, y) for series, line in enumerate(plot.lines) if line.points]
    names = [line.name if line.points else None for line in plot.lines]
    chart = picture(plot.title, plot.says, grid(x, y, plot.across, plot.up), *drawn)
    return join([chart, legend(names) if len(names) > 1 else None])


def ends(number: Number) -> tuple[float, ...]:
    """The value and its interval."""
    return tuple(end for end in (number.value, number.low, number.high) if end is not None)


def curve(line: Line, series: int, x: Axis, y: Axis) -> Markup:
    """One curve: its band, its line, and its points, which say their numbers when pointed at."""
    name = f"series-{series % 8}"
    path = " ".join(f"{x.place(at):.1f},{y.place(number.value):.1f}" for at, number in line.points)
    upper = [f"{x.place(at):.1f},{y.place(number.high):.1f}" for at, number in line.points if number.high is not None]
    lower = [f"{x.place(at):.1f},{y.place(number.low):.1f}" for at, number in line.points if number.low is not None]
    band = tag("polygon", points=" ".join([*upper, *reversed(lower)]), class_=f"band {name}") if upper else None
    stroke = tag("polyline", points=path, class_=f"line {name} dash-{series % 4}")
    marks = [
        tag("g", tag("title", f"{line.name} at {at:g}: {y.word(number.value)}"), point(series, x, y, at, number))
        for at, number in (line.points if len(line.points) <= MARKED else ())
    ]
    return tag("g", band, stroke, *marks)


def point(series: int, x: Axis, y: Axis, at: float, number: Number) -> Markup:
    """The mark of one point."""
    return mark(series, x.place(at), y.place(number.value), 4.0)
