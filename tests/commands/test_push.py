"""A finished run on its way to a hub, played on loopback: what arrives, and what is never sent."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hub_server import TOKEN, PlayedHub, played_hub
from huggingface_hub import ModelCard
from results_ground import contrast_pairs, save_trial, word_attack

import unfooled as uf
from unfooled.commands.push_card import PICTURE
from unfooled.errors import BadInput

# The hub's library says it of its own way to send large files.
pytestmark = pytest.mark.filterwarnings("ignore:Use 'content=:DeprecationWarning")


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PlayedHub]:
    with played_hub() as hub:
        own = {"HF_HUB_OFFLINE": False, "ENDPOINT": hub.url, "HF_HUB_DISABLE_XET": True}
        for name, value in {**own, "HF_TOKEN_PATH": str(tmp_path / "no token")}.items():
            monkeypatch.setattr(f"huggingface_hub.constants.{name}", value)
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield hub


@pytest.fixture
def run(ground: Path, tmp_path: Path) -> Path:
    """A run of one's own, which may be spoilt; its checkpoints are nothing to anybody."""
    return shutil.copytree(ground / "run", tmp_path / "run", ignore=shutil.ignore_patterns("checkpoints"))


def sent(run: Path, hub: PlayedHub, **how: object) -> dict[str, bytes]:
    pushed = uf.push(run, "me/robust", **how)  # type: ignore[arg-type]
    assert pushed.url == f"{hub.url}/me/robust" and set(pushed.files) == set(hub.models["me/robust"])
    return hub.models["me/robust"]


def test_what_arrives_is_the_folder_to_the_byte_and_a_card(run: Path, hub: PlayedHub) -> None:
    files = sent(run, hub)
    here = {path.name: path.read_bytes() for path in (run / "model").iterdir()}
    assert {"config.json", "model.safetensors", "tokenizer.json", "README.md"} <= set(files) == set(here)
    assert {name: files[name] for name in here if name != "README.md"} == {
        name: content for name, content in here.items() if name != "README.md"
    }
    assert hub.private == {"me/robust": False} and f"PUT /large/{next(iter(hub.stored))}" in hub.asked
    assert all("me/robust" in line or "/api/" in line or "/large/" in line or "/verify" in line for line in hub.asked)


def test_an_evaluation_brings_its_picture(run: Path, hub: PlayedHub, tmp_path: Path) -> None:
    mark = json.loads((run / "summary.json").read_text())["model_hash"]
    save_trial(tmp_path / "results", "robust", "pwws", word_attack(40, 20, 20), model_hash=mark)
    save_trial(tmp_path / "results", "robust", "contrast", contrast_pairs(30, 10), model_hash=mark)
    files = sent(run, hub, results=tmp_path / "results", licence="mit")
    card = ModelCard(files["README.md"].decode())
    assert f"]({PICTURE})" in card.text and card.data.license == "mit"
    assert files[PICTURE].startswith(b'<svg xmlns="http://www.w3.org/2000/svg"')
    refused(run, "there is no folder", results=tmp_path / "nowhere")


def refused(run: Path, sentence: str, name: str = "me/robust", **how: object) -> None:
    with pytest.raises(BadInput, match=sentence):
        uf.push(run, name, **how)  # type: ignore[arg-type]


def test_what_training_did_not_write_is_not_sent(run: Path, hub: PlayedHub, tmp_path: Path) -> None:
    model = run / "model"
    for name in ("pytorch_model.bin", "notes.txt", "secrets.json", ".env", "modeling.py"):
        (model / name).write_text("{}")
        refused(run, f"{name} is nothing that training wrote, and would be sent too")
        (model / name).unlink()
    (tmp_path / "private.json").write_text("{}")
    (model / "special_tokens_map.json").symlink_to(tmp_path / "private.json")
    refused(run, "special_tokens_map.json is nothing that training wrote")
    assert not hub.asked


@pytest.mark.parametrize("name", ["robust", "me/robust/model", "me/ro bust", "me/..", "/robust", "me/robust.git", ""])
def test_a_name_that_is_none(run: Path, hub: PlayedHub, name: str) -> None:
    refused(run, "is no name of a model on the hub; give the owner and the name", name)
    assert not hub.asked


def test_a_run_that_is_not_finished_or_none_at_all(run: Path, hub: PlayedHub, tmp_path: Path) -> None:
    (run / "summary.json").rename(tmp_path / "summary.json")
    refused(run, "the run in .* is not finished; uf.train with resume=True goes on with it")
    refused(tmp_path / "nowhere", "is no run of unfooled: it has no recipe.toml")
    (run / "summary.json").write_text('{"kind": "unfooled evaluation"}')
    refused(run, "does not say its base; is it the summary of a training?")
    assert not hub.asked


def test_nobody_is_logged_in_or_with_a_token_that_is_none(
    run: Path, hub: PlayedHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_of_nobody")
    refused(run, r"the hub refused me/robust \(401: .*\); log in again: hf auth login")
    asked = len(hub.asked)
    monkeypatch.delenv("HF_TOKEN")
    refused(run, "nobody is logged in to the Hugging Face hub here; run: hf auth login, or set HF_TOKEN")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    refused(run, "HF_HUB_OFFLINE is set, so nothing can be sent to the hub")
    assert len(hub.asked) == asked and not hub.models


def test_what_the_hub_refuses_is_one_sentence(run: Path, hub: PlayedHub) -> None:
    refused(run, r"the hub refused they/robust \(403: .*\); use a token that may write to it", "they/robust")
    hub.broken = "/commit/"
    refused(run, r"the hub refused me/robust \(500: .*\); try again")
    assert hub.models == {"me/robust": {}}


def test_a_public_model_is_not_taken_for_a_private_one(run: Path, hub: PlayedHub) -> None:
    sent(run, hub, private=True)
    assert hub.private == {"me/robust": True} and sent(run, hub, private=True)  # again, into the same
    hub.private["me/robust"], hub.models["me/robust"] = False, {}
    refused(run, "me/robust is there already, and anybody can read it; make it private on the hub", private=True)
    assert hub.models == {"me/robust": {}}
