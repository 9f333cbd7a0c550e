"""Trackers get what the log gets: read back from TensorBoard's own files, and from those that fail."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny import save_encoder, save_reviews

import unfooled as uf
from unfooled.cli.main import main
from unfooled.errors import BadInput
from unfooled.training import RunFolder, loop, trackers
from unfooled.training.trackers import MARKS, tracked, trackers_named

PLAN = {"max_steps": 8, "batch_size": 8, "log_every": 1, "save_every": 2, "look_first": True}
STAND_IN = """
import json, pathlib
HERE = pathlib.Path(__file__).parent


class Config:
    def update(self, values, allow_val_change):
        (HERE / "config.json").write_text(json.dumps(values))


class Run:
    id = "run-7"

    def log(self, values, step):
        if (HERE / "fails").exists() and step == 3:
            raise ConnectionError("the server is gone\\nand more")
        with (HERE / "lines").open("a") as file:
            file.write(json.dumps([step, sorted(values)]) + "\\n")

    def finish(self):
        (HERE / "finished").touch()


def init(**how):
    if (HERE / "nobody").exists():
        raise RuntimeError("no API key")
    (HERE / "init.json").write_text(json.dumps({name: str(value) for name, value in how.items()}))
    return Run()


config = Config()
"""


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("given")
    save_encoder(folder / "encoder")
    save_reviews(folder / "reviews.csv", 80)
    return folder


def train(given: Path, out: Path, track: Any = None, **how: Any) -> dict[str, Any]:
    """Train, and give the summary."""
    uf.train(given / "reviews.csv", out, given / "encoder", "freelb", PLAN, track=track, **how)
    return dict(json.loads((out / "summary.json").read_text()))


def logged(out: Path) -> dict[tuple[str, int], float]:
    """Every number of the log, by its name and its step."""
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    return {
        (f"{line['kind']}/{name}", line["step"]): value
        for line in lines
        for name, value in line.items()
        if name not in ("step", "kind")
    }


def events(out: Path) -> dict[tuple[str, int], float]:
    """Every number of TensorBoard's files, as its own reader has them."""
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    read = EventAccumulator(str(out / "tensorboard"))
    read.Reload()
    every = [(tag, one.step, one.value) for tag in read.Tags()["scalars"] for one in read.Scalars(tag)]
    numbers = {(tag, step): value for tag, step, value in every}
    assert len(numbers) == len(every), "a step stands there twice"
    return numbers


def test_tensorboard_reads_what_the_log_holds_and_the_weights_are_the_same(given: Path, tmp_path: Path) -> None:
    plain, followed = train(given, tmp_path / "plain"), train(given, tmp_path / "followed", "tensorboard")
    assert followed["model_hash"] == plain["model_hash"] and followed["scores"] == plain["scores"]
    assert events(tmp_path / "followed") == pytest.approx(logged(tmp_path / "followed"), rel=1e-6)
    assert ("validation/accuracy", 0) in events(tmp_path / "followed")
    assert not (tmp_path / "plain" / "tensorboard").exists()
    told = next((tmp_path / "followed" / "tensorboard").glob("*/hparams.yml")).read_text()
    assert "method.name: freelb" in told and "plan.batch_size: 8" in told


