import gzip
import json
from pathlib import Path

import pytest

from unfooled.errors import BadInput
from unfooled.trials.behaviour.checklist import EXPECTED, read_suite
from unfooled.trials.inputs import Inputs
from unfooled.trials.invariance import INVARIANCE, InvarianceSettings


def row(test: str, kind: str, *examples: str, label: int | None = None) -> dict:
    return {"test": test, "type": kind, "capability": "V", "case": 0, "examples": examples, "labels": label}


ROWS = [
    row("words", "MFT", "good", label=2),
    row("words", "MFT", "flat", label=1),
    row("words", "MFT", "awful", label=0),
    row("typos", "INV", "a film", "a flim", "a film", "a fiml"),
    row("reducers", "DIR", "It was fine.", "It was mostly fine."),
    row("add positive phrases", "DIR", "x", "x. Great."),
    row("simple negations: not negative", "MFT", "not bad"),
    row("something nobody knows", "DIR", "a", "b"),
]
LABELS = {
    "sentiment": {"0": "negative", "1": "neutral", "2": "positive"},
    "qqp": {"0": "not_duplicate", "1": "duplicate"},
}
TWO = ("Negative", "Positive")


def save(folder: Path, rows: list[dict], suite: str = "sentiment") -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "meta.json").write_text(json.dumps({"labels": LABELS}))
    with gzip.open(folder / f"{suite}.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(one) + "\n" for one in rows)
    return folder


def test_cases_expect_what_their_tests_say(tmp_path: Path) -> None:
    found = {(case.test, case.texts[0]): case for case in read_suite(save(tmp_path, ROWS), "sentiment", TWO).cases}
    assert found["words", ("good",)].classes == (1,) and found["words", ("awful",)].classes == (0,)
    assert ("words", ("flat",)) not in found  # a model of two classes cannot say neutral
    typo = found["typos", ("a film",)]
    assert (typo.rule, typo.texts) == ("same", (("a film",), ("a flim",), ("a fiml",)))
    assert found["reducers", ("It was fine.",)].rule == "not higher"
    assert found["reducers", ("It was fine.",)].tolerance == 0.1
    praise = found["add positive phrases", ("x",)]
    assert (praise.rule, praise.classes) == ("not lower", (1,))
    denied = found["simple negations: not negative", ("not bad",)]
    assert (denied.kind, denied.rule, denied.classes) == ("MFT", "is", (1,))


def test_three_classes_keep_neutral_and_what_is_left_out_is_said(tmp_path: Path) -> None:
    three = read_suite(save(tmp_path, ROWS), "sentiment", ("positive", "neutral", "negative"))
    found = {(case.test, case.texts[0]): case.classes for case in three.cases}
    assert found["words", ("flat",)] == (1,) and found["words", ("good",)] == (0,)
    assert found["simple negations: not negative", ("not bad",)] == (1, 0)
    assert "1 cases of 1 tests" in three.notes[0] and "something nobody knows" in three.notes[0]
    assert "2 cases of 2 tests" in read_suite(tmp_path, "sentiment", TWO).notes[0]


def test_a_suite_can_be_shortened(tmp_path: Path) -> None:
    short = read_suite(save(tmp_path, ROWS), "sentiment", TWO, most=1, variants=1)
    assert sum(case.test == "words" for case in short.cases) == 1
    assert max(len(case.texts) for case in short.cases) == 2


def test_pairs_are_read_and_a_lone_pair_has_a_known_answer(tmp_path: Path) -> None:
    alike = "(question, f(question)) where f(question) replaces synonyms?"
    rows = [
        {"test": alike, "type": "INV", "capability": "T", "examples": [["a?", "b?"]], "labels": None},
        {
            "test": "symmetry",
            "type": "INV",
            "capability": "L",
            "examples": [["a?", "b?"], ["b?", "a?"]],
            "labels": None,
        },
        {"test": "lone", "type": "INV", "capability": "L", "examples": [["a?", "b?"]], "labels": None},
    ]
    found = read_suite(save(tmp_path, rows, "qqp"), "qqp", ("not_duplicate", "duplicate")).cases
    assert [(case.test, case.kind, case.rule, case.classes) for case in found] == [
        (alike, "MFT", "is", (1,)),
        ("symmetry", "INV", "same", ()),
    ]
    assert found[1].texts == (("a?", "b?"), ("b?", "a?"))


def test_expectations_name_labels_there_are() -> None:
    known = {name for labels in LABELS.values() for name in labels.values()}
    assert all(set(classes) <= known for _, classes in EXPECTED.values())


@pytest.mark.parametrize(
    "odd",
    [
        {"test": "x", "type": "XYZ", "capability": "V", "examples": ["a"], "labels": 0},
        {"test": "x", "type": "INV", "capability": "V", "examples": [], "labels": None},
        {"test": "x", "type": "INV", "capability": "V", "examples": ["a", ["b", "c"]], "labels": None},
        {"test": "x", "type": "MFT", "capability": "V", "examples": ["a"], "labels": "positive"},
        {"type": "MFT"},
    ],
)
def test_what_is_no_case_is_refused_by_row(tmp_path: Path, odd: dict) -> None:
    with pytest.raises(BadInput, match=r"sentiment.jsonl.gz, row 2 is no case"):
        read_suite(save(tmp_path, [ROWS[0], odd]), "sentiment", TWO)


def test_what_is_no_suite_is_one_sentence(tmp_path: Path) -> None:
    save(tmp_path, ROWS)
    with pytest.raises(BadInput, match="no stored suite called sentimant for classifiers; did you mean sentiment"):
        read_suite(tmp_path, "sentimant", TWO)
    with pytest.raises(BadInput, match="asks for the labels negative, neutral, positive, the model knows sport, world"):
        read_suite(tmp_path, "sentiment", ("sport", "world"))
    with pytest.raises(BadInput, match="holds no stored suites"):
        read_suite(tmp_path / "nowhere", "sentiment", TWO)
    (tmp_path / "sentiment.jsonl.gz").write_bytes(b"not gzip")
    with pytest.raises(BadInput, match="cannot be read as gzipped"):
        read_suite(tmp_path, "sentiment", TWO)
    (tmp_path / "meta.json").write_text("{}")
    with pytest.raises(BadInput, match="does not name the labels"):
        read_suite(tmp_path, "sentiment", TWO)


def test_the_trial_takes_a_suites_cases_under_its_name_and_says_what_is_left_out(tmp_path: Path) -> None:
    inputs = Inputs([("什么",)], [0], {}, TWO, suites=save(tmp_path, ROWS))
    chosen = InvarianceSettings(kinds=(), templates=False, directional=False, suite="sentiment", most_cases=1)
    cases = INVARIANCE.units(inputs, chosen, 0)
    assert [case.test for case in cases] == [
        *("sentiment: words", "sentiment: typos", "sentiment: reducers"),
        *("sentiment: add positive phrases", "sentiment: simple negations: not negative"),
    ]
    assert "2 cases of 2 tests" in INVARIANCE.notes(inputs, chosen)[0]
