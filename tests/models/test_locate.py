import json
import socket
from pathlib import Path

import pytest
from tiny import save_encoder

from unfooled.errors import BadInput
from unfooled.models import locate as room
from unfooled.models.locate import checked, locate


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return save_encoder(tmp_path / "encoder")


def test_a_path_comes_first_then_the_data_folder_then_the_embedded(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert locate(str(folder)).folder == folder
    monkeypatch.setenv("UNFOOLED_DATA", str(tmp_path))
    assert locate("encoder").folder == folder
    found = locate("minilm").folder
    assert found is not None and (found / "model.safetensors").is_file()


def test_a_run_folder_stands_for_its_model(folder: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "recipe.toml").write_text("")
    with pytest.raises(BadInput, match="has not finished"):
        locate(str(run))
    folder.rename(run / "model")
    assert locate(str(run)).folder == run / "model"


def test_changed_embedded_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MINILM_SHA256", "0" * 64)
    with pytest.raises(BadInput, match="has changed.*reinstall"):
        locate("minilm")


def test_a_folder_without_weights_says_so(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    with pytest.raises(BadInput, match="holds no weights: model.safetensors is missing"):
        checked(folder)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.pt", "weights.pkl"])
def test_a_pickle_is_refused(folder: Path, name: str) -> None:
    (folder / "model.safetensors").rename(folder / name)
    with pytest.raises(BadInput, match=f"pickle.*{name}.*refused; save them as model.safetensors"):
        checked(folder)


def test_a_broken_configuration_or_one_with_code_is_refused(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "auto_map": {"AutoModel": "evil.Model"}}))
    with pytest.raises(BadInput, match="code of its own"):
        checked(folder)
    (folder / "config.json").write_text("{")
    with pytest.raises(BadInput, match="not valid JSON"):
        checked(folder)
    (folder / "config.json").unlink()
    with pytest.raises(BadInput, match="no config.json"):
        checked(folder)


@pytest.mark.parametrize("name", ["./nowhere", "/nowhere/at/all", "runs/a/model"])
def test_a_missing_path_never_asks_the_hub(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "hub_answers", lambda: pytest.fail("asked the hub"))
    with pytest.raises(BadInput, match="no model folder at"):
        locate(name)


def test_a_file_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "model.txt").write_text("x")
    with pytest.raises(BadInput, match="is a file, not a model folder"):
        locate(str(tmp_path / "model.txt"))


def test_offline_a_hub_name_is_one_sentence_with_the_three_other_ways(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no network")

    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    with pytest.raises(BadInput, match=r"bert-base-uncased.*model folder.*\$UNFOOLED_DATA.*embedded name"):
        locate("bert-base-uncased")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: pytest.fail("opened a socket"))
    with pytest.raises(BadInput, match="cannot be reached"):
        locate("bert-base-uncased")
