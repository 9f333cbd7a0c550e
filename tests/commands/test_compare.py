"""A comparison trains what is missing, counts what it costs, and loses nothing."""

from pathlib import Path
from typing import Any

import pytest
from tiny import save_encoder, save_reviews

from unfooled.commands import cells
from unfooled.commands.compare import compare
from unfooled.commands.comparison import read_comparison
from unfooled.errors import BadInput, Stopped, Taken
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
    with alone(tmp_path / "runs" / "finetune-0"), pytest.raises(Taken, match=r"is at .*runs/finetune-0; everything"):
        run(ground, tmp_path, ["finetune", "freelb"], seeds=1)
    assert (tmp_path / "runs" / "freelb-0" / "model").is_dir()  # what nobody was at
    assert not (tmp_path / "runs" / "finetune-0").exists() and read_comparison(tmp_path) is None


def test_data_without_a_test_split_are_refused_before_anything_is_trained(ground: Path, tmp_path: Path) -> None:
    reviews = {"source": str(ground / "reviews.csv")}
    with pytest.raises(BadInput, match=r"reviews\.csv has no test split, .* give others, as in data="):
        compare(reviews, ["finetune", "freelb"], tmp_path / "c", {"name": str(ground / "encoder")}, 1, PLAN)
    assert not (tmp_path / "c").exists()


def test_data_in_memory_is_out_of_reach_for_workers(tmp_path: Path) -> None:
    data = {"text": ["good", "bad"] * 9, "label": ["yes", "no"] * 9}
    for how in ({"workers": 2}, {"ray": "local"}):
        with pytest.raises(BadInput, match="in the memory of this process, where no worker finds it; save it"):
            compare(data, ["finetune", "freelb"], tmp_path / "c", "textcnn", **how)
    with pytest.raises(BadInput, match="workers= 0: nobody would compute; give at least 1"):
        compare(data, ["finetune", "freelb"], tmp_path / "c", "textcnn", workers=0)
    assert not (tmp_path / "c").exists()


def test_every_method_is_trained_with_every_seed_and_a_broken_comparison_goes_on(
    ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, made = cells.train_recipe, []

    def stopping(recipe: Any, out: Path, resume: bool) -> Any:
        if len(made) == 2:
            raise Stopped("stopped")
        made.append(out.name)
        return real(recipe, out, resume)

    monkeypatch.setattr(cells, "train_recipe", stopping)
    with pytest.raises(Stopped):
        run(ground, tmp_path / "c", ["finetune", "freelb"])
    assert made == ["finetune-0", "freelb-0"]
    weights = (tmp_path / "c/runs/finetune-0/model/model.safetensors").read_bytes()
    monkeypatch.setattr(cells, "train_recipe", real)
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


def test_a_comparison_has_one_precision(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"compared have one precision; say which: plan\.precision is fp32 or bf16"):
        compare("nowhere.csv", ["finetune", "freelb"], tmp_path / "out", plan={"precision": "auto"})
