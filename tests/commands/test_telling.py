"""The table and the tests of differences say what the records say."""

from dataclasses import replace
from pathlib import Path

import pytest
from results_ground import behaviour, contrast_pairs, save_results, save_trial, word_attack

from unfooled.commands.gathering import Gathered, gathered
from unfooled.commands.telling import Group, averaged, combined, common, defined, gaps, measures, standings
from unfooled.evaluation.metrics import Score, proportion
from unfooled.evaluation.significance import bootstrap, holm, mcnemar

PLAIN, ROBUST = Group("plain", ("plain",)), Group("robust", ("robust",))


@pytest.fixture
def told(tmp_path: Path) -> Gathered:
    save_results(tmp_path, "plain", right=90, left={0.1: 30})
    save_results(tmp_path, "robust", right=80, left={0.1: 60})
    save_trial(tmp_path, "plain", "pwws", word_attack(3, 5, 2))
    save_trial(tmp_path, "robust", "pwws", word_attack(6, 2, 2))
    for name, failing in (("plain", 4), ("robust", 2)):
        save_trial(tmp_path, name, "invariance", behaviour(failing, 10 - failing))
    return gathered([tmp_path])


def test_the_table_has_a_column_a_model_and_tests_stand_elsewhere(told: Gathered) -> None:
    found = {(one.trial, one.name): one for one in measures(told, [PLAIN, ROBUST])}
    accuracy = found[("clean", "accuracy")]
    assert [number and number.value for number in accuracy.numbers] == [0.9, 0.8]
    assert (accuracy.share, accuracy.better) == (True, "more")
    assert found[("pgd, eps 0.1", "fooled")].better == "less"
    assert not found[("pgd, eps 0.1", "mean distance")].share
    assert ("invariance", "failures, INV") in found and ("invariance", "failures, INV typos") not in found


def test_single_models_are_compared_by_mcnemar_and_all_questions_are_corrected(told: Gathered) -> None:
    found = {gap.measure: gap for gap in gaps(told, [PLAIN, ROBUST])}
    assert set(found) == {
        "clean: accuracy",
        "pgd 0.1: accuracy under attack",
        "pwws: accuracy under attack",
        "invariance: passed INV tests",
    }
    clean = found["clean: accuracy"]
    right = [[index < count for index in range(100)] for count in (90, 80)]
    assert clean.p == mcnemar(*right).mid and (clean.only_first, clean.only_second) == (10, 0)
    assert clean.difference.value == pytest.approx(-0.1)
    assert [gap.corrected for gap in found.values()] == holm([gap.p for gap in found.values()])


def test_methods_with_seeds_are_compared_over_examples_and_seeds(tmp_path: Path) -> None:
    for seed, (first, second) in enumerate(((90, 70), (88, 75), (91, 72))):
        save_results(tmp_path, f"a{seed}", right=first, left={0.1: 30})
        save_results(tmp_path, f"b{seed}", right=second, left={0.1: 50})
    told = gathered([tmp_path])
    groups = [Group("a", ("a0", "a1", "a2")), Group("b", ("b0", "b1", "b2"))]
    clean = next(gap for gap in gaps(told, groups) if gap.measure == "clean: accuracy")
    rows = [
        [[float(index < count) for index in range(100)] for count in counts] for counts in ((90, 88, 91), (70, 75, 72))
    ]
    expected = bootstrap(rows[0], rows[1])
    assert (clean.difference.value, clean.p, clean.only_first) == (expected.value, expected.p, None)
    table = {(one.trial, one.name): one.numbers for one in measures(told, groups)}
    mean, other = table[("clean", "accuracy")]
    assert mean is not None and other is not None
    assert mean.value == pytest.approx((0.9 + 0.88 + 0.91) / 3) and mean.n == 100
    single = proportion(90, 100, "")
    assert mean.low is not None and mean.high is not None
    assert mean.high - mean.low > 0.9 * (single.high - single.low)


