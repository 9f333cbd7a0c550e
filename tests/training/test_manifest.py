"""A checkpoint is what was written, whole, or it is refused."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from two_processes import prepared

from unfooled.errors import BadInput
from unfooled.methods import Finetune
from unfooled.training import Run, RunFolder, fit
from unfooled.training.manifest import MANIFEST, refuse_other_moments, refuse_other_tensors, write_manifest
from unfooled.training.run_folder import State

TENSORS = {"weight": torch.arange(6.0), "count": torch.tensor(3)}


def saved(root: Path, seed: int = 0) -> RunFolder:
    run = RunFolder(root)
    run.open({"seed": seed}, resume=False)
    run.metrics.touch()
    for step in (1, 2):
        run.save(State(step=step, best_step=1), {**TENSORS, "step": torch.tensor(step)}, {})
    return run


def test_files_of_two_checkpoints_make_none(tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    assert run.load(2).objective["step"].read() == 2
    shutil.copy(run.checkpoints / "step-1" / "objective.safetensors", run.checkpoints / "step-2")
    with pytest.raises(BadInput, match=r"step-2 is not what was written \(objective.safetensors differs"):
        run.load(2)
    assert run.load(1).objective["step"].read() == 1


@pytest.mark.parametrize("change", ["renamed", "of another run", "one file more", "one file less", "no manifest"])
def test_a_checkpoint_in_a_wrong_place_is_refused(tmp_path: Path, change: str) -> None:
    run = saved(tmp_path / "run")
    place = run.checkpoints / "step-2"
    if change == "renamed":
        place = place.rename(run.checkpoints / "step-7")
    elif change == "of another run":
        shutil.rmtree(place)
        shutil.copytree(saved(tmp_path / "other", seed=1).checkpoints / "step-2", place)
    elif change == "one file more":
        (place / "strange.safetensors").write_bytes(b"")
    else:
        (place / ("optimizer.safetensors" if change == "one file less" else MANIFEST)).unlink()
    with pytest.raises(BadInput, match=rf"{place.name} .*delete it to resume earlier"):
        run.load(int(place.name[5:]))


@pytest.mark.parametrize("said", ["[]", "{}", '{"files": []}', '{"files": {"state.json": []}, "recipe": 1}'])
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, said: str) -> None:
    run = saved(tmp_path / "run")
    (run.checkpoints / "step-2" / MANIFEST).write_text(said)
    with pytest.raises(BadInput, match="step-2 .*delete it to resume earlier"):
        run.load(2)


def test_a_pipe_in_a_checkpoint_is_not_waited_for(tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    os.mkfifo(run.checkpoints / "step-2" / "pipe.safetensors")
    with pytest.raises(BadInput, match=r"step-2 .*pipe.safetensors differs"):
        run.load(2)


def test_without_a_manifest_nothing_is_read_whatever_schema_is_claimed(tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    place = run.checkpoints / "step-2"
    state = json.loads((place / "state.json").read_text())
    (place / "state.json").write_text(json.dumps({**state, "schema": 1}))
    with pytest.raises(BadInput, match="step-2 was written by another version of unfooled"):
        run.load(2)
    (place / "state.json").write_text(json.dumps(state))
    (place / MANIFEST).unlink()
    with pytest.raises(BadInput, match="step-2"):
        run.load(2)


def test_a_best_checkpoint_that_is_gone_or_damaged_is_told_before_anything_is_trained(tmp_path: Path) -> None:
    run = saved(tmp_path / "run")
    state = run.load(2).state
    run.check_best(state)
    path = run.checkpoints / "step-1" / "objective.safetensors"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(BadInput, match="step-1 is not what was written"):
        run.check_best(state)
    shutil.rmtree(path.parent)
    with pytest.raises(BadInput, match="step-2 cannot be gone on with: that of its best step 1 is gone; delete it"):
        run.check_best(state)


def without(tensors: dict[str, torch.Tensor], name: str) -> dict[str, torch.Tensor]:
    return {own: tensor for own, tensor in tensors.items() if own != name}


CHANGES: dict[str, tuple[str, Callable[[dict[str, torch.Tensor], str], dict[str, torch.Tensor]]]] = {
    "a tensor less": ("objective", without),
    "a tensor more": ("objective", lambda tensors, name: {**tensors, "strange": torch.zeros(1)}),
    "another shape": ("objective", lambda tensors, name: {**tensors, name: tensors[name][:1].clone()}),
    "another type": ("objective", lambda tensors, name: {**tensors, name: tensors[name].double()}),
    "a moment less": ("optimizer", without),
    "a moment of nothing": ("optimizer", lambda tensors, name: {**tensors, "exp_avg/strange": torch.zeros(1)}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_checkpoint_with_other_tensors_is_not_resumed_in_silence(change: str, tmp_path: Path, halfway: Run) -> None:
    shutil.copytree(halfway.folder.root, tmp_path / "run")
    place = tmp_path / "run" / "checkpoints" / "step-2"
    kind, changed = CHANGES[change]
    path = place / f"{kind}.safetensors"
    tensors = load_file(path)
    save_file(changed(tensors, sorted(tensors)[-1]), path)
    write_manifest(place, tmp_path / "run" / "recipe.toml")  # as whoever writes both
    with pytest.raises(BadInput, match="the checkpoint of step 2 in .* does not fit this run: .*delete the checkpoint"):
        fit(prepared(Finetune(), tmp_path / "run", plan={"epochs": 2}))


@pytest.fixture(scope="module")
def halfway(tmp_path_factory: pytest.TempPathFactory) -> Run:
    run = prepared(Finetune(), tmp_path_factory.mktemp("halfway"), plan={"epochs": 1})
    fit(run)
    return run


def test_what_differs_is_said() -> None:
    with pytest.raises(BadInput, match=r"it .*: count is missing there and int64 \[\] here, and 1 others differ"):
        refuse_other_tensors({"weight": torch.zeros(3)}, TENSORS, "it")
    refuse_other_tensors(dict(TENSORS), TENSORS, "it")
    kept = {"step/a": torch.tensor(1.0), "exp_avg/a": torch.zeros(2), "exp_avg_sq/a": torch.zeros(2)}
    refuse_other_moments(kept, {"a": torch.ones(2), "never moved": torch.ones(1)}, "it")
    with pytest.raises(BadInput, match=r"exp_avg/a is float32 \[3\] there and float32 \[2\] here"):
        refuse_other_moments({**kept, "exp_avg/a": torch.zeros(3)}, {"a": torch.ones(2)}, "it")
