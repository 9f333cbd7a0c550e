"""A score knows what it counts and how it is printed."""

import math

import pytest

from unfooled.scores.score import SHARE, Score, printed

ONE = Score(0.8125, 0.75, 0.9, 16, "share of right answers")


def test_a_score_is_a_share_that_is_better_the_higher_unless_told() -> None:
    assert (ONE.title, ONE.unit, ONE.better) == ("", SHARE, "more")
    named = ONE.called("squared error", "", "less")
    assert (named.title, named.unit, named.better) == ("squared error", "", "less")
    assert (named.value, named.low, named.high, named.n, named.definition) == (0.8125, 0.75, 0.9, 16, ONE.definition)
    assert named.called("accuracy") == ONE.called("accuracy")


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.8125, SHARE, "81.2 %"),
        (1.0, SHARE, "100.0 %"),
        (0.0, SHARE, "0.0 %"),
        (1.2345678, "", "1.235"),
        (123456.0, "texts", "1.235e+05"),
        (-0.5, "", "-0.5"),
        (math.nan, SHARE, "unknown"),
        (math.inf, "", "unknown"),
    ],
)
def test_values_are_printed_in_their_unit(value: float, unit: str, text: str) -> None:
    assert printed(value, unit) == text == Score(value, value, value, 3, "x", unit=unit).text


def test_intervals_are_printed_where_they_are_known() -> None:
    assert ONE.interval == "75.0 – 90.0"
    assert Score(0.1, -0.25, 0.5, 9, "x", unit="").interval == "-0.25 to 0.5"
    assert Score(12.0, 11.111, 13.0, 9, "x", unit="").interval == "11.1 – 13"
    for odd in (Score(math.nan, 0.0, 1.0, 0, "x"), Score(1.0, -math.inf, math.inf, 1, "x")):
        assert odd.interval == ""


def test_another_interval_is_cut_at_what_the_number_can_be() -> None:
    bounded = Score(0.3, 0.1, 0.5, 9, "x", unit="", least=-1.0, most=1.0)
    assert (bounded.between(-2.28, 2.62).low, bounded.between(-2.28, 2.62).high) == (-1.0, 1.0)
    assert bounded.between(0.2, 0.4) == Score(0.3, 0.2, 0.4, 9, "x", unit="", least=-1.0, most=1.0)
    assert ONE.between(-5.0, 5.0).low == -5.0  # nothing is known of what it can be
