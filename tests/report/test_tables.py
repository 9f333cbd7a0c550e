"""Tables say every number with its interval and n."""

import math
import re
from dataclasses import replace

from stories import full_story, measures, number

from unfooled.report.story import Cost, Gap, Matrix, Measure, Number
from unfooled.report.tables import (
    cell,
    chance,
    checks_table,
    costs_table,
    definitions,
    facts_table,
    gaps_table,
    interval,
    matrix_table,
    measures_table,
    shade,
    shown,
    standings_table,
)


def words(markup: str) -> str:
    return " ".join(re.sub("<[^>]+>", " ", markup).split())


def test_values_are_printed_with_their_intervals() -> None:
    assert words(cell(Number(0.84, 0.79, 0.885, 200), share=True)) == "84.0 % 79.0 – 88.5"
    assert words(cell(Number(7.746, 7.1, 8.4, 20), share=False)) == "7.746 7.1 – 8.4"
    assert words(cell(Number(3.0, -math.inf, math.inf, 1), share=False)) == "3"
    assert shown(math.nan, True) == "unknown" and interval(Number(1, None, None, 1), True) is None
    assert "not measured" in cell(None, share=True)


def test_the_best_of_a_row_is_bold_by_what_better_means() -> None:
    found = measures_table(("plain", "robust"), measures())
    assert "<b>85.0 %</b>" in found and "<b>60.0 %</b>" in found and found.count("<b>") == 2
    tie = Measure("clean", "accuracy", "", (number(0.5), number(0.5)))
    assert "<b>" not in measures_table(("a", "b"), [tie])


def test_trials_stand_together_and_n_is_there() -> None:
    found = words(measures_table(("plain", "robust"), measures()))
    assert found.index("clean") < found.index("confidence") < found.index("pwws")
    assert "accuracy 84.0 % 79.0 – 89.0 85.0 % 80.0 – 90.0 200" in found
    sizes = Measure("a", "b", "", (number(0.5, 10), number(0.5, 20)))
    assert "10 / 20" in words(measures_table(("a", "b"), [sizes]))


def test_definitions_are_told() -> None:
    told = words(definitions(measures(), "Intervals are of some kind."))
    assert "share of the right ones fooled" in told and "Intervals are of some kind." in told


def test_a_difference_is_called_one_only_after_holms_correction() -> None:
    gap = Gap("accuracy", "plain", "robust", Number(0.05, 0.01, 0.09, 200), 0.03, 0.06, "McNemar", 4, 14)
    found = words(gaps_table([gap]))
    assert "+5.0 +1.0 to +9.0 4 14 0.030 0.060 not shown to differ" in found
    assert "only first right" not in words(gaps_table(full_story().gaps[1:]))
    assert "differs" in words(gaps_table(full_story().gaps[:1]))
    assert chance(0.0004) == "< 0.001"


def test_costs_are_beside_the_first() -> None:
    costs = (
        Cost("plain", Number(40, None, None, 1), Number(900, None, None, 1)),
        Cost("freelb", Number(110, None, None, 1), None),
    )
    assert "freelb 110 2.75 × –" in words(costs_table(costs))
    gaining = replace(costs[1], gains=(("pwws", Number(0.2, 0.1, 0.3, 9)),))
    assert "freelb 110 2.75 × – +20.0 +10.0 to +30.0" in words(costs_table((costs[0], gaining)))


def test_checks_show_failures() -> None:
    found = words(checks_table(("plain", "robust"), full_story().checks))
    assert "typos INV 10.0 % 5.0 – 15.0 – see typo:" in found


def test_a_matrix_is_shaded_by_row_and_rows_are_true_classes() -> None:
    found = matrix_table(Matrix("t", ("neg", "pos"), ((90.0, 10.0), (0.0, 5.0))))
    assert [int(one) for one in re.findall(r"shade-(\d)", found)] == [9, 1, 0, 9]
    assert "neg 90 10 pos 0 5" in words(found)
    assert "1.00 2.50" in words(matrix_table(Matrix("d", ("a", "b"), ((1.0, 2.5), (2.0, 1.0)), counts=False)))
    assert [shade(part) for part in (-1.0, 0.0, 0.05, 0.999, 1.0)] == [0, 0, 0, 9, 9]


def test_the_verdict_is_told_with_its_parts_and_facts_are_code() -> None:
    found = words(standings_table(full_story().standings))
    assert "plain 40.0 % 35.0 – 45.0 12.0 % 7.0 – 17.0 pwws 40.0 %" in found
    assert "<code>" in facts_table(full_story().facts[0])
