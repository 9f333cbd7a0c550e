"""The verdict as a picture: fickleness to the right, obstinacy upwards, the best corner below left."""

from collections.abc import Sequence

from unfooled.report.axes import Axis, across, grid, legend, mark, picture, upward
from unfooled.report.curves import ends
from unfooled.report.markup import Markup, join, tag
from unfooled.report.story import Number, Standing

ACROSS = "fickleness: moves though meaning holds"
UP = "obstinacy: holds though meaning moves"
LINE_HEIGHT = 18.0


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
    spots = [(x.place(right.value), y.place(up.value)) for right, up in map(coordinates, placed)]
    points = [
        standing_point(one, standings.index(one), x, y, name)
        for one, name in zip(placed, label_places(spots), strict=True)
    ]
    good = tag(
        "rect",
        x=x.start,
        y=y.place(high / 2),
        width=x.place(high / 2) - x.start,
        height=y.start - y.place(high / 2),
        class_="good",
    )
    parts = [good, grid(x, y, ACROSS, UP), tag("g", *words, class_="corners"), *points]
    chart = picture("Fickleness and obstinacy of each model", says(placed), *parts)
    return join([chart, legend([one.model if one in placed else None for one in standings])])


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


def standing_point(one: Standing, series: int, x: Axis, y: Axis, name: tuple[float, float]) -> Markup:
    """A model's point, the cross of its intervals, and its name beside it."""
    fickle, obstinate = coordinates(one)
    right, up = x.place(fickle.value), y.place(obstinate.value)
    arms = []
    if fickle.low is not None and fickle.high is not None:
        arms.append(tag("line", x1=x.place(fickle.low), x2=x.place(fickle.high), y1=up, y2=up))
    if obstinate.low is not None and obstinate.high is not None:
        arms.append(tag("line", x1=right, x2=right, y1=y.place(obstinate.low), y2=y.place(obstinate.high)))
    at_right = right > x.end - 120
    word = tag(
        "text",
        one.model,
        x=name[0] + (-10 if at_right else 10),
        y=name[1] - 8,
        text_anchor="end" if at_right else "start",
        class_="name",
    )
    return tag(
        "g",
        tag("title", says([one])),
        tag("g", *arms, class_=f"arms series-{series % 8}"),
        mark(series, right, up, 6.5),
        word,
    )


def label_places(places: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Places for names: each at its point, moved up where it would cover one already set."""
    found: list[tuple[float, float]] = []
    for right, up in places:
        while any(abs(right - other) < 130 and abs(up - above) < LINE_HEIGHT for other, above in found):
            up -= LINE_HEIGHT
        found.append((right, up))
    return found
