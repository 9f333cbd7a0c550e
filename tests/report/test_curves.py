"""A curve goes through its points."""

import re

from unfooled.report.axes import across, upward
from unfooled.report.curves import ends, plotted
from unfooled.report.story import Line, Number, Plot


def test_a_line_goes_through_its_values_and_its_band_through_its_intervals() -> None:
    points = ((0.0, Number(0.5, 0.4, 0.6, 9)), (2.0, Number(0.25, 0.2, 0.3, 9)))
    drawn = plotted(Plot("t", "x", "y", (Line("a", points),)))
    x, y = across(0.0, 2.0), upward(0.0, 1.0)
    (line,) = re.findall(r'<polyline points="([^"]+)"', drawn)
    assert line == f"{x.place(0):.1f},{y.place(0.5):.1f} {x.place(2):.1f},{y.place(0.25):.1f}"
    (band,) = re.findall(r'<polygon points="([^"]+)" class="band', drawn)
    heights = [float(corner.split(",")[1]) for corner in band.split()]
    assert heights == [round(y.place(value), 1) for value in (0.6, 0.3, 0.2, 0.4)]
    assert "a at 2: 25 %" in drawn


def test_without_intervals_there_is_no_band_and_with_many_points_no_marks() -> None:
    points = tuple((float(place), Number(float(place), None, None, 1)) for place in range(50))
    drawn = plotted(Plot("t", "x", "y", (Line("a", points), Line("b", points[:1])), share=False))
    assert "band" not in drawn and drawn.count("<title>a at") == 0 and drawn.count("<title>b at") == 1
    assert "legend" in drawn and "legend" not in plotted(Plot("t", "x", "y", (Line("a", points),)))


def test_ends_are_what_there_is() -> None:
    assert ends(Number(1.0, None, 2.0, 1)) == (1.0, 2.0)


def test_a_line_without_points_keeps_its_colour_from_others() -> None:
    points = ((0.0, Number(0.5, None, None, 9)), (1.0, Number(0.4, None, None, 9)))
    drawn = plotted(Plot("t", "x", "y", (Line("absent", ()), Line("present", points))))
    assert "absent" not in drawn and "line series-1" in drawn and "series-0" not in drawn
