import errno
import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest
import torch
from torch import nn

from unfooled.errors import BadInput
from unfooled.recipe.config import recipe_from
from unfooled.training import run_folder
from unfooled.training.run_folder import RunFolder, State, differences, unshared

RECIPE = {"seed": 0, "plan": {"epochs": 2}}
TENSORS = {"weight": torch.arange(6.0), "count": torch.tensor(3)}


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    run = RunFolder(tmp_path / "run")
    run.open(RECIPE, resume=False)
    run.metrics.touch()
    return run


def test_a_checkpoint_comes_back_to_the_bit(folder: RunFolder) -> None:
    state = State(step=7, best_score=0.1 + 0.2, best_step=7, tally={"task": [1 / 3, 2.0]})
    folder.save(state, TENSORS, {"exp_avg/weight": torch.randn(3)})
    found = folder.load(7)
    assert found.state == state
    assert torch.equal(found.objective["weight"].read(), TENSORS["weight"])
    assert found.objective["count"].dtype == torch.int64


def test_a_rate_is_decided_on_once(tmp_path: Path) -> None:
    undecided = {"seed": 0, "plan": {"epochs": 2, "learning_rate": "auto"}}
    decided = {"seed": 0, "plan": {"epochs": 2, "learning_rate": 2e-4}}
    run = RunFolder(tmp_path / "run")
    run.open(undecided, resume=False)
    run.settle(decided)
    assert tomllib.loads(run.recipe.read_text()) == decided
    run.metrics.touch()
    run.open(undecided, resume=True)
    run.settle(decided)
    with pytest.raises(BadInput, match=r"other settings.*plan.learning_rate: 0.0002 → 0.0001"):
        run.settle({"seed": 0, "plan": {"epochs": 2, "learning_rate": 1e-4}})
    with pytest.raises(BadInput, match=r"with these: plan.epochs: 2 → 3$"):
        run.open({"seed": 0, "plan": {"epochs": 3, "learning_rate": "auto"}}, resume=True)


def test_only_the_newest_and_the_best_are_kept(folder: RunFolder) -> None:
    for step in (1, 2, 3, 4):
        folder.save(State(step=step, best_step=min(step, 2)), TENSORS, {})
    assert folder.steps() == [4, 2]


def test_a_half_written_checkpoint_is_never_chosen(folder: RunFolder) -> None:
    folder.save(State(step=1, best_step=1), TENSORS, {})
    half = folder.checkpoints / ".writing-step-2"
    half.mkdir()
    (half / "objective.safetensors").write_bytes(b"half")
    assert folder.steps() == [1]
    RunFolder(folder.root).open(RECIPE, resume=True)
    assert not half.exists()


def test_a_full_disk_leaves_the_previous_checkpoint(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.save(State(step=1, best_step=1), TENSORS, {})

    def full(tensors: dict[str, torch.Tensor], path: Path) -> None:
        path.write_bytes(b"the first bytes")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(run_folder, "save_file", full)
    with pytest.raises(BadInput, match="No space left on device.*step 1 is whole.*resume=True"):
        folder.save(State(step=2, best_step=2), TENSORS, {})
    assert folder.steps() == [1] and torch.equal(folder.load(1).objective["weight"].read(), TENSORS["weight"])
    assert not list(folder.checkpoints.glob(".writing*"))


def test_a_really_full_disk(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True)
    if mounted.returncode:
        pytest.skip("mounting a small disk needs rights this user lacks; the simulated one above stands in")
    try:
        run = RunFolder(disk / "run")
        run.open(RECIPE, resume=False)
        run.save(State(step=1, best_step=1), {"weight": torch.zeros(250_000)}, {})
        with pytest.raises(BadInput, match="step 1 is whole"):
            run.save(State(step=2, best_step=2), {"weight": torch.ones(400_000)}, {})
        assert run.steps() == [1] and not run.load(1).objective["weight"].read().any()
    finally:
        subprocess.run(["umount", disk], check=True)


@pytest.mark.parametrize("file", ["state.json", "objective.safetensors", "optimizer.safetensors"])
def test_a_damaged_checkpoint_is_named(folder: RunFolder, file: str) -> None:
    folder.save(State(step=1, best_step=1), TENSORS, {"step/weight": torch.ones(1)})
    path = folder.checkpoints / "step-1" / file
    path.write_bytes(path.read_bytes()[:5])
    with pytest.raises(BadInput, match=r"step-1 (cannot be read|is not what was written).*delete it to resume earlier"):
        folder.load(1)


def test_resuming_with_other_settings_is_refused_and_names_them(folder: RunFolder) -> None:
    other = {"seed": 1, "plan": {"epochs": 2}, "model": "x"}
    with pytest.raises(BadInput, match=r"model: \(not set\) → x; seed: 0 → 1") as error:
        RunFolder(folder.root).open(other, resume=True)
    assert "epochs" not in str(error.value)
    RunFolder(folder.root).open(RECIPE, resume=True)


def test_a_folder_of_another_run_or_of_something_else_is_refused(folder: RunFolder, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="holds a run already.*resume=True"):
        RunFolder(folder.root).open(RECIPE, resume=False)
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BadInput, match="not empty"):
        RunFolder(tmp_path).open(RECIPE, resume=True)
    with pytest.raises(BadInput, match="is a file"):
        RunFolder(tmp_path / "notes.txt").open(RECIPE, resume=False)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_metric_lines_of_lost_steps_and_half_lines_are_dropped(folder: RunFolder) -> None:
    for step in (1, 2, 3):
        folder.log(step=step, loss=step / 3)
    with folder.metrics.open("a") as file:
        file.write('{"step": 4, "lo')
    folder.forget_after(2)
    assert [json.loads(line) for line in folder.metrics.read_text().splitlines()] == [
        {"step": 1, "loss": 1 / 3},
        {"step": 2, "loss": 2 / 3},
    ]


