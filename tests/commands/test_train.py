import json
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import torch
from safetensors import SafetensorError
from tiny import save_encoder, save_reviews

import unfooled as uf
from unfooled.commands.report import report
from unfooled.errors import BadInput
from unfooled.files import owned
from unfooled.models import load

PLAN = {"epochs": 20, "batch_size": 8, "learning_rate": 1e-2}


def test_a_run_learns_and_leaves_everything_behind(ground: Path) -> None:
    run = ground / "run"
    summary = json.loads((run / "summary.json").read_text())
    assert summary["scores"]["test accuracy"]["value"] > 0.9
    assert summary["scores"]["test accuracy"]["n"] == 60
    assert summary["model_hash"] == load(str(run)).fingerprint()
    assert summary["seed"] == 4 and summary["method"] == "freelb" and summary["schema"] == 1
    assert set(summary["versions"]) >= {"python", "torch", "transformers", "unfooled"}
    recipe = tomllib.loads((run / "recipe.toml").read_text())
    assert recipe["method"]["passes"] == 2 and recipe["plan"]["weight_decay"] == 0.01
    assert "test accuracy" in (run / "model" / "README.md").read_text()
    assert not list(run.glob(".*"))


def test_the_recipe_left_behind_reproduces_the_run(ground: Path, tmp_path: Path) -> None:
    from unfooled.commands.train import train_recipe
    from unfooled.recipe.config import recipe_from
    from unfooled.recipe.file import read_recipe

    train_recipe(recipe_from(read_recipe(ground / "run" / "recipe.toml")), tmp_path / "again")
    summaries = [json.loads((folder / "summary.json").read_text()) for folder in (ground / "run", tmp_path / "again")]
    assert summaries[0] == summaries[1]


