"""What several chapters need is read off the results once, and says what they say."""

import pytest
from results_ground import behaviour, finished, plain, word_attack
from stories import told_of

from unfooled.attacks.records import AttackRecord
from unfooled.report.groups import Group
from unfooled.report.told import Told, defined
from unfooled.scores.intervals import proportion
from unfooled.scores.score import Score


@pytest.fixture
def told() -> Told:
    trials = []
    for name, right, left, failing in (("plain", 90, 30, 4), ("robust", 80, 60, 2)):
        clean, pgd = plain(right, {0.0: right, 0.1: left})
        trials += [finished(name, "clean", clean), finished(name, "pgd", pgd)]
        trials += [finished(name, "invariance", behaviour(failing, 10 - failing))]
    return told_of(*trials, finished("plain", "pwws", word_attack(0, 5, 2)))


def test_numbers_have_a_column_a_model_and_tests_stand_elsewhere(told: Told) -> None:
    found = {(one.trial, one.name): one for one in told.numbers}
    accuracy = found["clean", "accuracy"]
    assert [score and score.value for score in accuracy.scores] == [0.9, 0.8]
    assert (accuracy.row.score.unit, accuracy.row.score.better) == ("share", "more")
    assert found["pgd, eps 0.1", "fooled"].row.score.better == "less"
    assert found["pgd, eps 0.1", "distance"].row.score.unit == "" and ("pgd, eps 0", "fooled") not in found
    assert ("invariance", "failures, meaning kept (INV)") in found
    assert not any("typos" in name for _, name in found)
    assert [score is None for score in found["pwws", "fooled"].scores] == [False, True]


def test_the_hardest_attack_is_one_that_all_went_through(told: Told) -> None:
    assert told.hardest is not None and told.hardest.trial == "pgd, eps 0.1"
    assert told_of(finished("plain", "clean", plain(9, {}, 10)[0])).hardest is None


def test_seeds_stand_in_one_column_with_an_interval_over_examples_and_seeds() -> None:
    trials = [finished(f"a{seed}", "clean", plain(right, {})[0]) for seed, right in enumerate((90, 88, 91))]
    told = told_of(*trials, groups=[Group("a", ("a0", "a1", "a2"))])
    (score,) = next(one for one in told.numbers if one.row.metric == "accuracy").scores
    assert score is not None and score.value == pytest.approx((0.9 + 0.88 + 0.91) / 3) and score.n == 100
    single = proportion(90, 100, "")
    assert score.high - score.low > 0.9 * (single.high - single.low)
    assert told.title == "a" and told.subtitle == "reviews, 100 examples, 3 seeds a method"


def test_titles_name_a_few_models_and_count_many(told: Told) -> None:
    assert (told.title, told.subtitle) == ("plain · robust", "reviews, 100 examples")
    many = [finished(f"m{number}", "clean", plain(9, {}, 10)[0]) for number in range(5)]
    assert told_of(*many).title == "5 models"


def test_trials_are_found_by_their_records_and_headers_by_model(told: Told) -> None:
    assert [(one.model, one.trial) for one in told.of(AttackRecord)] == [("plain", "pwws")]
    assert told.header("robust").model == "robust"


def test_a_number_that_is_not_the_same_for_all_is_defined_by_model() -> None:
    one, two = (Score(0.5, 0.4, 0.6, 10, f"hits of layer {layer}") for layer in (1, 2))
    assert defined({"a": one, "b": one}) == "hits of layer 1"
    assert defined({"a": one, "b": two}) == "a: hits of layer 1; b: hits of layer 2"
