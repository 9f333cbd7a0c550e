"""A curve goes through its points."""

import math
import re

from unfooled.report.charts.axes import across, upward
from unfooled.report.charts.lines import Line, Plot, ends, figures, plotted
from unfooled.scores.score import Score


def bare(value: float, unit: str = "share") -> Score:
    """A score without an interval."""
    return Score(value, math.nan, math.nan, 1, "", unit=unit)


def test_a_line_goes_through_its_values_and_its_band_through_its_intervals() -> None:
    points = ((0.0, Score(0.5, 0.4, 0.6, 9, "")), (2.0, Score(0.25, 0.2, 0.3, 9, "")))
    drawn = plotted(Plot("t", "x", "y", (Line("a", points),)))
    x, y = across(0.0, 2.0), upward(0.0, 1.0)
    (line,) = re.findall(r'<polyline points="([^"]+)"', drawn)
    assert line == f"{x.place(0):.1f},{y.place(0.5):.1f} {x.place(2):.1f},{y.place(0.25):.1f}"
    (band,) = re.findall(r'<polygon points="([^"]+)" class="band', drawn)
    heights = [float(corner.split(",")[1]) for corner in band.split()]
    assert heights == [round(y.place(value), 1) for value in (0.6, 0.3, 0.2, 0.4)]
    assert "a at 2: 25 %" in drawn


def test_without_intervals_there_is_no_band_and_with_many_points_no_marks() -> None:
    points = tuple((float(place), bare(float(place), "loss")) for place in range(50))
    drawn = plotted(Plot("t", "x", "y", (Line("a", points), Line("b", points[:1]))))
    assert "band" not in drawn and drawn.count("<title>a at") == 0 and drawn.count("<title>b at") == 1
    assert "legend" in drawn and "legend" not in plotted(Plot("t", "x", "y", (Line("a", points),)))


def test_ends_are_what_there_is() -> None:
    assert ends(Score(1.0, -math.inf, 2.0, 1, "")) == (1.0, 2.0)


def test_a_line_without_points_keeps_its_colour_from_others() -> None:
    points = ((0.0, bare(0.5)), (1.0, bare(0.4)))
    drawn = plotted(Plot("t", "x", "y", (Line("absent", ()), Line("present", points))))
    assert "absent" not in drawn and "line series-1" in drawn and "series-0" not in drawn


def test_pictures_stand_with_their_sentences_and_none_is_nothing() -> None:
    plot = Plot("<t>", "x", "y", (Line("a", ((0.0, bare(0.5)), (1.0, bare(0.4)))),), "it falls")
    assert plot.curved and not Plot("t", "x", "y", (Line("a", ((0.0, bare(0.5)),)),)).curved
    assert "<h3>&lt;t&gt;</h3>" in figures([plot]) and "<figcaption>it falls</figcaption>" in figures([plot])
    assert figures([]) == ""