def test_a_model_that_has_learnt_nothing_says_so_everywhere(
    ground: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, encoder = str(ground / "train.csv"), str(ground / "encoder")
    still = {"max_steps": 1, "learning_rate": 1e-9}
    run = uf.train(data, tmp_path / "still", encoder, plan=still)
    assert run.warning is not None and "has learnt nothing" in run.warning
    assert f"WARNING: {run.warning}; train longer" in capsys.readouterr().err
    summary = json.loads((tmp_path / "still" / "summary.json").read_text())
    assert summary["learnt_nothing"] is True and summary["warning"] == run.warning
    assert f"> **Warning**: {run.warning}" in (tmp_path / "still" / "model" / "README.md").read_text()
    assert json.loads((tmp_path / "still" / "model" / "config.json").read_text())["unfooled_learnt_nothing"] is True
    results = uf.evaluate(run.model, str(ground / "test.csv"), tmp_path / "results", ["clean"])
    assert any("had learnt nothing" in warning for warning in results.warnings)
    page = report(tmp_path / "results", tmp_path / "page.html")
    assert "had learnt nothing" in Path(page).read_text()
    # Trained further it has learnt something, and nothing of the old warning is left.
    more = uf.train(data, tmp_path / "more", run.model, plan=PLAN)
    assert more.warning is None and not load(more.model).learnt_nothing
    assert "unfooled_learnt_nothing" not in (tmp_path / "more" / "model" / "config.json").read_text()
    assert json.loads((tmp_path / "more" / "summary.json").read_text())["learnt_nothing"] is False


def test_textcnn_trains_too(ground: Path, tmp_path: Path) -> None:
    model = {"name": "textcnn", "tokenizer": str(ground / "encoder"), "dropout": 0.1}
    run = uf.train(str(ground / "train.csv"), tmp_path / "cnn", model, "fgm", {**PLAN, "epochs": 4})
    assert run.scores["validation accuracy"].value > 0.9
    assert load(run.model).fingerprint()


def test_no_socket_is_opened(ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr(socket.socket, "connect", lambda *given: opened.append(given))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given, **more: opened.append(given))
    run = uf.train(str(ground / "train.csv"), tmp_path / "run", str(ground / "encoder"), plan={"max_steps": 2})
    uf.evaluate([run.model], str(ground / "test.csv"), tmp_path / "results", limit=4)
    assert not opened


def test_none_in_a_plan_is_heard(ground: Path, tmp_path: Path) -> None:
    plan = {"max_steps": 1, "clip": None}
    uf.train(str(ground / "train.csv"), tmp_path / "run", str(ground / "encoder"), plan=plan)
    assert tomllib.loads((tmp_path / "run" / "recipe.toml").read_text())["plan"]["clip"] == "none"


def test_a_run_whose_data_or_encoder_changed_is_not_resumed(ground: Path, tmp_path: Path) -> None:
    data = save_reviews(tmp_path / "reviews.csv", 40)
    encoder = save_encoder(tmp_path / "encoder")
    plan = {"max_steps": 1}
    uf.train(str(data), tmp_path / "run", str(encoder), plan=plan)
    uf.train(str(data), tmp_path / "run", str(encoder), plan=plan, resume=True)
    save_encoder(tmp_path / "encoder", seed=1)
    with pytest.raises(BadInput, match="begun with something else.*initial_model_hash"):
        uf.train(str(data), tmp_path / "run", str(encoder), plan=plan, resume=True)
    save_encoder(tmp_path / "encoder")
    save_reviews(data, 41)
    with pytest.raises(BadInput, match="begun with something else.*data_hash"):
        uf.train(str(data), tmp_path / "run", str(encoder), plan=plan, resume=True)


def test_reduced_precision_trains_and_scores_what_is_saved(ground: Path, tmp_path: Path) -> None:
    plan = {**PLAN, "precision": "bf16", "epochs": 10}
    data = {"source": str(ground / "train.csv"), "test": str(ground / "test.csv")}
    if not torch.cpu._is_avx512_bf16_supported():
        pytest.skip("this machine has no bf16 arithmetic")
    for method in ("freelb", "smart"):
        run = uf.train(data, tmp_path / method, str(ground / "encoder"), method, plan)
        again = uf.evaluate(run.model, str(ground / "test.csv"), tmp_path / f"{method}-results", ["clean"])
        assert again.rows[0].score.value == run.scores["test accuracy"].value > 0.8


def test_importing_the_package_does_not_load_torch() -> None:
    code = "import sys, unfooled; sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'CARLO'"):
        uf.CARLO  # noqa: B018
    assert callable(uf.train) and callable(uf.train) and callable(uf.evaluate)  # the second time too


def test_two_processes_do_not_train_into_one_folder(ground: Path, tmp_path: Path) -> None:
    arguments = str(ground / "train.csv"), tmp_path / "run", str(ground / "encoder")
    with owned(tmp_path / "run"), pytest.raises(BadInput, match="is writing to .*run; wait until it ends"):
        uf.train(*arguments, plan={"max_steps": 2})
    assert not (tmp_path / "run").exists()
    uf.train(*arguments, plan={"max_steps": 2})
    with owned(tmp_path / "run"), pytest.raises(BadInput, match="is writing to"):
        uf.train(*arguments, plan={"max_steps": 2}, resume=True)


def test_a_model_that_cannot_be_written_is_named_and_leaves_nothing_half_written(
    ground: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(tensors: object, path: Path) -> None:
        path.write_bytes(b"half")
        raise SafetensorError("I/O error: No space left on device (os error 28)")

    arguments = str(ground / "train.csv"), tmp_path / "run", str(ground / "encoder"), "rar"
    with monkeypatch.context() as patch:
        patch.setattr("unfooled.commands.train.save_file", full)
        with pytest.raises(BadInput, match=r"could not be written to .*run/model \(I/O error: No space.*resume=True"):
            uf.train(*arguments, plan={"max_steps": 2})
    assert not list((tmp_path / "run").glob(".*")) and not (tmp_path / "run" / "model").exists()
    assert Path(uf.train(*arguments, plan={"max_steps": 2}, resume=True).model).is_dir()
