"""Sentences as points on a plane: near where the model sees them near."""

from unfooled.report.axes import HEIGHT, WIDTH, legend, mark, picture
from unfooled.report.markup import Markup, join, tag
from unfooled.report.story import Cloud

EDGE = 16.0


def clouded(cloud: Cloud) -> Markup:
    """The points, one mark a group; a point says its sentence when pointed at."""
    rights, ups = [point[0] for point in cloud.points], [point[1] for point in cloud.points]
    places = [
        (EDGE + share(right, rights) * (WIDTH - 2 * EDGE), HEIGHT - EDGE - share(up, ups) * (HEIGHT - 2 * EDGE))
        for right, up, _, _ in cloud.points
    ]
    links = [
        tag(
            "line",
            x1=places[one][0],
            y1=places[one][1],
            x2=places[two][0],
            y2=places[two][1],
            class_=dashed(cloud, two),
        )
        for one, two in cloud.links
    ]
    marks = [
        tag("g", tag("title", f"{cloud.groups[group]}: {said}"), mark(group, x, y, 3.5))
        for (x, y), (_, _, group, said) in zip(places, cloud.points, strict=True)
    ]
    parts = tag("g", *links, class_="links"), tag("g", *marks, class_="cloud")
    return join([picture(cloud.title, cloud.says, *parts), legend(cloud.groups)])


def dashed(cloud: Cloud, point: int) -> str | None:
    """The class of a line to a point: solid to the second group, dashed to those after it."""
    group = cloud.points[point][2]
    return f"dash-{(group - 1) % 4}" if group > 1 else None


def share(value: float, values: list[float]) -> float:
    """How far a value stands between the lowest and the highest."""
    low, high = min(values), max(values)
    return (value - low) / (high - low) if high > low else 0.5