def test_tied_weights_are_stored_once() -> None:
    module = nn.ModuleDict({"a": nn.Linear(3, 3), "b": nn.Linear(3, 3)})
    module["b"].weight = module["a"].weight
    assert set(unshared(module.state_dict())) == {"a.weight", "a.bias", "b.bias"}


def test_differences_name_nested_settings() -> None:
    assert differences({"a": {"b": 1}, "c": 2}, {"a": {"b": 3}, "c": 2}) == ["a.b: 1 → 3"]


def test_an_attempt_that_never_began_is_in_nobodys_way(tmp_path: Path) -> None:
    RunFolder(tmp_path / "run").open(RECIPE, resume=False)
    RunFolder(tmp_path / "run").open({"seed": 9}, resume=False)
    assert (tmp_path / "run" / "recipe.toml").read_text() == "seed = 9\n"


def test_all_checkpoints_are_kept_where_that_is_asked_for(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run", keeps_all=True)
    run.open(RECIPE, resume=False)
    for step in (1, 2, 3):
        run.save(State(step=step, best_step=3), TENSORS, {})
    assert run.steps() == [3, 2, 1]


def test_a_setting_that_was_not_there_when_a_run_was_begun_has_its_default(tmp_path: Path) -> None:
    now = recipe_from({"data": {"source": "x"}}).to_mapping()
    older = {**now, "plan": {name: value for name, value in now["plan"].items() if name != "keep_checkpoints"}}
    run = RunFolder(tmp_path / "run")
    run.open(older, resume=False)
    run.metrics.touch()
    run.open(now, resume=True)
    with pytest.raises(BadInput, match="plan.keep_checkpoints: two → all"):
        run.open({**now, "plan": {**now["plan"], "keep_checkpoints": "all"}}, resume=True)


def test_what_is_called_like_a_checkpoint_but_is_none_is_overlooked(folder: RunFolder) -> None:
    folder.save(State(step=3), TENSORS, {})
    for name in ("step-evil", "step--1", "step-٣", f"step-{'9' * 200}"):
        (folder.checkpoints / name).mkdir()
    assert folder.steps() == [3]


@pytest.mark.parametrize(
    "text",
    ["[1]", "{", "[" * 5000, '{"schema": 1, "evil": 1}', '{"schema": 1, "step": "evil"}', '{"schema": 1, "step": NaN}'],
)
def test_a_state_that_is_none_is_one_sentence(folder: RunFolder, text: str) -> None:
    folder.save(State(step=3), TENSORS, {})
    (folder.checkpoints / "step-3" / "state.json").write_text(text)
    with pytest.raises(BadInput, match=r"cannot be read|another version|is not what was written") as caught:
        folder.load(3)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("line", ['{"loss": 1}', "[1]", '{"step": "evil"}'])
def test_metrics_of_others_are_one_sentence(folder: RunFolder, line: str) -> None:
    folder.metrics.write_text(line + "\n")
    with pytest.raises(BadInput, match="not from a run of unfooled"):
        folder.forget_after(2)
