"""Cells are trained once, by whichever process takes them, to the bits that one process would have made."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from kills import require_like, same_bytes, same_results
from tiny import save_encoder, save_reviews

from unfooled.commands import cells as trainings
from unfooled.commands.cells import Cell, Cells, counted, least_bytes, peak_megabytes, read_cost, trained
from unfooled.commands.compare import compare
from unfooled.files import alone
from unfooled.recipe.config import recipe_from
from unfooled.workers import processes
from unfooled.workers.processes import WorkerProcess

PLAN = {"max_steps": 6, "batch_size": 8, "save_every": 1}


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cells")
    save_encoder(folder / "encoder")
    save_reviews(folder / "reviews.csv", 40)
    save_reviews(folder / "test.csv", 20, seed=1)
    return folder


def run(ground: Path, folder: Path, **how: Any) -> Path:
    data, encoder = {"source": str(ground / "reviews.csv"), "test": str(ground / "test.csv")}, str(ground / "encoder")
    trials: dict[str, Any] = {"trials": ["clean", "pgd"], "pgd": {"eps": [0.5]}}
    folder.mkdir()
    os.chdir(folder)  # models are known by the paths they are named by
    compare(data, ["finetune", "freelb"], "out", encoder, 2, PLAN, **trials, **how)
    return folder / "out"


def killing(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Have the worker killed that first says it is half through a training; the processes that were begun."""
    begun: list[int] = []
    real, killed = WorkerProcess._answer, []

    class Watched(WorkerProcess):
        def __init__(self) -> None:
            super().__init__()
            begun.append(self.process.pid)

        def _answer(self) -> dict[str, Any]:
            answer = real(self)
            if not killed and float(answer.get("at", 0)) >= 0.5:
                killed.append(self.process.pid)
                os.kill(self.process.pid, signal.SIGKILL)
                self.process.wait()
            return answer

    monkeypatch.setattr(processes, "WorkerProcess", Watched)
    monkeypatch.setattr("unfooled.progress.TELLING_SECONDS", 0)
    return begun


def test_two_workers_of_which_one_is_killed_make_the_comparison_of_one_process(
    ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ground)
    whole = run(ground, tmp_path / "whole")
    begun = killing(monkeypatch)
    parted = run(ground, tmp_path / "parted", workers=2)
    same_bytes("runs/*/model/model.safetensors", "runs/*/recipe.toml")(whole, parted)
    stories = [json.loads((out / "comparison.json").read_text()) for out in (whole, parted)]
    for story in stories:
        for entry in story["entries"]:
            assert entry.pop("cost")["seconds"] > 0
    require_like(*stories, "comparison.json")
    same_results(whole / "results", parted / "results")
    for metrics in parted.glob("runs/*/metrics.jsonl"):  # no step twice
        steps = [line["step"] for line in map(json.loads, metrics.read_text().splitlines()) if line["kind"] == "train"]
        assert steps == sorted(set(steps))
    assert len(begun) == 3 and all(not Path(f"/proc/{number}").exists() for number in begun)
    said = capsys.readouterr().err
    assert "a worker was lost (exit code -9); another one goes on with train" in said
    assert "resuming out/runs/" in said and "1 of 2: train 4 models: 0.0/4" in said
    assert not list(parted.rglob(".*"))


def cells(ground: Path, out: Path) -> Cells:
    raw = {"data": {"source": str(ground / "reviews.csv")}, "model": {"name": str(ground / "encoder")}, "plan": PLAN}
    methods = ("finetune", "freelb")
    return Cells(Cell(name, 0, recipe_from({**raw, "method": {"name": name}}), out / f"{name}-0") for name in methods)


def test_two_calls_share_cells_and_none_is_trained_twice(ground: Path, tmp_path: Path) -> None:
    one, other = cells(ground, tmp_path), cells(ground, tmp_path)
    first = one.take()
    assert first is not None and first.label == "train finetune, seed 0" and one.left == one.cells[1:]
    with alone(tmp_path / "finetune-0"):
        second = other.take()
        assert second is not None and second.label == "train freelb, seed 0"
        other.finish(second, second.here())
        assert other.take() is None and other.elsewhere() == str(tmp_path / "finetune-0")
    again = other.take()  # whoever had it is gone
    assert again is not None and again.label == first.label
    other.finish(again, again.here())
    weights = (tmp_path / "finetune-0/model/model.safetensors").stat().st_mtime_ns
    one.finish(first, first.here())  # it is there already
    assert one.take() is None and one.done == 2 and not one.elsewhere() and one.costs == other.costs
    assert (tmp_path / "finetune-0/model/model.safetensors").stat().st_mtime_ns == weights
    assert not list(tmp_path.rglob(".*"))


def test_a_worker_takes_what_this_process_does_and_copies_of_the_weights_or_what_is_known(
    ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trainings, "own_bytes", lambda: 10**6)
    recipes = [cell.recipe for cell in cells(ground, tmp_path).cells]
    weights = (ground / "encoder" / "model.safetensors").stat().st_size
    assert least_bytes(recipes) == 10**6 + 4 * weights
    (tmp_path / "a.cost.json").write_text(json.dumps({"seconds": 1.0, "megabytes": 700.0}))
    assert least_bytes(recipes, tmp_path.glob("*.cost.json")) == 700 * 2**20
    monkeypatch.setattr(trainings, "own_bytes", lambda: None)
    assert least_bytes([recipe_from({"data": {"source": "x"}, "model": {"name": "textcnn"}})]) == 0


def test_checkpoints_that_a_kill_left_are_gone_after_the_next_call(ground: Path, tmp_path: Path) -> None:
    [cell, _] = cells(ground, tmp_path).cells
    trained(cell.recipe, cell.run)
    (cell.run / "checkpoints" / "step-1").mkdir(parents=True)
    trained(cell.recipe, cell.run)
    assert not (cell.run / "checkpoints").exists()


@pytest.mark.skipif(peak_megabytes() is None, reason="only Linux tells a process its peak of memory")
def test_the_peak_of_memory_is_that_of_the_block_and_seconds_add_up(tmp_path: Path) -> None:
    with counted(tmp_path / "small.json"):
        pass
    with counted(tmp_path / "large.json"):
        np.ones(30_000_000).sum()
    small, large = read_cost(tmp_path / "small.json"), read_cost(tmp_path / "large.json")
    assert small.megabytes is not None and large.megabytes is not None
    assert large.megabytes - small.megabytes > 150
    (tmp_path / "large.json").write_text(json.dumps({"seconds": 100.0, "megabytes": large.megabytes}))
    with counted(tmp_path / "large.json"):
        pass
    again = read_cost(tmp_path / "large.json")
    assert again.seconds >= 100 and again.megabytes == large.megabytes
    assert read_cost(tmp_path / "none.json").seconds == 0
