"""A column's number is the mean of its seeds, no surer than examples and seeds allow."""

import pytest
from results_ground import contrast_pairs, finished, results_of, word_attack

from unfooled.report.groups import Group, averaged, combined, common, each_model, standings
from unfooled.scores.agreement import matthews
from unfooled.scores.intervals import mean, proportion
from unfooled.scores.score import Score

BOTH = Group("m", ("a", "b"))


def test_failure_rates_keep_their_direction_over_seeds() -> None:
    answers = {name: {index: float(index >= failing) for index in range(20)} for name, failing in (("a", 2), ("b", 4))}
    scores = {name: proportion(failing, 20, "") for name, failing in (("a", 2), ("b", 4))}
    score = combined(BOTH, scores, answers)
    assert score is not None and score.value == pytest.approx(0.15)
    assert score.low < 0.15 < score.high < 0.6


def test_what_is_not_answered_example_by_example_has_an_interval_over_seeds() -> None:
    scores = {"a": proportion(1, 50, ""), "b": proportion(9, 50, "")}
    score = combined(BOTH, scores, {})
    assert score is not None and score.value == pytest.approx(0.1) and (score.low, score.high) == (0.0, 1.0)


def test_no_interval_over_seeds_leaves_what_the_number_can_be() -> None:
    found = [matthews([[right, 50 - right], [50 - right, right]]) for right in (48, 30)]
    score = combined(BOTH, dict(zip("ab", found, strict=True)), {})
    assert score is not None and (score.low, score.high) == (-1.0, 1.0)  # Student's t of two seeds leaves it
    queries = [mean([value, value + 1], "", 0.0).called("queries", "texts") for value in (1.0, 40.0)]
    several = combined(BOTH, dict(zip("ab", queries, strict=True)), {})
    assert several is not None and several.low == 0.0 and several.high > 40
    bare = {name: Score(value, value, value, 9, "") for name, value in (("a", 0.1), ("b", 0.9))}
    share = combined(BOTH, bare, {})
    assert share is not None and (share.low, share.high) == (0.0, 1.0)  # a share that says no bounds


def test_a_number_that_is_no_mean_of_its_answers_has_an_interval_over_seeds() -> None:
    scores = {name: Score(value, value - 1, value + 1, 40, "", unit="") for name, value in (("a", 20.0), ("b", 22.0))}
    answers = {name: dict.fromkeys(range(40), -3.0) for name in "ab"}
    score = combined(BOTH, scores, answers)
    assert score is not None and score.value == 21.0 and score.high - score.low > 20  # Student's t of two seeds


def test_a_single_model_keeps_its_score_and_no_model_has_none() -> None:
    score = proportion(1, 2, "")
    assert combined(Group("a", ("a",)), {"a": score}, {}) is score and combined(BOTH, {}, {}) is None


def test_only_examples_that_all_answered_are_compared() -> None:
    assert common([{1: 1.0, 2: 0.0, 3: 1.0}, {2: 1.0, 3: 0.0, 4: 1.0}]).tolist() == [2, 3]
    assert not len(common([])) and not len(common([{1: 1.0}, {2: 1.0}]))


def test_standings_are_those_of_the_verdict() -> None:
    trials = [finished("plain", "pwws", word_attack(3, 5, 2)), finished("plain", "contrast", contrast_pairs(3, 1))]
    results = results_of(*trials)
    (verdict,) = standings(results, each_model(results))
    assert verdict.fickleness.score is not None and verdict.fickleness.score.value == 5 / 8
    assert verdict.obstinacy.score is not None and verdict.obstinacy.score.value == 1 / 4
    assert (list(verdict.fickleness.parts), list(verdict.obstinacy.parts)) == (["word attacks"], ["contrast set"])


def test_the_mean_of_seeds_is_never_surer_than_they_are() -> None:
    score = averaged([proportion(count, 1000, "") for count in (400, 500, 600)])
    assert score is not None and score.value == 0.5 and score.low < 0.3
    assert averaged([None]) is None