def test_a_resumed_run_goes_on_at_its_step(given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rate = loop.learning_rate

    def torn(plan: Any, step: int, steps: int) -> float:
        if step == 5:
            raise RuntimeError("the power is gone")
        return rate(plan, step, steps)

    with monkeypatch.context() as patch, pytest.raises(RuntimeError):
        patch.setattr(loop, "learning_rate", torn)
        train(given, tmp_path / "run", ["tensorboard"])
    assert max(step for _, step in events(tmp_path / "run")) == 5
    train(given, tmp_path / "run", ["tensorboard"], resume=True)
    whole = events(tmp_path / "run")
    assert whole == pytest.approx(logged(tmp_path / "run"), rel=1e-6) and len({step for _, step in whole}) == 9
    assert len(list((tmp_path / "run" / "tensorboard").glob("events*"))) == 2
    assert len(list((tmp_path / "run" / "tensorboard").glob("*/hparams.yml"))) == 1


@pytest.fixture
def wandb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package that writes down how it is called, and fails when told to."""
    home = tmp_path / "packages" / "wandb"
    home.mkdir(parents=True)
    (home / "__init__.py").write_text(STAND_IN)
    monkeypatch.syspath_prepend(str(home.parent))
    yield home
    sys.modules.pop("wandb", None)


def test_a_run_is_found_again_by_what_its_tracker_called_it(given: Path, tmp_path: Path, wandb: Path) -> None:
    train(given, tmp_path / "run", "wandb")
    first = json.loads((wandb / "init.json").read_text())
    assert (first["project"], first["name"], first["id"], first["resume"]) == ("unfooled", "run", "None", "allow")
    assert json.loads((wandb / "config.json").read_text())["model.dropout"] == "none" and (wandb / "finished").exists()
    lines = [json.loads(line) for line in (wandb / "lines").read_text().splitlines()]
    assert [step for step, _ in lines] == sorted(step for step, _ in lines)
    assert {(name, step) for step, names in lines for name in names} == set(logged(tmp_path / "run"))
    assert json.loads((tmp_path / "run" / MARKS).read_text()) == {"wandb": "run-7"}
    (wandb / "config.json").unlink()
    train(given, tmp_path / "run", "wandb", resume=True)
    assert json.loads((wandb / "init.json").read_text())["id"] == "run-7" and not (wandb / "config.json").exists()


@pytest.mark.parametrize(("how", "reason"), [("fails", "the server is gone"), ("nobody", "no API key")])
def test_a_tracker_that_fails_is_said_once_and_ends_no_training(
    given: Path, tmp_path: Path, wandb: Path, how: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (wandb / how).touch()
    assert train(given, tmp_path / "run", "wandb,tensorboard")["steps"] == 8
    said = capsys.readouterr().err
    assert (
        said.count("WARNING: wandb failed") == 1 and f"({reason}); training goes on" in said and "and more" not in said
    )
    assert events(tmp_path / "run") == pytest.approx(logged(tmp_path / "run"), rel=1e-6)  # the other one is told all


def test_only_the_first_process_tells(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    with tracked(folder, ["tensorboard"], {}, first=False):
        assert not folder.listeners
    assert not list(tmp_path.iterdir())


def test_marks_that_cannot_be_read_are_none(tmp_path: Path) -> None:
    (tmp_path / MARKS).write_text("[")
    assert trackers.stored_marks(RunFolder(tmp_path)) == {}


def test_trackers_are_named_and_refused_before_anything_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    assert trackers_named("tensorboard, tensorboard,") == trackers_named(["tensorboard"]) == ("tensorboard",)
    with pytest.raises(BadInput, match="no tracker called tensorbord .track=.; did you mean tensorboard?"):
        trackers_named("tensorbord")
    monkeypatch.setattr(trackers, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match='track="mlflow" needs a package that is not here; run: pip install mlflow'):
        uf.train("nowhere.csv", "nowhere", track=["mlflow"])


def test_the_command_line_names_its_option_and_tracks(
    given: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(track: str) -> int:
        told = [
            "--data",
            given / "reviews.csv",
            "--model",
            given / "encoder",
            "--out",
            tmp_path / "run",
            "--track",
            track,
        ]
        monkeypatch.setattr(sys, "argv", ["unfooled", "train", "--set", "plan.max_steps=1", *map(str, told)])
        with pytest.raises(SystemExit) as left:
            main()
        return int(left.value.code or 0)

    assert command("tensorboard,comet") == 2 and not (tmp_path / "run").exists()
    assert "there is no tracker called comet (--track); known: mlflow" in capsys.readouterr().err
    assert command("tensorboard") == 0 and ("train/task", 1) in events(tmp_path / "run")
