"""Each example's answer is the one its score counts, and rows carry what a table needs."""

from dataclasses import replace
from typing import Any

import pytest
from results_ground import behaviour, contrast_pairs, plain, transferred, word_attack
from trial_ground import only_asked, run_of

from unfooled.attacks.records import Outcome
from unfooled.scores.intervals import proportion
from unfooled.trials import TRIALS
from unfooled.trials.inputs import Example, Inputs
from unfooled.trials.trial import (
    Metric,
    NoSettings,
    Question,
    Row,
    Trial,
    always,
    every_example,
    looks_inside,
    nothing,
    rows_of,
)
from unfooled.victims.victim import Victim

CLEAN, PGD = plain(90, {0.0: 90, 0.1: 30})


@pytest.mark.parametrize(
    ("trial", "records"),
    [
        ("clean", CLEAN), ("pgd", PGD), ("pwws", word_attack(3, 5, 2)), ("transfer", transferred(4, 6)),
        ("contrast", contrast_pairs(3, 2)),
    ],
)  # fmt: skip
def test_answers_add_up_to_their_scores(trial: str, records: list[Any]) -> None:
    rows = {Question(row.metric, row.eps, row.part): row.score for row in TRIALS[trial].scores(records)}
    questions = TRIALS[trial].questions(records)
    assert questions
    for question, answers in questions.items():
        assert sum(answers.values()) / len(answers) == rows[question].value, question


def test_what_could_not_be_attacked_is_not_right() -> None:
    ends: list[Outcome] = ["held", "no candidates", "error", "budget"]
    records = [replace(record, outcome=end) for record, end in zip(word_attack(4, 0, 0), ends, strict=True)]
    right = {0: True, 1: True, 2: False, 3: False}
    assert TRIALS["pwws"].questions(records) == {Question("accuracy_under_attack"): right}


def test_cases_pass_where_they_do_not_fail() -> None:
    records = behaviour(3, 7)
    (answers,) = TRIALS["invariance"].questions(records).values()
    rate = next(row.score.value for row in TRIALS["invariance"].scores(records) if row.part == "INV")
    assert sum(answers.values()) / len(answers) == 1 - rate


def test_versions_of_one_text_are_a_family() -> None:
    cases = TRIALS["invariance"].families(behaviour(1, 2))
    assert cases == {0: "a good film", 1: "a good film", 2: "a good film"}
    assert TRIALS["contrast"].families(contrast_pairs(1, 1)) == {0: "0", 1: "0", 2: "1", 3: "1"}
    assert TRIALS["clean"].families(CLEAN) == {}


def test_questions_are_told_apart_by_metric_radius_and_part_alone() -> None:
    one = Question("accuracy", 0.1, "INV", title="said so", tested=False, unit="nats")
    assert one == Question("accuracy", 0.1, "INV") and len({one, Question("accuracy", 0.1, "INV")}) == 1
    assert (
        len({Question("accuracy"), Question("accuracy", 0.1), Question("accuracy", None, "INV"), Question("f1")}) == 4
    )


def test_rows_are_the_metrics_under_their_titles() -> None:
    metrics = {
        "share": Metric(lambda records: proportion(len(records), 4, "share of four"), "a share"),
        "cost": Metric(lambda records: proportion(1, 4, "a quarter"), "cost", "texts", "less", detail=True),
    }
    assert rows_of(metrics, ["a", "b"], 0.5, "INV") == [
        Row("share", proportion(2, 4, "share of four").called("a share"), 0.5, "INV"),
        Row("cost", proportion(1, 4, "a quarter").called("cost", "texts", "less"), 0.5, "INV", detail=True),
    ]


def test_a_trial_has_neither_questions_nor_warnings_unless_told() -> None:
    bare = Trial(Row, every_example, lambda run, done: iter(()), lambda records: [])
    assert bare.questions([1]) == bare.warnings([1]) == bare.families([1]) == nothing([1]) == {}
    assert bare.calibrate is None and bare.uncalibrated([1]) == {}
    assert bare.facts([1], ()) == {} and bare.notes(Inputs([], [], {}), NoSettings()) == ()
    victim = only_asked(len)
    assert bare.unable(victim, ()) is None is always(victim, ())
    assert (bare.settings, bare.tasks, bare.unit, bare.source) == (NoSettings, ("classification",), "example", "data")


def test_every_example_is_every_example() -> None:
    inputs = Inputs([("a",), ("b",), ("c",)], [0, 1, 0], {})
    assert every_example(inputs, NoSettings(), 0) == inputs.examples


def test_a_run_knows_the_texts_and_labels_of_its_examples() -> None:
    run = run_of(only_asked(len), [Example(("a", "b"), 1), Example(("c", "d"), 0)])
    assert (list(run.texts), list(run.labels)) == ([("a", "b"), ("c", "d")], [1, 0])
    assert run.remarks == [] and run.temperature is None


def test_what_is_only_asked_is_not_looked_into() -> None:
    assert looks_inside(Victim("m", len, network=object()), ()) is None
    assert looks_inside(only_asked(len), ()) == (
        "it looks into the network, and asked is only asked; leave it out for such models"
    )
