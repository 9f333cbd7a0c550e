"""The verdict as a picture: fickleness to the right, obstinacy upwards, the best corner below left."""

import math
from collections.abc import Iterator, Mapping, Sequence
from string import ascii_uppercase

from unfooled.report.charts.axes import Axis, across, grid, legend, mark, picture, upward
from unfooled.report.markup import Markup, join, tag
from unfooled.results.verdict import Verdict
from unfooled.scores.score import Score

GOOD = 0.2  # of both axes: the corner that is called good, whatever was measured
ACROSS = "fickleness: moves though meaning holds"
UP = "obstinacy: holds though meaning moves"
RADIUS = 6.5
LETTER = 17.0  # the height of a letter on a phone, where it is largest; see page.css
NEAR = RADIUS + 10.0  # from a point to the middle of its letter, where nothing is in the way
Place = tuple[float, float]


def letter(place: int) -> str:
    """The letter of a model by its place.

    >>> letter(0), letter(25), letter(26), letter(53)
    ('A', 'Z', 'AA', 'BBB')
    """
    return ascii_uppercase[place % 26] * (place // 26 + 1)


def verdict_chart(verdicts: Sequence[Verdict]) -> Markup:
    """Every model with both coordinates as a point with its intervals and a letter, which the legend explains."""
    placed = {place: both for place, one in enumerate(verdicts) if (both := coordinates(one)) is not None}
    x, y = across(0.0, 1.0, share=True), upward(0.0, 1.0, share=True)
    corners = [
        ("good", x.start + 10, y.start - 10, "start"),
        ("fickle", x.end - 10, y.start - 10, "end"),
        ("obstinate", x.start + 10, y.end + 18, "start"),
        ("both", x.end - 10, y.end + 18, "end"),
    ]
    words = [tag("text", word, x=at, y=up, text_anchor=anchor) for word, at, up, anchor in corners]
    sides = {"width": x.place(GOOD) - x.start, "height": y.start - y.place(GOOD)}
    good = tag("rect", x=x.start, y=y.place(GOOD), **sides, class_="good")
    parts = [good, grid(x, y, ACROSS, UP), tag("g", *words, class_="corners"), *drawn(verdicts, placed, x, y)]
    names = [
        join([tag("b", letter(place)), f" {one.model}"]) if place in placed else None
        for place, one in enumerate(verdicts)
    ]
    told = "; ".join([*(says(verdicts[place]) for place in placed), f"good is {100 * GOOD:.0f} % or less of both"])
    return join([picture("Fickleness and obstinacy of each model", told, *parts), legend(names)])


def coordinates(one: Verdict) -> tuple[Score, Score] | None:
    """Both coordinates of a model, None where one is not known."""
    fickle, obstinate = one.fickleness.score, one.obstinacy.score
    return None if fickle is None or obstinate is None else (fickle, obstinate)


def says(one: Verdict) -> str:
    """Where a model stands, in words."""
    told = [f"{axis} {own.score.text}" for axis, own in one.axes.items() if own.score is not None]
    return f"{one.model}: {', '.join(told)}"


def drawn(
    verdicts: Sequence[Verdict], placed: Mapping[int, tuple[Score, Score]], x: Axis, y: Axis
) -> tuple[Markup, Markup, Markup]:
    """All lines, then all points, then all letters: what is read lies above what is only looked at."""
    points = [(x.place(right.value), y.place(up.value)) for right, up in placed.values()]
    lines, marks, letters = [], [], []
    for place, point, at in zip(placed, points, letter_places(points, x, y), strict=True):
        title, name = tag("title", says(verdicts[place])), f"series-{place % 8}"
        lines.append(tag("g", title, tag("g", *arms(*placed[place], x, y), class_=f"arms {name}")))
        if math.dist(point, at) > NEAR + 1:
            leader = tag("line", x1=point[0], x2=at[0], y1=point[1], y2=at[1])
            lines.append(tag("g", leader, class_=f"arms leader {name}"))
        marks.append(tag("g", title, mark(place, *point, RADIUS)))
        word = tag("text", letter(place), x=at[0], y=at[1] + 0.35 * LETTER, text_anchor="middle", class_="name")
        letters.append(tag("g", title, word))
    return join(lines), join(marks), join(letters)


def arms(fickle: Score, obstinate: Score, x: Axis, y: Axis) -> list[Markup]:
    """The intervals of both coordinates, as lines through the point."""
    right, up = x.place(fickle.value), y.place(obstinate.value)
    lines = []
    if math.isfinite(fickle.low + fickle.high):
        lines.append(tag("line", x1=x.place(fickle.low), x2=x.place(fickle.high), y1=up, y2=up))
    if math.isfinite(obstinate.low + obstinate.high):
        lines.append(tag("line", x1=right, x2=right, y1=y.place(obstinate.low), y2=y.place(obstinate.high)))
    return lines


def letter_places(points: Sequence[Place], x: Axis, y: Axis) -> list[Place]:
    """A place for each point's letter: the nearest that no point and no letter before it takes."""
    taken: list[Place] = []
    for point in points:
        free = (
            at
            for at in around(point, x, y)
            if all(math.dist(at, other) > NEAR - 1 for other in points)
            and all(math.dist(at, other) > 1.4 * LETTER for other in taken)
        )
        taken.append(next(free, point))
    return taken


def around(point: Place, x: Axis, y: Axis) -> Iterator[Place]:
    """Places about a point, the nearest first; above and below they leave the picture's corners to their words."""
    for ring in range(16):
        for turn in range(8 + 4 * ring):
            angle = math.pi * (2 * turn / (8 + 4 * ring) - 0.25)  # above it and to its right first
            distance = NEAR + ring * LETTER
            at = point[0] + distance * math.cos(angle), point[1] + distance * math.sin(angle)
            if x.start + LETTER <= at[0] <= x.end - LETTER and y.end + 2.4 * LETTER <= at[1] <= y.start - 2.4 * LETTER:
                yield at
