"""Behavioural tests: rules by hand, failures counted case by case, and which tests fit which labels."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from results_ground import behaviour
from tiny import reviews
from trial_ground import by_part, only_asked, ran

from unfooled.errors import BadInput
from unfooled.trials.answers import ANSWERS_TO_VERSIONS
from unfooled.trials.behaviour.cases import Case, CaseRecord, Expectation
from unfooled.trials.inputs import Inputs
from unfooled.trials.invariance import INVARIANCE, InvarianceSettings, failed_examples, failing
from unfooled.trials.trial import Question

A, B, C = ("a",), ("b",), ("c",)
SAYS = {A: (0.8, 0.1, 0.1), B: (0.6, 0.3, 0.1), C: (0.2, 0.1, 0.7)}


def answer(texts: list[tuple[str, ...]]) -> np.ndarray:
    return np.array([SAYS[text] for text in texts])


VICTIM = only_asked(answer, ("x", "y", "z"))


def case(
    kind: Expectation, rule: str, *texts: tuple[str, ...], classes: tuple[int, ...] = (), tolerance: float = 0.0
) -> Case:
    return Case("t", kind, "x", texts, rule, classes, tolerance)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (case("INV", "same", A, B), ()),
        (case("INV", "same", A, B, C), (2,)),
        (case("INV", "same", C, A, B), (1, 2)),
        (case("MFT", "is", A, classes=(0,)), ()),
        (case("MFT", "is", C, classes=(0, 1)), (0,)),
        (case("MFT", "is", A, C, classes=(2,)), (0,)),
        (case("DIR", "is", A, C, classes=(2,)), ()),
        (case("DIR", "is", C, A, classes=(2,)), (1,)),
        (case("DIR", "falls", A, B, classes=(0,)), ()),
        (case("DIR", "falls", A, A, classes=(0,)), (1,)),
        (case("DIR", "falls", B, A, classes=(0,)), (1,)),
        (case("DIR", "falls", B, C, classes=(1,)), ()),
        (case("DIR", "not lower", A, B, tolerance=0.1), (1,)),  # the original's class 0 falls by 0.2
        (case("DIR", "not lower", A, B, tolerance=0.25), ()),
        (case("DIR", "not lower", A, C, classes=(2,)), ()),
        (case("DIR", "not higher", B, A, tolerance=0.1), (1,)),
        (case("DIR", "not higher", A, B, tolerance=0.0), ()),
        (case("DIR", "not higher", A, C, classes=(1, 2)), (1,)),
    ],
)
def test_rules_are_what_they_say(one: Case, expected: tuple[int, ...]) -> None:
    assert failing(one, answer(list(one.texts))) == expected


def test_rounding_is_no_fall() -> None:
    one = case("DIR", "falls", A, B, classes=(0,))
    rows = np.array([[0.5, 0.5], [0.5 - 1e-7, 0.5 + 1e-7]])
    assert failing(one, rows) == (1,)
    assert failing(one, np.array([[0.5, 0.5], [0.499, 0.501]])) == ()


CASES = [
    Case("one", "INV", "x", (A, B), "same"),
    Case("one", "INV", "x", (A, C), "same"),
    Case("two", "MFT", "x", (A,), "is", (0,)),
    Case("three", "DIR", "x", (A, B), "falls", (0,)),
    Case("one", "INV", "x", (C, B), "same"),
    Case("four", "INV", "x", (A, B), "same"),
]


def test_a_case_fails_with_one_of_its_texts_and_rates_are_shares_of_cases() -> None:
    records = list(ran(INVARIANCE, VICTIM, CASES))
    assert [record.failures for record in records] == [(), (1,), (), (), (1,), ()]
    rows = by_part(INVARIANCE.scores(records))
    assert {part: (row.score.value, row.score.n) for (_, part), row in rows.items()} == {
        "INV": (2 / 4, 4),
        "DIR": (0.0, 1),
        "MFT": (0.0, 1),
        "INV one": (2 / 3, 3),
        "INV four": (0.0, 1),
        "DIR three": (0.0, 1),
        "MFT two": (0.0, 1),
    }
    assert [row.part for row in INVARIANCE.scores(records)] == [
        *("INV", "DIR", "MFT"),
        *("INV one", "INV four", "DIR three", "MFT two"),
    ]
    assert all(row.score.definition and row.score.better == "less" for row in rows.values())
    assert not any(row.detail for row in rows.values())


def test_tests_of_stored_suites_are_details() -> None:
    rows = INVARIANCE.scores(behaviour(1, 2, "sentiment: typos"))
    assert [(row.part, row.detail) for row in rows] == [("INV", False), ("INV sentiment: typos", True)]


def test_records_keep_what_was_asked_and_said() -> None:
    record = next(ran(INVARIANCE, VICTIM, CASES, done={0}))
    assert isinstance(record, CaseRecord) and record.index == 1
    assert record.texts == (A, C) and record.predictions == (0, 2)
    assert record.probabilities == (SAYS[A], SAYS[C])


def test_some_failures_are_shown() -> None:
    records = list(ran(INVARIANCE, VICTIM, [*CASES, Case("m", "MFT", "x", (C,), "is", (0,))]))
    assert failed_examples(records, most=2) == [(A, C, 0, 2), (C, B, 2, 0)]
    assert failed_examples(records)[-1] == (C, C, 2, 2)
    assert failed_examples([]) == []


def test_failures_are_shown_by_test_with_the_names_of_what_was_said() -> None:
    records = list(ran(INVARIANCE, VICTIM, CASES))
    assert INVARIANCE.facts(records, ("x", "y", "z")) == {
        "failures": {
            "INV one": [
                {"text": ["a"], "version": ["c"], "said": ["x", "z"]},
                {"text": ["c"], "version": ["b"], "said": ["z", "x"]},
            ]
        }
    }


def test_cases_pass_where_they_do_not_fail_and_those_of_one_text_are_a_family() -> None:
    records = list(ran(INVARIANCE, VICTIM, CASES))
    assert INVARIANCE.questions(records) == {
        Question("failure_rate", part="INV"): {0: True, 1: False, 4: False, 5: True},
        Question("failure_rate", part="MFT"): {2: True},
        Question("failure_rate", part="DIR"): {3: True},
    }
    assert INVARIANCE.families(records) == {0: "a", 1: "a", 2: "a", 3: "a", 4: "c", 5: "a"}
    assert INVARIANCE.good is not None and [INVARIANCE.good(one) for one in records] == [
        True,
        False,
        True,
        True,
        False,
        True,
    ]
    assert INVARIANCE.elsewhere is ANSWERS_TO_VERSIONS


def test_the_verdict_has_a_part_for_either_axis() -> None:
    held, turned = INVARIANCE.verdict
    assert (held.axis, turned.axis) == ("fickleness", "obstinacy")
    records = [*behaviour(2, 8), *behaviour(3, 1, "negation", "DIR")]
    records.append(replace(records[-1], rule="not lower", failures=(1,)))  # turns no meaning round
    assert (held.score({"invariance": records}).value, held.score({"invariance": records}).n) == (0.2, 10)
    assert (turned.score({"invariance": records}).value, turned.score({"invariance": records}).n) == (0.75, 4)


TEXTS = [(f"{text} in a large place",) for text, _ in reviews(12)]
INPUTS = Inputs(TEXTS, [place % 2 for place in range(12)], {}, ("negative", "positive"))


def test_directional_tests_ask_for_labels_that_turn_over() -> None:
    usual, topical = InvarianceSettings(), replace(INPUTS, names=("sport", "world"))
    cases = INVARIANCE.units
    assert {case.kind for case in cases(INPUTS, usual, 0)} == {"INV", "DIR", "MFT"}
    assert {case.kind for case in cases(topical, usual, 0)} == {"INV"}
    assert "DIR" in {case.kind for case in cases(topical, InvarianceSettings(directional=True), 0)}
    assert {case.kind for case in cases(INPUTS, InvarianceSettings(directional=False, templates=False), 0)} == {"INV"}


def test_what_cannot_be_tested_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there are no stored suites, so no sentiment; set UNFOOLED_DATA"):
        INVARIANCE.units(INPUTS, InvarianceSettings(suite="sentiment"), 0)
    with pytest.raises(BadInput, match="holds no stored suites"):
        INVARIANCE.units(replace(INPUTS, suites=tmp_path), InvarianceSettings(suite="sentiment"), 0)
    bare = replace(INPUTS, texts=[("什么",)], labels=[0], names=("sport", "world"))
    with pytest.raises(BadInput, match="no behavioural test can be made of these texts"):
        INVARIANCE.units(bare, InvarianceSettings(kinds=("synonyms",)), 0)
    assert (
        INVARIANCE.notes(INPUTS, InvarianceSettings()) == () == INVARIANCE.notes(INPUTS, InvarianceSettings(suite="x"))
    )
