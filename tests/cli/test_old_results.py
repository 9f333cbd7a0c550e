"""Results of an older schema are refused by whoever reads or goes on with them: exit code 2, one sentence."""

import json
import sys
from pathlib import Path

import pytest
from attack_ground import save_ground
from results_ground import plain, save_trial, word_attack

from unfooled.cli.main import main

SAYS = "has schema version 1, this unfooled reads 2; measure again into a new folder: unfooled evaluate MODEL --data D"


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("old"), 12)


def call(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    monkeypatch.setattr(sys, "argv", ["unfooled", *map(str, arguments)])
    with pytest.raises(SystemExit) as left:
        main()
    return int(left.value.code or 0)


def old_evaluation(folder: Path) -> None:
    """What evaluate left before: a trial's log, the same place, another schema."""
    save_trial(folder, "plain", "clean", plain(9, {}, 10)[0], schema=1)
    save_trial(folder, "plain", "pwws", word_attack(3, 5, 2), schema=1, settings={"attack": {"pos": "same"}})


def old_summary(folder: Path) -> None:
    old_evaluation(folder)
    (folder / "summary.json").write_text(json.dumps({"kind": "unfooled evaluation", "schema": 1, "models": {}}))


def old_attack(folder: Path) -> None:
    """What attack left before: a log in the folder itself, broken off before there was a summary."""
    header = {"attack": "pwws", "settings": {"pos": "same"}, "target": None, "column": 0, "model": "plain"}
    header |= {"labels": ["negative", "positive"], "examples": 10, "seed": 0, "schema": 1, "kind": "unfooled attack"}
    record = {"index": 0, "label": 1, "texts": ["a good film"], "outcome": "held", "adversary": None}
    folder.mkdir()
    (folder / "examples.jsonl").write_text(f"{json.dumps(header)}\n{json.dumps(record)}\n")


def old_finished_attack(folder: Path) -> None:
    old_attack(folder)
    (folder / "summary.json").write_text(json.dumps({"kind": "unfooled attack", "schema": 1, "scores": {}}))


@pytest.mark.parametrize("left", [old_evaluation, old_summary, old_attack, old_finished_attack])
@pytest.mark.parametrize("command", ["evaluate", "attack", "report", "gate", "verify", "adversaries"])
def test_an_older_schema_is_one_sentence_with_the_way_out(
    ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], left, command
) -> None:
    old, model, data = tmp_path / "old", str(ground / "model"), str(ground / "reviews.csv")
    left(old)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    asked = {
        "evaluate": ["evaluate", model, "--data", data, "--trials", "clean", "--out", old],
        "attack": ["attack", model, "--data", data, "--similarity", "none", "--out", old],
        "report": ["report", old, "--out", tmp_path / "page.html"],
        "gate": ["gate", old, "--require", "accuracy.clean >= 0.1"],
        "verify": ["verify", old],
        "adversaries": ["evaluate", model, "--data", data, "--trials", "transfer", "--out", tmp_path / "new"],
    }
    asked["adversaries"] += ["--adversaries", old]
    assert call(monkeypatch, *asked[command]) == 2
    said = capsys.readouterr()
    last = said.err.splitlines()[-1]
    assert last.startswith("unfooled: ") and SAYS in last and not said.out and "Traceback" not in said.err
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_training_on_an_old_attack_is_refused_alike(
    ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    old_attack(tmp_path / "old")
    command = ["train", "--data", ground / "reviews.csv", "--model", ground / "encoder", "--out", tmp_path / "run"]
    method = ["--method", "adversarial_text", "--set", f"method.adversaries={tmp_path / 'old'}"]
    assert call(monkeypatch, *command, *method) == 2
    assert SAYS in capsys.readouterr().err
