"""The worst case over attacks: counted by hand, and there wherever numbers are: terminal, summary, page, gate."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from results_ground import finished, results_of, save_trial, word_attack
from toys import Bag, attacked, labelled, sentences

from unfooled.attacks import DeepWordBug, RandomWords
from unfooled.attacks.records import AttackRecord, Outcome
from unfooled.cli.printed.tables import print_results
from unfooled.commands.gate import gate
from unfooled.commands.report import report
from unfooled.errors import BadInput
from unfooled.results.folder import open_folder, summary
from unfooled.trials import TRIALS
from unfooled.trials.inputs import Inputs
from unfooled.trials.words.worst_case import METRICS, WORST_CASE, together

TITLE = METRICS["worst_case_accuracy"].title


def ended(*outcomes: Outcome) -> list[AttackRecord]:
    example = {outcome: word_attack(*numbers)[0] for outcome, numbers in
               {"held": (1, 0, 0), "fooled": (0, 1, 0), "already wrong": (0, 0, 1)}.items()}  # fmt: skip
    return [
        replace(example.get(outcome, example["held"]), index=index, outcome=outcome)
        for index, outcome in enumerate(outcomes)
    ]


FIRST = ended("fooled", "held", "held", "held", "already wrong", "error", "no candidates", "held")
SECOND = ended("held", "fooled", "held", "budget", "already wrong", "held", "held")


def test_an_example_holds_where_it_is_right_and_nothing_fools_it() -> None:
    records = together({"pwws": FIRST, "random": SECOND})
    assert [one.index for one in records] == [0, 1, 2, 3, 4, 6]  # not 5, an error, nor 7, which only one attack covered
    assert [one.holds for one in records] == [False, False, True, False, False, True]
    assert [one.fooled_by for one in records[:3]] == [("pwws",), ("random",), ()]
    [row] = WORST_CASE.form.scores(records)
    assert (row.score.value, row.score.n) == (2 / 6, 6) and "pwws, random were all run on" in row.score.definition
    assert row.score.low < 2 / 6 < row.score.high and row.score.better == "more"
    [answers] = WORST_CASE.form.questions(records).values()
    assert answers == {one.index: one.holds for one in records}


def test_it_is_at_most_the_accuracy_under_each_attack() -> None:
    texts = sentences(40, seed=2)
    labels = labelled(Bag(), texts)
    own = {
        name: attacked(attack, Bag(), texts, labels)
        for name, attack in (("random", RandomWords()), ("deepwordbug", DeepWordBug(edit_distance=1)))
    }
    results = results_of(*(finished("m", name, records) for name, records in own.items()))
    rows = {(row.trial, row.metric): row.score for row in results.rows}
    worst = rows["worst_case", "worst_case_accuracy"]
    safe = ("held", "no candidates")
    right = [{one.index for one in records if one.outcome in safe} for records in own.values()]
    assert worst.value == len(right[0] & right[1]) / 40
    assert worst.value < min(rows[name, "accuracy_under_attack"].value for name in own)


def trials(model: str, *names: str, **changes: Any) -> list[Any]:
    records = {"pwws": FIRST[:7], "random": SECOND}
    return [finished(model, name, records[name], **changes) for name in names]


def of_worst_case(*some: Any) -> list[str]:
    return [row.model for row in results_of(*some).rows if row.trial == "worst_case"]


def test_it_takes_two_attacks_on_the_same_texts_and_the_same_ones_of_all_models() -> None:
    assert of_worst_case(*trials("m", "pwws", "random")) == ["m"]
    assert of_worst_case(*trials("m", "pwws")) == []
    assert of_worst_case(*trials("m", "pwws", "random"), *trials("n", "pwws", "random")) == ["m", "n"]
    assert of_worst_case(*trials("m", "pwws", "random"), *trials("n", "random")) == []
    others = finished("m", "random", SECOND, examples_hash="other texts")
    assert of_worst_case(*trials("m", "pwws"), others) == []
    errors = finished("m", "random", [replace(one, outcome="error") for one in SECOND])
    assert of_worst_case(*trials("m", "pwws"), errors) == []  # no example that both covered


def test_it_is_on_the_terminal_in_the_summary_on_the_page_and_at_the_gate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for model in ("plain", "robust"):
        save_trial(tmp_path / "out", model, "pwws", FIRST[:7])
        save_trial(tmp_path / "out", model, "random", SECOND)
    results = open_folder(tmp_path / "out")
    print_results(results)
    assert "worst_case:" in capsys.readouterr().out
    own: Any = summary(results)
    [score] = own["models"]["plain"]["trials"]["worst_case"]["scores"]
    assert (score["metric"], score["n"], score["title"]) == ("worst_case_accuracy", 6, TITLE)
    assert own["models"]["plain"]["trials"]["worst_case"]["settings"] == {"of": ["pwws", "random"]}
    page = tmp_path / "page.html"
    report([tmp_path / "out"], page)
    told = page.read_text("utf-8")
    assert "worst_case" in told and TITLE in told and f"worst_case: {TITLE}" in told  # numbers and tests of differences
    low, high = gate(
        tmp_path / "out", ["worst_case_accuracy >= 0.05", "worst_case_accuracy.worst_case >= 0.9"], "plain"
    )
    assert low.passed and not high.passed and low.score is not None and low.score.n == 6


def test_it_is_not_run() -> None:
    assert "worst_case" not in TRIALS and not list(WORST_CASE.form.run(None, frozenset()))  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="name two or more of them instead"):
        WORST_CASE.form.units(Inputs([], [], {}), None, 0)
