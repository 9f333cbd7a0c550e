import numpy as np
import pytest

from unfooled.evaluation.behaviour import (
    Case,
    CaseRecord,
    Kind,
    behave,
    failed_examples,
    failing,
    scores_by_kind,
    scores_by_test,
)

A, B, C = ("a",), ("b",), ("c",)
SAYS = {A: (0.8, 0.1, 0.1), B: (0.6, 0.3, 0.1), C: (0.2, 0.1, 0.7)}


def answer(texts: list[tuple[str, ...]]) -> np.ndarray:
    return np.array([SAYS[text] for text in texts])


def case(kind: Kind, rule: str, *texts: tuple[str, ...], classes: tuple[int, ...] = (), tolerance: float = 0.0) -> Case:
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
    records = list(behave(answer, CASES))
    assert [record.failures for record in records] == [(), (1,), (), (), (1,), ()]
    by_kind = {kind: (score.value, score.n) for kind, score in scores_by_kind(records).items()}
    assert by_kind == {"INV": (2 / 4, 4), "DIR": (0.0, 1), "MFT": (0.0, 1)}
    by_test = {key: (score.value, score.n) for key, score in scores_by_test(records).items()}
    assert by_test == {
        ("INV", "one"): (2 / 3, 3),
        ("INV", "four"): (0.0, 1),
        ("DIR", "three"): (0.0, 1),
        ("MFT", "two"): (0.0, 1),
    }
    assert all(score.definition for score in scores_by_test(records).values())


def test_records_keep_what_was_asked_and_said() -> None:
    record = next(iter(behave(answer, CASES, done={0})))
    assert isinstance(record, CaseRecord) and record.index == 1
    assert record.texts == (A, C) and record.predictions == (0, 2)
    assert record.probabilities == (SAYS[A], SAYS[C])


def test_some_failures_are_shown() -> None:
    records = list(behave(answer, [*CASES, Case("m", "MFT", "x", (C,), "is", (0,))]))
    assert failed_examples(records, most=2) == [(A, C, 0, 2), (C, B, 2, 0)]
    assert failed_examples(records)[-1] == (C, C, 2, 2)
    assert failed_examples([]) == []
