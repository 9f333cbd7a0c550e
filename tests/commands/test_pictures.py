"""Curves, sentences and maps show what the records hold."""

import json
from pathlib import Path

import pytest
from results_ground import behaviour, plain, save_results, save_trial, word_attack

from unfooled.commands.gathering import Gathered, gathered
from unfooled.commands.pictures import attacked, cases, checks, curves, matrices, survives, together, training
from unfooled.commands.telling import Group
from unfooled.report.story import Attacked

PLAIN = Group("plain", ("plain",))


@pytest.fixture
def told(tmp_path: Path) -> Gathered:
    save_results(tmp_path, "plain", right=90, left={0.05: 60, 0.1: 30})
    save_trial(tmp_path, "plain", "pwws", word_attack(3, 5, 2, changes=2))
    save_trial(tmp_path, "plain", "invariance", behaviour(2, 8))
    return gathered([tmp_path])


def test_the_curve_over_the_radius_begins_at_the_clean_accuracy(told: Gathered) -> None:
    radius, words = curves(told, [PLAIN])
    assert [(x, number.value) for x, number in radius.lines[0].points] == [(0.0, 0.9), (0.05, 0.6), (0.1, 0.3)]
    values = [number.value for _, number in words.lines[0].points]
    assert values[:4] == [0.8, 0.8, 0.3, 0.3]  # two words are needed for each of the five


def test_what_ran_out_is_right_only_without_changes() -> None:
    (record,) = word_attack(1, 0, 0)
    for outcome, expected in (("held", [True, True]), ("budget", [True, False]), ("error", [False, False])):
        own = type(record)(**{**vars(record), "outcome": outcome})
        assert [survives(own, most) for most in (0, 3)] == expected


def test_fooled_sentences_are_cut_at_their_changes(told: Gathered) -> None:
    found = cases(told, ["plain"], ["pwws"])
    assert len(found) == 5
    first = found[0]
    assert first.texts == (("a ", ("good", "decent"), " film, truly ", ("good", "fine")),)
    assert (first.label, first.before, first.after) == ("positive", "positive", "negative")
    assert (first.sure_before, first.sure_after, first.changed) == (0.8, 0.7, 2)
    assert attacked(told, ["plain"], ["pwws"]) == (Attacked(0, 0, 10, 8, 5, 3),)


def test_checks_have_rates_and_failures(told: Gathered) -> None:
    (check,) = checks(told, [PLAIN])
    assert (check.kind, check.name) == ("INV", "typos") and check.numbers[0] is not None
    assert check.numbers[0].value == 0.2
    assert check.failures[0] == "plain says positive: a good film — and negative: a godo film"


def test_confusions_count(told: Gathered) -> None:
    (matrix,) = matrices(told, [PLAIN])
    assert matrix.rows == ((45.0, 5.0), (5.0, 45.0))


def test_training_is_read_from_the_run_of_a_model(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "recipe.toml").write_text("seed = 0\n")
    lines = [{"step": step, "kind": "train", "task": 1 / step} for step in (1, 2, 4)]
    lines += [{"step": step, "kind": "validation", "accuracy": 0.5 + step / 10} for step in (2, 4)]
    (run / "metrics.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines) + '{"step": 5, "ki')
    summary = {"label_distance": [[1, 2], [3, 1]], "label_names": ["a", "b"]}
    (run / "summary.json").write_text(json.dumps(summary))
    save_trial(tmp_path / "results", str(run / "model"), "clean", plain(9, {}, 10)[0])
    told = gathered([tmp_path / "results"])
    loss, accuracy = training(told, [Group("run", ("run",))])
    assert [(x, number.value) for x, number in loss.lines[0].points] == [(1.0, 1.0), (2.0, 0.5), (4.0, 0.25)]
    assert [number.value for _, number in accuracy.lines[0].points] == [0.7, 0.9]
    distances = matrices(told, [Group("run", ("run",))])[1]
    assert distances.rows == ((1.0, 2.0), (3.0, 1.0)) and not distances.counts


def test_models_from_elsewhere_have_no_training(told: Gathered) -> None:
    assert training(told, [PLAIN]) == ()


def test_seeds_are_drawn_as_their_mean_between_the_lowest_and_the_highest() -> None:
    found = together([{1.0: 0.2, 2.0: 0.4}, {1.0: 0.4, 2.0: 0.8, 3.0: 1.0}])
    assert [(step, round(number.value, 6), number.low, number.high) for step, number in found] == [
        (1.0, 0.3, 0.2, 0.4),
        (2.0, 0.6, 0.4, 0.8),
    ]
    assert together([]) == ()
