"""Sentences as points on a plane: near where the model sees them near."""

from dataclasses import dataclass

from unfooled.report.charts.axes import HEIGHT, WIDTH, legend, mark, picture
from unfooled.report.markup import Markup, join, tag

EDGE = 16.0


@dataclass(frozen=True)
class Scatter:
    """Points (x, y, group, what it says when pointed at), the names of their groups, and links that join two points."""

    title: str
    groups: tuple[str, ...]
    points: tuple[tuple[float, float, int, str], ...]
    says: str = ""
    links: tuple[tuple[int, int], ...] = ()


def scattered(plane: Scatter) -> Markup:
    """The points, one mark a group, and the lines between them."""
    rights, ups = [point[0] for point in plane.points], [point[1] for point in plane.points]
    places = [
        (EDGE + share(right, rights) * (WIDTH - 2 * EDGE), HEIGHT - EDGE - share(up, ups) * (HEIGHT - 2 * EDGE))
        for right, up, _, _ in plane.points
    ]
    links = [
        tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=dashed(plane.points[two][2]))
        for (x1, y1), (x2, y2), two in ((places[one], places[two], two) for one, two in plane.links)
    ]
    marks = [
        tag("g", tag("title", f"{plane.groups[group]}: {said}"), mark(group, x, y, 3.5))
        for (x, y), (_, _, group, said) in zip(places, plane.points, strict=True)
    ]
    parts = tag("g", *links, class_="links"), tag("g", *marks, class_="cloud")
    return join([picture(plane.title, plane.says, *parts), legend(plane.groups)])


def dashed(group: int) -> str | None:
    """The class of a line to a point: solid to the second group, dashed to those after it."""
    return f"dash-{(group - 1) % 4}" if group > 1 else None


def share(value: float, values: list[float]) -> float:
    """How far a value stands between the lowest and the highest."""
    low, high = min(values), max(values)
    return (value - low) / (high - low) if high > low else 0.5
