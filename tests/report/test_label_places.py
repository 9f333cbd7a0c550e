"""Names never cover one another, a point or other words, and never leave the picture, however near their points are."""

import math
import random
from itertools import combinations

import pytest

from unfooled.report.label_places import GAP, Box, Label, around, cheapest, placed_labels, shortened, text_width

FRAME = Box(78.0, 26.0, 614.0, 342.0)
NAMES = [
    "plain",
    "freelb",
    "smart",
    "a method with a rather long name",
    "WWWWWWWWWW",
    "carl-seed-0",
    "日本語のモデル",
    "x",
]
WORDS = [Box(86.0, 317.0, 220.0, 339.0), Box(550.0, 25.0, 606.0, 47.0)]


def apart(one: Box, other: Box) -> bool:
    """Whether two boxes share nothing, by the definition of an intersection."""
    width = min(one.right, other.right) - max(one.left, other.left)
    height = min(one.bottom, other.bottom) - max(one.top, other.top)
    return width <= 0 or height <= 0


def checked(points: list[tuple[float, float]], names: list[str], radius: float = 8.5) -> list[Label]:
    found = placed_labels(names, points, FRAME, WORDS, [], 17.0, radius)
    labels = [label for label in found if label is not None]
    assert len(labels) == len(points)
    marks = [Box(x - radius, y - radius, x + radius, y + radius) for x, y in points]
    for one, other in combinations([label.box for label in labels], 2):
        assert apart(one, other)
    for label in labels:
        box = label.box
        assert (
            box.left >= FRAME.left and box.right <= FRAME.right and box.top >= FRAME.top and box.bottom <= FRAME.bottom
        )
        assert all(apart(box, other) for other in (*marks, *WORDS))
        assert box.right - box.left == pytest.approx(text_width(label.text, 17.0))
    return labels


@pytest.mark.parametrize("count", range(1, 9))
@pytest.mark.parametrize("spread", [0.0, 2.0, 15.0, 80.0, 1000.0])
def test_up_to_eight_names_keep_apart_wherever_their_points_are(count: int, spread: float) -> None:
    draw = random.Random(f"{count} {spread}")
    for _ in range(6):
        middle = draw.uniform(76, 616), draw.uniform(24, 344)
        points = [
            (
                min(max(middle[0] + draw.uniform(-spread, spread), 76.0), 616.0),
                min(max(middle[1] + draw.uniform(-spread, spread), 24.0), 344.0),
            )
            for _ in range(count)
        ]
        checked(points, draw.sample(NAMES, count))


@pytest.mark.parametrize("corner", [(76.0, 24.0), (616.0, 24.0), (76.0, 344.0), (616.0, 344.0)])
def test_eight_models_in_one_corner_have_their_names(corner: tuple[float, float]) -> None:
    checked([corner] * 8, NAMES)


def test_a_name_alone_stands_beside_its_point() -> None:
    (label,) = checked([(300.0, 200.0)], ["plain"])
    assert math.dist(label.box.nearest(300.0, 200.0), (300.0, 200.0)) < 8.5 + GAP + 2


def test_where_nothing_is_free_there_is_no_name() -> None:
    tight = Box(0.0, 0.0, 90.0, 24.0)
    found = placed_labels(["one", "two"], [(200.0, 200.0)] * 2, tight, [Box(40.0, 0.0, 41.0, 24.0)], [], 17.0, 5.0)
    assert [label is None for label in found] == [False, True]


def test_names_are_cut_in_their_middle_to_fit() -> None:
    for widest in (20.0, 50.0, 90.0):
        assert text_width(shortened("runs/freelb/seed-0", 12.0, widest), 12.0) <= widest
    assert shortened("plain", 12.0, 100.0) == "plain" and shortened("plain", 12.0, 1.0) == "…"


@pytest.mark.parametrize(
    ("line", "crossed"),
    [
        ((0.0, 0.0, 30.0, 30.0), True),
        ((0.0, 15.0, 12.0, 15.0), True),
        ((15.0, 0.0, 15.0, 40.0), True),
        ((0.0, 15.0, 9.0, 15.0), False),
        ((0.0, 10.0, 30.0, 10.0), False),  # along its edge
        ((0.0, 25.0, 25.0, 50.0), False),
        ((12.0, 12.0, 13.0, 13.0), True),  # all of it inside
    ],
)
def test_a_line_crosses_a_box_where_it_has_a_place_inside(line: tuple[float, ...], crossed: bool) -> None:
    x1, y1, x2, y2 = line
    assert Box(10.0, 10.0, 20.0, 20.0).crossed((x1, y1, x2, y2)) is crossed


def test_a_place_whose_line_crosses_no_name_is_worth_a_way() -> None:
    near, far = Box(50.0, 0.0, 60.0, 10.0), Box(0.0, 70.0, 10.0, 80.0)
    between = Box(20.0, -5.0, 30.0, 15.0)
    assert cheapest([far, near], (0.0, 5.0), [], [], []) == near
    assert cheapest([far, near], (0.0, 5.0), [between], [], []) == far
    assert cheapest([far, near], (0.0, 5.0), [], [(55.0, -9.0, 55.0, 30.0)], []) == far
    assert cheapest([], (0.0, 5.0), [], [], []) is None


def test_places_begin_beside_the_point_and_stay_in_the_frame() -> None:
    found = list(around(300.0, 200.0, 60.0, 20.0, 8.0, FRAME))
    assert all(box.within(FRAME) for box in found) and len(found) > 1000
    assert found[0].bottom < 200.0 and found[0].left > 308.0
