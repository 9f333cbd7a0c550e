"""What every method that trains language models or translators must keep."""

import json
from pathlib import Path

import pytest
from forked import run_two
from safetensors.torch import load_file
from sequence_runs import CASES, TASKS, method_of, prepared
from sequence_runs import main as in_two
from support import assert_close
from two_processes import gradients

from unfooled.errors import Stopped
from unfooled.methods import METHODS
from unfooled.models.encoders.pretrained import weights_hash
from unfooled.training import fit
from unfooled.training import loop as training_loop

ALL = pytest.mark.parametrize(("task", "name"), CASES)
FEW = pytest.mark.parametrize(("task", "name"), [case for case in CASES if case[1] in ("finetune", "atcl")])


@ALL
def test_every_trainable_parameter_receives_a_gradient(task: str, name: str, tmp_path: Path) -> None:
    run = prepared(task, method_of(name), tmp_path)
    gradients(run, updates=1)
    without = [
        key
        for key, parameter in run.objective.named_parameters()
        if parameter.requires_grad and (parameter.grad is None or not parameter.grad.abs().sum() > 0)
    ]
    assert not without


@ALL
def test_switched_off_is_the_baseline(task: str, name: str, tmp_path: Path) -> None:
    mine = gradients(prepared(task, method_of(name).switched_off(), tmp_path / "off"), updates=2)
    base = gradients(prepared(task, METHODS["finetune"](), tmp_path / "base"), updates=2)
    assert_close(mine, base)


@FEW
def test_six_steps_are_three_and_a_restart_and_three(
    task: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = {"max_steps": 6, "epochs": 6, "save_every": 3, "accumulation": 2, "evaluations_per_epoch": 1, "average": 0.9}
    whole = prepared(task, method_of(name), tmp_path / "whole", dropout=0.2, plan=plan)
    fit(whole)
    broken = prepared(task, method_of(name), tmp_path / "broken", dropout=0.2, plan=plan)
    saved = training_loop.save

    def save_and_stop(run: training_loop.Run, state: training_loop.State) -> None:
        saved(run, state)
        if state.step == 3:
            raise Stopped("here")

    monkeypatch.setattr(training_loop, "save", save_and_stop)
    with pytest.raises(Stopped):
        fit(broken)
    monkeypatch.setattr(training_loop, "save", saved)
    again = prepared(task, method_of(name), tmp_path / "broken", dropout=0.2, plan=plan)
    fit(again)
    assert weights_hash(again.objective) == weights_hash(whole.objective)
    assert metrics(tmp_path / "broken") == metrics(tmp_path / "whole")
    assert weights_hash(broken.objective) != weights_hash(whole.objective)


def metrics(folder: Path) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "step_seconds"} for line in lines]


@pytest.fixture(scope="module")
def of_two(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The gradients two real gloo processes come to, for all cases in one launch."""
    folder = tmp_path_factory.mktemp("two")
    run_two(in_two, folder)
    return folder


@ALL
def test_two_processes_are_one_with_the_doubled_batch(task: str, name: str, of_two: Path, tmp_path: Path) -> None:
    one = gradients(prepared(task, method_of(name), tmp_path), updates=2)
    assert_close(load_file(of_two / f"{CASES.index((task, name))}.safetensors"), one)


def test_both_tasks_and_their_paper_are_in_the_table() -> None:
    assert {("lm", "atcl"), ("translation", "atcl"), ("lm", "finetune"), ("translation", "finetune")} <= set(CASES)
    assert {task.split(",")[0] for task in TASKS} == {"lm", "translation"}
