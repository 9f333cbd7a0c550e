"""Claims of a results folder: which trials make some, and what of its summary is not what the records give."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from results_ground import plain, save_results, save_trial, shifted, transferred, word_attack

from unfooled.attacks.victim import checked
from unfooled.commands.result_claims import (
    as_attack,
    as_said,
    claimed,
    misstated_results,
    results_in,
    told,
    transferred_again,
    trials_of_adversaries,
)
from unfooled.errors import BadInput
from unfooled.evaluation.results import open_results, write_summary
from unfooled.evaluation.transfer import TransferRecord


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    save_results(tmp_path, "plain", right=90, left={0.1: 30})
    save_trial(tmp_path, "plain", "pwws", word_attack(3, 5, 2))
    save_trial(tmp_path, "plain", "transfer", transferred(4, 3))
    save_trial(tmp_path, "plain", "shift", shifted(4))
    write_summary(tmp_path, open_results(tmp_path))
    return tmp_path


def test_only_trials_of_adversaries_claim_some(folder: Path) -> None:
    found = {trial.name: trial for trial in trials_of_adversaries(folder)}
    assert list(found) == ["plain, pwws", "plain, transfer"]
    assert [len(trial.claims) for trial in found.values()] == [5, 3] and not found["plain, pwws"].missing
    assert not claimed(word_attack(1, 0, 0)[0]) and claimed(word_attack(0, 1, 0)[0])


def test_trials_broken_off_are_counted_even_before_their_first_record(folder: Path) -> None:
    save_trial(folder, "plain", "random", [], examples=6)
    save_trial(folder, "plain", "deepwordbug", word_attack(2, 0, 0), examples=9)
    (folder / "plain" / "textfooler").mkdir()
    (folder / "plain" / "textfooler" / "examples.jsonl").write_text('{"kind": "unf')
    assert [trial.missing for trial in trials_of_adversaries(folder)] == [0, 7, 6, 0]


def test_folders_without_attacks_are_refused(tmp_path: Path) -> None:
    save_trial(tmp_path / "results", "plain", "clean", plain(9, {}, 10)[0])
    assert results_in(tmp_path) == tmp_path / "results" == results_in(tmp_path / "results")
    assert results_in(tmp_path / "nowhere") is None
    with pytest.raises(BadInput, match="holds no attack in words among its trials"):
        trials_of_adversaries(tmp_path / "results")


def test_the_attacked_column_is_that_of_the_settings_or_the_last(tmp_path: Path) -> None:
    pairs = [replace(one, texts=("premise", *one.texts)) for one in word_attack(1, 0, 0)]
    save_trial(tmp_path, "a", "pwws", pairs, settings={"column": None})
    save_trial(tmp_path, "a", "random", pairs, settings={"column": 0})
    able = checked(lambda texts: np.tile([0.2, 0.8], (len(texts), 1)), ("a", "b"))
    found = [as_attack(trial, able) for trial in trials_of_adversaries(tmp_path)]
    assert [(one.column, one.target, one.labels) for one in found] == [
        (1, None, ("negative", "positive")),
        (0, None, ("negative", "positive")),
    ]


def test_the_summary_is_added_up_again(folder: Path) -> None:
    assert list(misstated_results(folder)) == []
    stored = json.loads((folder / "summary.json").read_text())
    scores = stored["models"]["plain"]["trials"]["pwws"]["scores"]
    next(one for one in scores if one["metric"] == "attack_success")["value"] += 0.01
    stored["verdict"]["plain"]["fickleness"]["score"]["value"] += 0.01
    del stored["models"]["plain"]["trials"]["pgd"]["scores"][0]
    stored["models"]["made up"] = {"trials": {"pwws": {"scores": [{"metric": "attack_success", "value": 0, "n": 1}]}}}
    (folder / "summary.json").write_text(json.dumps(stored))
    assert list(misstated_results(folder)) == [
        "plain, pgd: accuracy_under_attack 0.1", "plain, pwws: attack_success", "plain: fickleness",
        "made up, pwws: attack_success",
    ]  # fmt: skip
    for text in ("[", '{"kind": "something"}', '{"kind": "unfooled evaluation", "schema": 1, "models": [1]}'):
        (folder / "summary.json").write_text(text)
        assert list(misstated_results(folder))
    (folder / "summary.json").unlink()
    assert list(misstated_results(folder)) == ["summary.json is not there or cannot be read"]


def test_damaged_summaries_have_no_numbers() -> None:
    for whole in ({}, {"models": 3}, {"models": {"a": {"trials": {"b": {"scores": [4]}}}}}, {"verdict": {"a": 1}}):
        assert all(value in (None, [None, None]) for value in told(whole).values())  # type: ignore[arg-type]


def glad(texts: list[str]) -> np.ndarray:
    return np.array([[0.1, 0.9] if "good" in text else [0.8, 0.2] for text in texts])


RECORD = TransferRecord(0, 1, ("a good one",), ("a fine one",), 1, 0.9, 0, 0.2)


@pytest.mark.parametrize(
    ("changes", "fooling", "exact"),
    [
        ({}, True, True),
        ({"adversary": ("good again",)}, False, False),
        ({"label": 0}, False, False),
        ({"label": 7}, False, False),
        ({"after": 0.3}, True, False),
        ({"after": 0.2005}, True, True),
        ({"before": 0.7}, True, False),
        ({"answer": 1}, True, False),
        ({"answer": 9}, True, False),
        ({"prediction": 0}, True, False),
    ],
)
def test_stored_adversaries_are_asked_again(changes: dict[str, object], fooling: bool, exact: bool) -> None:
    record = replace(RECORD, **changes)  # type: ignore[arg-type]
    found = transferred_again([record], checked(glad, ("a",)), 1, 1e-3)
    assert found == ({0} if fooling else set(), {0} if exact else set())


def test_ties_are_either_answer() -> None:
    row = np.array([0.5, 0.4999])
    assert as_said(0, 0.5, 0, row, 1e-3) and as_said(1, 0.5, 0, row, 1e-3) and not as_said(1, 0.5, 0, row, 1e-5)
