"""SQuAD's comparison of answers, each expectation worked out by hand from its definition."""

import numpy as np
import pytest
from drawn_ground import drawn_by_hand

from unfooled.scores.intervals import clustered
from unfooled.scores.squad import answer_scores, exact_match, normalised, token_f1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Cat", "cat"),
        ("a  an\tthe\nX", "x"),
        ("theatre", "theatre"),
        ("U.S.A.", "usa"),
        ("(1,000)", "1000"),
        ("rock'n'roll", "rocknroll"),
        ("the-end", "theend"),
        ("Ärger — Öl", "ärger — öl"),
        ("The", ""),
    ],
)
def test_normalisation(text: str, expected: str) -> None:
    assert normalised(text) == expected


def test_exact_match_takes_any_right_answer() -> None:
    assert exact_match("the Eiffel tower.", ["Paris", "Eiffel Tower"])
    assert not exact_match("Eiffel", ["Paris", "Eiffel Tower"])
    assert not exact_match("Eiffel", [])


@pytest.mark.parametrize(
    ("answer", "right", "expected"),
    [
        ("Eiffel Tower in Paris", ["Eiffel Tower"], 2 * (2 / 4) * (2 / 2) / (2 / 4 + 2 / 2)),
        ("big big dog", ["big dog dog"], 2 * (2 / 3) * (2 / 3) / (4 / 3)),  # each word as often as on both sides
        ("cat", ["dog"], 0.0),
        ("cat", ["dog", "a cat"], 1.0),
        ("the", ["an"], 1.0),  # nothing is left of either
        ("the", ["cat"], 0.0),
    ],
)
def test_f1_of_words(answer: str, right: list[str], expected: float) -> None:
    assert token_f1(answer, right) == pytest.approx(expected)


def test_scores_over_questions() -> None:
    found = answer_scores(["cat", "big dog", "x"], [["the cat"], ["dog"], ["y"]])
    assert found["exact match"].value == pytest.approx(1 / 3) and found["exact match"].n == 3
    assert found["f1"].value == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert found["f1"].low < found["f1"].value < found["f1"].high


def test_answers_of_one_question_are_drawn_together() -> None:
    said = ["the navy", "navy of France", "a war", "peace", "war", ""]
    right = [["navy"]] * 3 + [["war", "peace"]] * 3
    groups = [0, 0, 0, 1, 1, 1]
    shares = np.array([1.0, 0.5, 0.0, 1.0, 1.0, 0.0])
    found = answer_scores(said, right, groups)
    assert found["f1"].value == pytest.approx(shares.mean())
    assert (found["f1"].low, found["f1"].high) == pytest.approx(drawn_by_hand(groups, lambda rows: shares[rows].mean()))
    same = clustered([True, False, False, True, True, False], groups, found["exact match"].definition)
    assert found["exact match"] == same.called("exact match")
    assert [score.title for score in found.values()] == ["F1", "exact match"]
