"""Points keep their order on both axes and say what they are."""

import re

from unfooled.report.charts.scatter import Scatter, scattered, share


def test_points_keep_their_order() -> None:
    drawn = scattered(
        Scatter("t", ("original",), ((0.0, 5.0, 0, "left"), (1.0, 9.0, 0, "middle"), (9.0, 1.0, 0, "<right>")))
    )
    found = re.findall(r'<title>original: (.+?)</title><circle cx="([\d.]+)" cy="([\d.]+)"', drawn)
    assert [said for said, _, _ in sorted(found, key=lambda one: float(one[1]))] == ["left", "middle", "&lt;right&gt;"]
    assert [said for said, _, _ in sorted(found, key=lambda one: -float(one[2]))] == ["&lt;right&gt;", "left", "middle"]


def test_links_join_their_points() -> None:
    drawn = scattered(Scatter("t", ("a", "b"), ((0.0, 0.0, 0, "x"), (2.0, 2.0, 1, "y")), links=((0, 1),)))
    assert '<line x1="16" y1="384" x2="624" y2="16">' in drawn


def test_links_to_a_third_group_are_dashed() -> None:
    points = ((0.0, 0.0, 0, "x"), (2.0, 2.0, 1, "y"), (1.0, 2.0, 2, "z"))
    lines = re.findall(r"<line[^>]*>", scattered(Scatter("t", ("a", "b", "c"), points, links=((0, 1), (0, 2)))))
    assert "dash" not in lines[0] and 'class="dash-1"' in lines[1]


def test_a_lone_value_stands_in_the_middle() -> None:
    assert share(3.0, [3.0, 3.0]) == 0.5
