"""Tables say every number with its interval."""

import math

from stories import words

from unfooled.report.markup import tag
from unfooled.report.tables import cell, row, table
from unfooled.scores.score import Score


def test_values_are_printed_with_their_intervals() -> None:
    assert words(cell(Score(0.84, 0.79, 0.885, 200, ""))) == "84.0 % 79.0 – 88.5"
    assert words(cell(Score(7.746, 7.1, 8.4, 20, "", unit=""))) == "7.746 7.1 – 8.4"
    assert words(cell(Score(-0.5, -0.75, 0.25, 20, "", unit=""))) == "-0.5 -0.75 to 0.25"
    assert words(cell(Score(3.0, -math.inf, math.inf, 1, "", unit=""))) == "3"
    assert words(cell(Score(math.nan, 0.0, 1.0, 0, ""))) == "unknown"
    assert "not measured" in cell(None) and "<b>50.0 %</b>" in cell(Score(0.5, 0.4, 0.6, 9, ""), best=True)


def test_a_table_scrolls_by_itself_and_names_its_rows_and_columns() -> None:
    whole = table("<caption>", ["a", "b"], [tag("tbody", row("name", tag("td", "value")))], "facts")
    assert 'tabindex="0"' in whole and 'aria-label="&lt;caption&gt;"' in whole and whole.count('scope="col"') == 2
    assert '<th scope="row">name</th><td>value</td>' in whole and '<table class="facts">' in whole
