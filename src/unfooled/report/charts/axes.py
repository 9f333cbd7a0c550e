"""Axes of a picture: from values to places, and the lines and numbers that say so."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from unfooled.report.markup import Child, Markup, element, join, tag

WIDTH, HEIGHT = 640.0, 400.0
LEFT, RIGHT, TOP, BOTTOM = 86.0, 30.0, 24.0, 56.0


@dataclass(frozen=True)
class Axis:
    """Values from ``low`` to ``high`` on places from ``start`` to ``end``, with ticks between."""

    low: float
    high: float
    start: float
    end: float
    share: bool

    def place(self, value: float) -> float:
        """Where a value is; one beyond the ends stands at the end."""
        part = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + part * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Round values, four to eight of them."""
        return round_values(self.low, self.high)

    def word(self, value: float) -> str:
        """A tick's label."""
        return f"{100 * value:.4g} %" if self.share else f"{value:.6g}"


def round_values(low: float, high: float) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten within the ends.

    >>> round_values(0, 1)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    power = 10.0 ** math.floor(math.log10((high - low) / 4))
    step = next(power * factor for factor in (1, 2, 5, 10) if (high - low) / (power * factor) <= 7)
    first = math.ceil(low / step - 1e-9)
    return [round(count * step, 12) for count in range(first, math.floor(high / step + 1e-9) + 1)]


def across(low: float, high: float, share: bool = False) -> Axis:
    """The axis from left to right."""
    return Axis(low, wider(low, high), LEFT, WIDTH - RIGHT, share)


def upward(low: float, high: float, share: bool = False) -> Axis:
    """The axis from bottom to top."""
    return Axis(low, wider(low, high), HEIGHT - BOTTOM, TOP, share)


def wider(low: float, high: float) -> float:
    """An upper end above the lower one."""
    return high if high > low else low + 1.0


def covering(values: Sequence[float], share: bool) -> tuple[float, float]:
    """Ends that hold all values: from 0 for shares, with a little room elsewhere."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.05 * (high - low) or 0.5
    return (0.0, 1.0) if share else (low - room, high + room)


def grid(x: Axis, y: Axis, across_name: str, up_name: str) -> Markup:
    """Grid lines, numbers and names of both axes."""
    lines = [tag("line", x1=x.place(value), x2=x.place(value), y1=y.start, y2=y.end) for value in x.ticks()]
    lines += [tag("line", x1=x.start, x2=x.end, y1=y.place(value), y2=y.place(value)) for value in y.ticks()]
    words = [tag("text", x.word(value), x=x.place(value), y=y.start + 18, text_anchor="middle") for value in x.ticks()]
    words += [tag("text", y.word(value), x=x.start - 8, y=y.place(value) + 4, text_anchor="end") for value in y.ticks()]
    middle, centre = (x.start + x.end) / 2, (y.start + y.end) / 2
    names = [
        tag("text", across_name, x=middle, y=y.start + 42, text_anchor="middle", class_="axis"),
        tag("text", up_name, transform=f"translate(18,{centre:g}) rotate(-90)", text_anchor="middle", class_="axis"),
    ]
    return join([tag("g", *lines, class_="grid"), tag("g", *words, *names, class_="ticks")])


def picture(title: str, says: str, *parts: Markup, height: float = HEIGHT) -> Markup:
    """An SVG that scales with the page and says to a screen reader what it shows."""
    attributes = {"viewBox": f"0 0 {WIDTH:g} {height:g}", "role": "img", "class": "chart", "aria-label": title}
    return element("svg", attributes, [tag("title", title), tag("desc", says) if says else None, *parts])


# Of marks that are no circles: a square, a triangle and a diamond about 0.
CORNERS: dict[int, list[tuple[float, float]]] = {
    1: [(-1, -1), (1, -1), (1, 1), (-1, 1)],
    2: [(0, -1.3), (1.2, 0.9), (-1.2, 0.9)],
    3: [(0, -1.35), (1.35, 0), (0, 1.35), (-1.35, 0)],
}


def mark(series: int, x: float, y: float, size: float = 5.0) -> Markup:
    """A point whose shape tells its series apart without colour."""
    shape = series % 4
    name = f"point series-{series % 8}"
    if shape == 0:
        return tag("circle", cx=x, cy=y, r=size, class_=name)
    corners = CORNERS[shape]
    size *= 0.9
    points = " ".join(f"{x + size * right:.1f},{y + size * down:.1f}" for right, down in corners)
    return tag("polygon", points=points, class_=name)


def legend(names: Sequence[Child]) -> Markup:
    """The names of the series, each with its mark; a series without a name is not there."""
    entries = []
    for series, name in enumerate(names):
        if name is None:
            continue
        sign = element("svg", {"viewBox": "0 0 16 16", "class": "key", "aria-hidden": "true"}, [mark(series, 8, 8, 5)])
        entries.append(tag("li", sign, name))
    return tag("ul", *entries, class_="legend")
