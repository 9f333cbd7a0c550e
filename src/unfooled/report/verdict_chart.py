"""The verdict as a picture: fickleness to the right, obstinacy upwards, the best corner below left."""

import math
from collections.abc import Sequence

from unfooled.report.axes import Axis, across, grid, legend, mark, picture, upward
from unfooled.report.curves import ends
from unfooled.report.label_places import Box, Label, Line, placed_labels, text_width
from unfooled.report.markup import Markup, join, tag, visible
from unfooled.report.story import Number, Standing

ACROSS = "fickleness: moves though meaning holds"
UP = "obstinacy: holds though meaning moves"
LETTERS = 17.0  # the height of names on a phone, where they are largest; see page.css
RADIUS = 6.5


def verdict_chart(standings: Sequence[Standing]) -> Markup:
    """Every model with both coordinates as a point with its intervals."""
    placed = [standing for standing in standings if standing.fickleness and standing.obstinacy]
    reach = [end for one in placed for number in (one.fickleness, one.obstinacy) if number for end in ends(number)]
    high = next((end for end in (0.25, 0.5, 0.75) if max(reach, default=0) <= end), 1.0)
    x, y = across(0.0, high, share=True), upward(0.0, high, share=True)
    corners = [
        ("steady and alert", x.start + 10, y.start - 10, "start"),
        ("fickle", x.end - 10, y.start - 10, "end"),
        ("obstinate", x.start + 10, y.end + 18, "start"),
        ("both", x.end - 10, y.end + 18, "end"),
    ]
    words = [tag("text", word, x=at, y=up, text_anchor=anchor) for word, at, up, anchor in corners]
    taken = [written(*corner) for corner in corners]
    points = [
        standing_point(one, standings.index(one), x, y, name)
        for one, name in zip(placed, names_of(placed, x, y, taken), strict=True)
    ]
    good = tag(
        "rect",
        x=x.start,
        y=y.place(high / 2),
        width=x.place(high / 2) - x.start,
        height=y.start - y.place(high / 2),
        class_="good",
    )
    parts = [good, grid(x, y, ACROSS, UP), tag("g", *words, class_="corners"), *layered(points)]
    chart = picture("Fickleness and obstinacy of each model", says(placed), *parts)
    return join([chart, legend([one.model if one in placed else None for one in standings])])


def written(word: str, at: float, up: float, anchor: str) -> Box:
    """Where a word stands."""
    left = at if anchor == "start" else at - text_width(word, LETTERS)
    return Box(left, up - LETTERS, left + text_width(word, LETTERS), up + 0.3 * LETTERS)


def names_of(placed: Sequence[Standing], x: Axis, y: Axis, taken: Sequence[Box]) -> list[Label | None]:
    """The models' names in their places."""
    spots = [(x.place(right.value), y.place(up.value)) for right, up in map(coordinates, placed)]
    lines = [line for one in placed for line in arms(one, x, y)]
    frame = Box(x.start + 2, y.end + 2, x.end - 2, y.start - 2)
    return placed_labels([visible(one.model) for one in placed], spots, frame, taken, lines, LETTERS, RADIUS + 2)


def coordinates(one: Standing) -> tuple[Number, Number]:
    """Both coordinates of a model that has both."""
    assert one.fickleness is not None and one.obstinacy is not None
    return one.fickleness, one.obstinacy


def says(placed: Sequence[Standing]) -> str:
    """The picture in words."""
    told = [
        f"{one.model}: fickleness {100 * fickle.value:.1f} %, obstinacy {100 * obstinate.value:.1f} %"
        for one in placed
        for fickle, obstinate in [coordinates(one)]
    ]
    return "; ".join(told)


def arms(one: Standing, x: Axis, y: Axis) -> list[Line]:
    """The intervals of both coordinates, as lines through the point."""
    fickle, obstinate = coordinates(one)
    right, up = x.place(fickle.value), y.place(obstinate.value)
    found = []
    if fickle.low is not None and fickle.high is not None:
        found.append((x.place(fickle.low), up, x.place(fickle.high), up))
    if obstinate.low is not None and obstinate.high is not None:
        found.append((right, y.place(obstinate.low), right, y.place(obstinate.high)))
    return found


def standing_point(one: Standing, series: int, x: Axis, y: Axis, label: Label | None) -> tuple[Markup, Markup, Markup]:
    """A model's cross of intervals with the line to its name, its point, and its name: drawn in this order."""
    fickle, obstinate = coordinates(one)
    right, up = x.place(fickle.value), y.place(obstinate.value)
    title, name = tag("title", says([one])), f"series-{series % 8}"
    lines = [line(*own) for own in arms(one, x, y)]
    cross = tag("g", title, tag("g", *lines, class_=f"arms {name}"))
    if label is None:
        return cross, tag("g", title, mark(series, right, up, RADIUS)), Markup()
    near = label.box.nearest(right, up)
    leader = tag("g", line(right, up, *near), class_=f"arms leader {name}") if far(near, right, up) else None
    # Letters are drawn smaller on a wide screen, so a name keeps to the side of its box that its point is on.
    at_right = (label.box.left + label.box.right) / 2 < right
    word = tag(
        "text",
        label.text,
        x=label.box.right if at_right else label.box.left,
        y=label.box.bottom - 0.32 * LETTERS,
        text_anchor="end" if at_right else "start",
        class_="name",
    )
    return join([cross, leader]), tag("g", title, mark(series, right, up, RADIUS)), tag("g", title, word)


def line(x1: float, y1: float, x2: float, y2: float) -> Markup:
    """A line from one place to another."""
    return tag("line", x1=x1, x2=x2, y1=y1, y2=y2)


def far(near: tuple[float, float], right: float, up: float) -> bool:
    """Whether a name is too far from its point for its place alone to say whose it is."""
    return math.dist(near, (right, up)) > RADIUS + 10


def layered(points: Sequence[tuple[Markup, Markup, Markup]]) -> list[Markup]:
    """All lines, then all points, then all names: what is read lies above what is only looked at."""
    return [join(layer) for layer in zip(*points, strict=True)]
