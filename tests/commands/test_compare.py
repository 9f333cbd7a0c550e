"""A comparison trains what is missing, counts what it costs, and loses nothing."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tiny import save_encoder, save_reviews

from unfooled.commands import compare as comparing
from unfooled.commands.compare import compare, counted, peak_megabytes, read_cost
from unfooled.commands.comparison import read_comparison
from unfooled.errors import BadInput, Stopped
from unfooled.files import alone

PLAN = {"max_steps": 2, "batch_size": 8}
TRIALS: dict[str, Any] = {"trials": ["clean", "pgd"], "pgd": {"eps": [0.5]}}


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("comparison")
    save_encoder(folder / "encoder")
    save_reviews(folder / "reviews.csv", 40)
    save_reviews(folder / "test.csv", 20, seed=1)
    return folder


def run(ground: Path, out: Path, methods: list[str], seeds: int = 2, **more: Any) -> Any:
    data = {"source": str(ground / "reviews.csv"), "test": str(ground / "test.csv")}
    return compare(data, methods, out, {"name": str(ground / "encoder")}, seeds, PLAN, **{**TRIALS, **more})


def test_a_training_of_a_comparison_has_one_writer(ground: Path, tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    with alone(tmp_path / "runs" / "finetune-0"), pytest.raises(BadInput, match="is writing to .*runs; wait until"):
        run(ground, tmp_path, ["finetune", "freelb"])


def test_every_method_is_trained_with_every_seed_and_a_broken_comparison_goes_on(
    ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, made = comparing.train_recipe, []

    def stopping(recipe: Any, out: Path, resume: bool) -> Any:
        if len(made) == 2:
            raise Stopped("stopped")
        made.append(out.name)
        return real(recipe, out, resume)

    monkeypatch.setattr(comparing, "train_recipe", stopping)
    with pytest.raises(Stopped):
        run(ground, tmp_path / "c", ["finetune", "freelb"])
    assert made == ["finetune-0", "freelb-0"]
    weights = (tmp_path / "c/runs/finetune-0/model/model.safetensors").read_bytes()
    monkeypatch.setattr(comparing, "train_recipe", real)
    results = run(ground, tmp_path / "c", ["finetune", "freelb"])
    assert (tmp_path / "c/runs/finetune-0/model/model.safetensors").read_bytes() == weights
    found = read_comparison(tmp_path / "c")
    assert found is not None and [(entry.method, entry.seed) for entry in found.entries] == [
        ("finetune", 0),
        ("freelb", 0),
        ("finetune", 1),
        ("freelb", 1),
    ]
    assert all(entry.cost.seconds > 0 and (entry.cost.megabytes or 1) > 0 for entry in found.entries)
    assert len({row.model for row in results.rows}) == 4
    assert {row.score.n for row in results.rows if row.metric == "accuracy"} == {20}  # the test file's, not the data's


def test_a_folder_of_another_comparison_is_kept(ground: Path, tmp_path: Path) -> None:
    run(ground, tmp_path / "c", ["finetune", "freelb"])
    kept = (tmp_path / "c" / "comparison.json").read_bytes()
    with pytest.raises(BadInput, match="with methods freelb, which would be lost"):
        run(ground, tmp_path / "c", ["finetune", "fgm"])
    with pytest.raises(BadInput, match="2 seeds, which would be lost"):
        run(ground, tmp_path / "c", ["finetune", "freelb"], seeds=1)
    with pytest.raises(BadInput, match="other settings"):
        data = {"source": str(ground / "reviews.csv"), "test": str(ground / "test.csv")}
        wider = {**PLAN, "batch_size": 4}
        compare(data, ["finetune", "freelb"], tmp_path / "c", {"name": str(ground / "encoder")}, 2, wider)
    assert (tmp_path / "c" / "comparison.json").read_bytes() == kept


@pytest.mark.parametrize(
    ("methods", "seeds", "words"),
    [
        (["finetune"], 3, "two methods or more"),
        (["finetune", "frelb"], 3, "did you mean freelb?"),
        (["finetune", "finetune"], 3, "named twice"),
        (["finetune", "freelb"], 0, "trains nothing"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    ground: Path, tmp_path: Path, methods: list[str], seeds: int, words: str
) -> None:
    with pytest.raises(BadInput, match=words.replace("?", r"\?")):
        run(ground, tmp_path / "c", methods, seeds)
    assert not (tmp_path / "c").exists()


def test_a_file_is_no_folder(ground: Path, tmp_path: Path) -> None:
    (tmp_path / "c").write_text("")
    with pytest.raises(BadInput, match="is a file"):
        run(ground, tmp_path / "c", ["finetune", "freelb"])


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
