"""Values stand where they belong."""

import math
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unfooled.report.charts.axes import Axis, across, covering, grid, legend, mark, picture, round_values, upward


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_round_within_the_ends_and_few(low: float, width: float) -> None:
    ticks = round_values(low, low + width)
    assert 2 <= len(ticks) <= 9
    assert all(low - 1e-6 * width <= tick <= low + width + 1e-6 * width for tick in ticks)
    steps = {round(b - a, 9) for a, b in pairwise(ticks)}
    digits = [step / 10 ** math.floor(math.log10(step) + 1e-9) for step in steps]
    assert all(min(abs(digit - round_one) for round_one in (1, 2, 5, 10)) < 1e-3 for digit in digits)


def test_places_run_between_the_ends() -> None:
    axis = Axis(0.0, 2.0, 100.0, 300.0, share=False)
    assert [axis.place(value) for value in (0, 1, 2, 5, -5)] == [100, 200, 300, 300, 100]
    up = upward(0.0, 1.0)
    assert up.place(1.0) < up.place(0.0)
    assert across(3.0, 3.0).place(3.0) == across(0.0, 1.0).start


def test_ends_hold_all_values() -> None:
    assert covering([0.2], share=True) == (0.0, 1.0)
    low, high = covering([2.0, 4.0], share=False)
    assert low < 2 < 4 < high
    assert covering([3.0, 3.0], share=False) == (2.5, 3.5)


def test_a_picture_says_what_it_is_and_names_its_axes() -> None:
    drawn = picture("Curves", "it falls", grid(across(0, 1, True), upward(0, 1), "to the right", "upwards"))
    assert 'role="img"' in drawn and 'aria-label="Curves"' in drawn and "<desc>it falls</desc>" in drawn
    assert ">to the right<" in drawn and ">upwards<" in drawn and ">20 %<" in drawn and ">0.2<" in drawn


@pytest.mark.parametrize("series", range(4))
def test_series_differ_in_shape_and_colour(series: int) -> None:
    def shape(number: int) -> str:
        return re.sub(r"series-\d", "", mark(number, 0.0, 0.0))

    assert f"series-{series}" in mark(series, 0.0, 0.0)
    assert sum(shape(series) == shape(other) for other in range(4)) == 1


def test_a_legend_names_all_and_escapes() -> None:
    assert legend(["plain", "<b>"]).count("<li>") == 2 and "&lt;b&gt;" in legend(["<b>"])
