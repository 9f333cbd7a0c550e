"""A search stays within its bounds, gives every method the same budget, and goes on where it stopped."""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tiny import save_encoder, save_reviews

from unfooled.commands import tune as tuning
from unfooled.commands.tune import Bound, read_bounds, recipe_of, tune
from unfooled.errors import BadInput, Stopped
from unfooled.files import owned
from unfooled.recipe.config import recipe_from
from unfooled.recipe.file import read_recipe

BOUNDS = {
    "method.step_size": Bound(low=0.01, high=0.2, log=True),
    "method.passes": Bound(low=2, high=4),
    "plan.learning_rate": Bound(choices=(1e-3, 1e-4)),
}


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


@pytest.mark.parametrize("share", [0.3, 0.6, 0.85])
def test_a_search_killed_in_the_midst_of_a_draw_or_a_line_draws_what_an_unbroken_one_does(
    share: float, base: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    optuna = pytest.importorskip("optuna")
    monkeypatch.setattr(tuning, "score", lambda recipe, folder, number: float(recipe.to_mapping()["method"]["passes"]))
    tune(base, ["freelb"], BOUNDS, tmp_path, trials=4)
    path = tmp_path / "freelb" / "search.jsonl"

    def params() -> list[dict[str, Any]]:
        backend = optuna.storages.journal.JournalFileBackend(str(path))
        study = optuna.load_study(study_name="freelb", storage=optuna.storages.JournalStorage(backend))
        return [trial.params for trial in study.trials]

    whole, content = params(), path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])  # no share is the end of a line
    assert not path.read_bytes().endswith(b"\n")
    path.with_name(f"{path.name}.lock").symlink_to(path)  # as of a process that was killed while it wrote
    tune(base, ["freelb"], BOUNDS, tmp_path, trials=4)
    path.with_name(f"{path.name}.lock").unlink()
    assert params() == whole


def test_a_search_has_one_writer(base: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    with owned(tmp_path / "freelb"), pytest.raises(BadInput, match="is writing to .*freelb; wait until it ends"):
        tune(base, ["freelb"], BOUNDS, tmp_path, trials=1)


def test_a_search_is_scored_by_validation_though_there_is_a_test_split(base: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "trial-0").mkdir()
    scores = {"test accuracy": {"value": 0.9}, "validation accuracy": {"value": 0.4}}
    (tmp_path / "trial-0" / "summary.json").write_text(json.dumps({"scores": scores}))
    assert tuning.score(recipe_from(base), tmp_path, 0) == 0.4


def test_without_optuna_there_is_one_sentence(
    base: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(BadInput, match=r"pip install 'unfooled\[tune\]'"):
        tune(base, ["freelb"], BOUNDS, tmp_path / "s", trials=1)


def test_table_8_of_the_paper(base: dict[str, Any]) -> None:
    bounds = read_bounds("carl-table8")
    ends = {name.split(".")[1]: (bound.low, bound.high) for name, bound in bounds.items()}
    assert ends == {"spread": (0.0, 0.8), "step_size": (0.01, 0.2), "radius": (0.0, 0.5), "passes": (2, 4)}
    for method in ("freelb", "carl", "rar"):
        values = {"method.spread": 0.8, "method.step_size": 0.01, "method.radius": 0.0, "method.passes": 4}
        built = recipe_of(base, method, bounds, values, 0).to_mapping()["method"]
        assert (built["spread"], built["passes"], built["radius"]) == (0.8, 4, "none")


@pytest.mark.parametrize(
    "values",
    [{}, {"low": 1}, {"low": 2, "high": 1}, {"low": 0, "high": 1, "log": True}, {"low": 0, "high": 1, "choices": [1]}],
)
def test_bounds_that_make_no_sense_are_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Bound.model_validate(values)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no bounds"),
        ("[method.radius]\nlow = 2\nhigh = 1\n", "method.radius .*low must be below high"),
        ("[method", "cannot be read as TOML"),
    ],
)
def test_bad_files_of_bounds_are_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "b.toml").write_text(text)
    with pytest.raises(BadInput, match=words):
        read_bounds(str(tmp_path / "b.toml"))
    with pytest.raises(BadInput, match="no bounds at"):
        read_bounds(str(tmp_path / "nothing.toml"))


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
