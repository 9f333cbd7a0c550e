"""Points stand at their coordinates, and their names do not cover one another."""

import re

from unfooled.report.axes import across, upward
from unfooled.report.story import Number, Standing
from unfooled.report.verdict_chart import says, verdict_chart


def standing(name: str, fickle: float, obstinate: float | None) -> Standing:
    other = None if obstinate is None else Number(obstinate, None, None, 10)
    return Standing(name, Number(fickle, fickle - 0.05, fickle + 0.05, 10), other)


def test_a_model_stands_at_its_coordinates_with_its_interval() -> None:
    drawn = verdict_chart([standing("plain", 0.6, 0.2)])
    x, y = across(0.0, 0.75), upward(0.0, 0.75)
    found = re.search(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="6.5"', drawn)
    assert found and [float(place) for place in found.groups()] == [round(x.place(0.6), 2), round(y.place(0.2), 2)]
    arms = re.findall(r'<line x1="([\d.]+)" x2="([\d.]+)"', drawn.split('class="arms')[0].rsplit("<g>", 1)[-1] + drawn)
    assert (f"{x.place(0.55):.2f}".rstrip("0").rstrip("."), f"{x.place(0.65):.2f}".rstrip("0").rstrip(".")) in arms


def test_models_with_one_coordinate_are_not_drawn() -> None:
    drawn = verdict_chart([standing("half", 0.1, None), standing("whole", 0.1, 0.1)])
    assert "whole" in drawn and "half" not in drawn
    assert "series-1" in drawn and "series-0" not in drawn  # whole keeps the colour it has elsewhere


def test_the_picture_is_told_in_words() -> None:
    assert says([standing("plain", 0.4, 0.12)]) == "plain: fickleness 40.0 %, obstinacy 12.0 %"


def test_moved_names_are_joined_to_their_points() -> None:
    alone = verdict_chart([standing("plain", 0.6, 0.2)])
    near = verdict_chart([standing(f"model {number}", 0.3 + 0.001 * number, 0.2) for number in range(5)])
    assert "leader" not in alone
    words = re.findall(r'class="name">([^<]+)<', near)
    assert sorted(words) == [f"model {number}" for number in range(5)] and near.count("arms leader") >= 2


def test_names_too_many_or_too_long_are_in_the_legend_still() -> None:
    long = "runs/" + "w" * 80
    drawn = verdict_chart([standing(long, 0.6, 0.2)])
    assert f"</svg>{long}</li>" in drawn and f">{long}</text>" not in drawn
    many = verdict_chart([standing(f"{number} {'w' * 20}", 0.6, 0.2) for number in range(60)])
    assert many.count('class="name"') < 60 and all(f"</svg>{number} w" in many for number in range(60))
