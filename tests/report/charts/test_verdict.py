"""Points stand at their coordinates, and their letters do not cover one another."""

import math
import random
import re
from itertools import combinations

import pytest

from unfooled.report.charts.axes import across, upward
from unfooled.report.charts.verdict import GOOD, LETTER, NEAR, letter_places, says, verdict_chart
from unfooled.results.verdict import Coordinate, Verdict
from unfooled.scores.score import Score

X, Y = across(0.0, 1.0, share=True), upward(0.0, 1.0, share=True)


def standing(name: str, fickle: float, obstinate: float | None) -> Verdict:
    first = Score(fickle, fickle - 0.05, fickle + 0.05, 10, "")
    second = None if obstinate is None else Score(obstinate, math.nan, math.nan, 10, "")
    return Verdict(name, {"fickleness": Coordinate(first, {}), "obstinacy": Coordinate(second, {})})


def test_a_model_stands_at_its_coordinates_with_its_interval() -> None:
    drawn = verdict_chart([standing("plain", 0.6, 0.2)])
    x, y = X, Y
    found = re.search(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="6.5"', drawn)
    assert found and [float(place) for place in found.groups()] == [round(x.place(0.6), 2), round(y.place(0.2), 2)]
    arms = re.findall(r'<line x1="([\d.]+)" x2="([\d.]+)"', drawn)
    assert (f"{x.place(0.55):.2f}".rstrip("0").rstrip("."), f"{x.place(0.65):.2f}".rstrip("0").rstrip(".")) in arms


def test_the_good_corner_is_the_same_whatever_the_data() -> None:
    corners = {
        re.search(r'<rect [^>]*class="good">', verdict_chart([standing("a", value, value)])).group()  # type: ignore[union-attr]
        for value in (0.05, 0.3, 0.9)
    }
    (corner,) = corners
    width, height = X.place(GOOD) - X.start, Y.start - Y.place(GOOD)
    assert f'width="{width:g}" height="{height:g}"' in corner
    assert "good is 20 % or less of both" in verdict_chart([standing("a", 0.05, 0.05)])


def test_models_with_one_coordinate_are_not_drawn() -> None:
    drawn = verdict_chart([standing("half", 0.1, None), standing("whole", 0.1, 0.1)])
    assert "whole" in drawn and "half" not in drawn
    assert "series-1" in drawn and "series-0" not in drawn  # whole keeps the colour and the letter it has elsewhere
    assert "<b>B</b> whole</li>" in drawn and 'class="name">B<' in drawn


def test_the_picture_is_told_in_words() -> None:
    assert says(standing("plain", 0.4, 0.12)) == "plain: fickleness 40.0 %, obstinacy 12.0 %"


def test_moved_letters_are_joined_to_their_points() -> None:
    near = verdict_chart([standing(f"model {number}", 0.3 + 0.001 * number, 0.2) for number in range(12)])
    assert "leader" not in verdict_chart([standing("plain", 0.6, 0.2)])
    assert sorted(re.findall(r'class="name">([^<]+)<', near)) == list("ABCDEFGHIJKL") and "arms leader" in near


def test_long_and_hostile_names_are_in_the_legend_alone() -> None:
    long = "runs/" + "w" * 80 + "<b>"
    drawn = verdict_chart([standing(long, 0.6, 0.2)])
    assert "<b>A</b> runs/" in drawn and "&lt;b&gt;</li>" in drawn and ">A</text>" in drawn
    assert not re.search(r"<text[^>]*>runs", drawn)


@pytest.mark.parametrize("count", range(1, 13))
@pytest.mark.parametrize("spread", [0.0, 2.0, 15.0, 80.0, 1000.0])
def test_up_to_a_dozen_letters_keep_apart_wherever_their_points_are(count: int, spread: float) -> None:
    draw = random.Random(f"{count} {spread}")
    middle = draw.uniform(X.start, X.end), draw.uniform(Y.end, Y.start)
    points = [
        (
            min(max(middle[0] + draw.uniform(-spread, spread), X.start), X.end),
            min(max(middle[1] + draw.uniform(-spread, spread), Y.end), Y.start),
        )
        for _ in range(count)
    ]
    places = letter_places(points, X, Y)
    assert all(math.dist(one, other) >= LETTER for one, other in combinations(places, 2))
    assert all(math.dist(place, point) > NEAR - 1 for place in places for point in points)
    assert all(X.start < x < X.end and Y.end < y < Y.start for x, y in places)