def test_failure_rates_keep_their_direction_over_seeds() -> None:
    answers = {name: {index: index >= failing for index in range(20)} for name, failing in (("a", 2), ("b", 4))}
    scores = {name: proportion(failing, 20, "") for name, failing in (("a", 2), ("b", 4))}
    found = combined(Group("m", ("a", "b")), scores, answers)
    assert found is not None and found.value == pytest.approx(0.15)
    assert found.low is not None and found.high is not None and found.low < 0.15 < found.high < 0.6


def test_what_is_not_answered_example_by_example_has_an_interval_over_seeds() -> None:
    scores = {"a": proportion(1, 50, ""), "b": proportion(9, 50, "")}
    found = combined(Group("m", ("a", "b")), scores, {})
    assert found is not None and found.value == pytest.approx(0.1) and (found.low, found.high) == (0.0, 1.0)


def test_only_examples_that_all_answered_are_compared() -> None:
    assert common([{1: True, 2: False, 3: True}, {2: True, 3: False, 4: True}]) == [2, 3]
    assert common([]) == [] and common([{1: True}, {2: True}]) == []


def test_cases_of_one_text_do_not_count_as_many(tmp_path: Path) -> None:
    """Every text ten times over: the interval must be that of the texts, not of the cases."""
    for name, failing in (("plain", 8), ("robust", 4)):
        every = []
        for copy in range(10):
            own = [
                replace(one, texts=((f"text {one.index}",), one.texts[1])) for one in behaviour(failing, 20 - failing)
            ]
            every += [replace(one, index=copy * 20 + one.index) for one in own]
        save_trial(tmp_path / "many", name, "invariance", every)
        save_trial(tmp_path / "once", name, "invariance", every[:20])
    (many,), (once,) = (gaps(gathered([tmp_path / folder]), [PLAIN, ROBUST]) for folder in ("many", "once"))
    assert many.difference.value == pytest.approx(once.difference.value) == pytest.approx(0.2)
    assert many.difference.low == pytest.approx(once.difference.low) and many.test == "bootstrap over texts"
    assert once.test == "McNemar, mid-p" and many.p > 0.01


def test_standings_are_those_of_the_verdict(tmp_path: Path) -> None:
    save_trial(tmp_path, "plain", "pwws", word_attack(3, 5, 2))
    save_trial(tmp_path, "plain", "contrast", contrast_pairs(3, 1))
    (found,) = standings(gathered([tmp_path]), [PLAIN])
    assert found.fickleness is not None and found.fickleness.value == 5 / 8
    assert found.obstinacy is not None and found.obstinacy.value == 1 / 4
    assert [(axis, name) for axis, name, _ in found.parts] == [
        ("fickleness", "word attacks"),
        ("obstinacy", "contrast set"),
    ]


def test_the_mean_of_seeds_is_never_surer_than_they_are() -> None:
    scores = [proportion(count, 1000, "") for count in (400, 500, 600)]
    found = averaged(scores)
    assert found is not None and found.value == 0.5
    assert found.low is not None and found.low < 0.3
    assert averaged([None]) is None


def test_a_number_that_is_not_the_same_for_all_is_defined_by_model() -> None:
    one, two = (Score(0.5, 0.4, 0.6, 10, f"hits of layer {layer}") for layer in (1, 2))
    assert defined({"a": one, "b": one}) == "hits of layer 1"
    assert defined({"a": one, "b": two}) == "a: hits of layer 1; b: hits of layer 2"


def test_fewer_than_five_examples_are_not_asked_to_tell_models_apart(tmp_path: Path) -> None:
    for cases, asked in ((4, 0), (5, 1)):
        folder = tmp_path / str(cases)
        for name, failing in (("plain", cases), ("robust", 0)):
            save_trial(folder, name, "invariance", behaviour(failing, cases - failing))
        assert len(gaps(gathered([folder]), [PLAIN, ROBUST])) == asked
