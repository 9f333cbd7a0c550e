"""A search stays within its bounds, gives every method the same budget, and goes on where it stopped."""

import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest
from forked import forked
from kills import of_session, same_bytes
from searching import BOUNDS, search_quietly
from tiny import save_encoder, save_reviews

from unfooled.commands.tune import tune
from unfooled.commands.tuning import search as tuning
from unfooled.commands.tuning.bounds import Bound
from unfooled.data.memory import data_values
from unfooled.errors import BadInput, Stopped
from unfooled.files import alone
from unfooled.recipe.config import recipe_from
from unfooled.recipe.file import read_recipe


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("search")
    save_encoder(folder / "encoder")
    save_reviews(folder / "reviews.csv", 40)
    plan = {"max_steps": 1, "batch_size": 8}
    return {"data": {"source": str(folder / "reviews.csv")}, "model": {"name": str(folder / "encoder")}, "plan": plan}


def drawn(folder: Path) -> list[dict[str, Any]]:
    runs = sorted(folder.glob("trial-*"), key=lambda run: int(run.name[6:]))
    return [tomllib.loads((run / "recipe.toml").read_text()) for run in runs]


def test_every_method_has_the_same_budget_and_stays_within_its_bounds(base: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    found = tune(base, ["freelb", "finetune"], BOUNDS, tmp_path / "s", trials=3)
    assert [(one.method, one.trials) for one in found] == [("freelb", 3), ("finetune", 3)]
    for recipe in drawn(tmp_path / "s" / "freelb"):
        assert 0.01 <= recipe["method"]["step_size"] <= 0.2 and recipe["method"]["passes"] in (2, 3, 4)
        assert recipe["plan"]["learning_rate"] in (1e-3, 1e-4)
    assert set(found[1].settings) == {"plan.learning_rate"}  # finetune has no step size
    scores = [
        json.loads((run / "summary.json").read_text())["scores"]["validation accuracy"]["value"]
        for run in (tmp_path / "s" / "freelb").glob("trial-*")
    ]
    assert found[0].score == max(scores)
    best = recipe_from(read_recipe(found[0].recipe)).to_mapping()
    assert best["method"]["step_size"] == found[0].settings["method.step_size"]
    kept = [run.name for run in (tmp_path / "s" / "freelb").glob("trial-*") if (run / "model").exists()]
    assert len(kept) == 1
    with pytest.raises(BadInput, match="another seed"):
        tune(base, ["freelb"], BOUNDS, tmp_path / "s", trials=3, seed=1)


def test_a_search_that_was_stopped_ends_as_one_that_was_not(
    base: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("optuna")
    tune(base, ["freelb"], BOUNDS, tmp_path / "whole", trials=3)
    real, made = tuning.train_recipe, []

    def stopping(recipe: Any, out: Path, resume: bool) -> Any:
        made.append(out)
        if len(made) == 2:
            raise Stopped("stopped")
        return real(recipe, out, resume)

    monkeypatch.setattr(tuning, "train_recipe", stopping)
    with pytest.raises(Stopped):
        tune(base, ["freelb"], BOUNDS, tmp_path / "cut", trials=3)
    monkeypatch.setattr(tuning, "train_recipe", real)
    tune(base, ["freelb"], BOUNDS, tmp_path / "cut", trials=3)
    assert drawn(tmp_path / "cut" / "freelb") == drawn(tmp_path / "whole" / "freelb")


def test_a_training_that_diverges_is_counted_and_the_search_goes_on(
    base: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("optuna")
    wild = {**base, "plan": {"max_steps": 8, "batch_size": 8}}
    rates = {"plan.learning_rate": Bound(choices=(1e30, 1e-4))}
    [found] = tune(wild, ["finetune"], rates, tmp_path / "s", trials=5)
    tried = {run.name: (run / "diverged.txt").is_file() for run in (tmp_path / "s" / "finetune").glob("trial-*")}
    assert len(tried) == found.trials == 5 and set(tried.values()) == {True, False}
    assert found.settings == {"plan.learning_rate": 1e-4} and "training stopped at step" in capsys.readouterr().err
    before = (tmp_path / "s" / "finetune" / "search.jsonl").read_bytes()
    assert tune(wild, ["finetune"], rates, tmp_path / "s", trials=5) == [found]  # none is made again
    assert (tmp_path / "s" / "finetune" / "search.jsonl").read_bytes() == before
    nowhere = {"plan.learning_rate": Bound(choices=(1e30, 1e29))}
    with pytest.raises(BadInput, match="all 2 trainings of finetune in .* diverged; search lower"):
        tune(wild, ["finetune"], nowhere, tmp_path / "nowhere", trials=2)
    assert json.loads((tmp_path / "nowhere" / "summary.json").read_text())["found"] == []


def test_two_processes_share_a_search_though_one_is_killed(
    base: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("optuna")
    slow = {**base, "plan": {"max_steps": 40, "batch_size": 8, "save_every": 1}}
    [whole] = tune(slow, ["freelb"], BOUNDS, tmp_path / "whole", trials=4)
    processes = [forked(search_quietly, slow, str(tmp_path / "shared")) for _ in range(2)]
    trials = [tmp_path / "shared" / "freelb" / f"trial-{number}" / "metrics.jsonl" for number in range(2)]
    while not all(path.exists() for path in trials) and all(process.is_alive() for process in processes):
        time.sleep(0.005)  # both are in the midst of a training
    processes[0].kill()
    for process in processes:
        process.join(200)
    assert [process.exitcode for process in processes] == [-9, 0]
    assert drawn(tmp_path / "shared" / "freelb") == drawn(tmp_path / "whole" / "freelb")
    journal = (tmp_path / "shared" / "freelb" / "search.jsonl").read_text()
    assert journal.count('"op_code":4') == journal.count('"op_code":6') == 4  # begun and told once each
    same_bytes("freelb/trial-*/model/model.safetensors", "freelb/best.toml")(tmp_path / "whole", tmp_path / "shared")
    assert not list((tmp_path / "shared").rglob(".*"))
    [again] = tune(slow, ["freelb"], BOUNDS, tmp_path / "shared", trials=4)  # there is nothing left to do
    assert (again.score, again.settings, again.trials) == (whole.score, whole.settings, 4)


def test_what_another_process_is_training_is_refused_when_all_else_is_done(
    base: dict[str, Any], tmp_path: Path
) -> None:
    pytest.importorskip("optuna")
    tune(base, ["freelb"], BOUNDS, tmp_path, trials=1)
    journal, trial = tmp_path / "freelb" / "search.jsonl", tmp_path / "freelb" / "trial-0"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]))  # its score is not told yet
    with alone(trial), pytest.raises(BadInput, match=r"is at .*freelb/trial-0; everything else is done"):
        tune(base, ["freelb"], BOUNDS, tmp_path, trials=2)
    assert (tmp_path / "freelb" / "trial-1" / "model").is_dir() and not (tmp_path / "freelb" / "trial-2").exists()
    assert tune(base, ["freelb"], BOUNDS, tmp_path, trials=2)[0].trials == 2


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not list its processes")
def test_ctrl_c_stops_all_workers_and_the_next_call_goes_on(base: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    steps = ("--set", "plan.max_steps=40", "--set", "plan.batch_size=8", "--trials", "6", "--methods", "freelb")
    how = ("--data", base["data"]["source"], "--model", base["model"]["name"], "--bounds", "b.toml", "--out", "s")
    (tmp_path / "b.toml").write_text("[method.step_size]\nlow = 0.01\nhigh = 0.2\n")
    command = [sys.executable, "-m", "unfooled", "tune", *how, *steps, "--workers", "2"]
    with subprocess.Popen(command, cwd=tmp_path, start_new_session=True, stderr=subprocess.PIPE, text=True) as parent:
        while not list(tmp_path.glob("s/freelb/trial-*/metrics.jsonl")) and parent.poll() is None:
            time.sleep(0.005)
        os.killpg(parent.pid, signal.SIGINT)  # as a terminal does: its whole group hears it
        _, said = parent.communicate(timeout=200)
        assert parent.returncode == 130 and "Traceback" not in said and "the same command goes on" in said
        assert said.count("stopping at the end of the update under way") == 1 and not of_session(parent.pid)
    bounds, plan = {"method.step_size": Bound(low=0.01, high=0.2)}, {"max_steps": 40, "batch_size": 8}
    left = json.loads((tmp_path / "s" / "search.json").read_text())
    assert left["base"]["plan"] == plan
    os.chdir(tmp_path)
    assert tune(left["base"], ["freelb"], bounds, "s", trials=6)[0].trials == 6
    numbers = [int(run.name[6:]) for run in (tmp_path / "s" / "freelb").glob("trial-*")]
    assert sorted(numbers) == list(range(6)) and not list((tmp_path / "s").rglob(".*"))


def test_data_in_memory_and_no_workers_are_refused(base: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    with pytest.raises(BadInput, match="workers= 0: nobody would compute; give at least 1"):
        tune(base, ["freelb"], BOUNDS, tmp_path / "s", workers=0)
    data = data_values({"text": ["good", "bad"] * 9, "label": ["yes", "no"] * 9})
    with pytest.raises(BadInput, match="in the memory of this process, where no worker finds it; save it"):
        tune({**base, "data": data}, ["freelb"], BOUNDS, tmp_path / "s", workers=2)
    assert not (tmp_path / "s").exists()


def test_without_optuna_there_is_one_sentence(
    base: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(BadInput, match=r"pip install 'unfooled\[tune\]'"):
        tune(base, ["freelb"], BOUNDS, tmp_path / "s", trials=1)


@pytest.mark.parametrize(
    ("methods", "bounds", "trials", "words"),
    [
        (["freelb"], BOUNDS, 0, "trains nothing"),
        (["frelb"], BOUNDS, 1, "did you mean freelb"),
        (["finetune"], {"method.radius": Bound(low=0.0, high=1.0)}, 1, "finetune has none of the settings"),
        (["freelb"], {"plan.rate": Bound(low=0.0, high=1.0)}, 1, "there is no setting plan.rate"),
    ],
)
def test_what_cannot_be_searched_is_refused(
    base: dict[str, Any], tmp_path: Path, methods: list[str], bounds: dict[str, Bound], trials: int, words: str
) -> None:
    pytest.importorskip("optuna")
    with pytest.raises(BadInput, match=words):
        tune(base, methods, bounds, tmp_path / "s", trials)
