"""``unfooled push`` in a process of its own, towards a hub on loopback that its environment names."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hub_server import TOKEN, played_hub
from tiny import save_encoder, save_reviews

import unfooled as uf


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("push")
    save_encoder(folder / "encoder")
    save_reviews(folder / "reviews.csv", 40)
    uf.train(folder / "reviews.csv", folder / "run", folder / "encoder", plan={"max_steps": 1})
    return folder / "run"


def push(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    own = {"HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1", "HF_TOKEN_PATH": os.devnull, **environment}
    command = [sys.executable, "-m", "unfooled", "push", *arguments]
    return subprocess.run(command, env={**os.environ, **own}, capture_output=True, text=True, timeout=300)


def test_the_files_arrive_and_are_named(run: Path) -> None:
    with played_hub() as hub:
        done = push(str(run), "me/tiny", "--private", "--license", "mit", HF_ENDPOINT=hub.url, HF_TOKEN=TOKEN)
    assert done.returncode == 0, done.stderr[-2000:]
    assert hub.private == {"me/tiny": True} and b"license: mit" in hub.models["me/tiny"]["README.md"]
    weights = (run / "model" / "model.safetensors").read_bytes()
    assert hub.models["me/tiny"]["model.safetensors"] == weights
    assert "sent: model.safetensors" in done.stdout and f"model: {hub.url}/me/tiny" in done.stdout
    assert TOKEN not in done.stdout + done.stderr


def test_without_a_login_it_is_one_sentence(run: Path) -> None:
    done = push(str(run), "me/tiny", HF_ENDPOINT="http://127.0.0.1:9", HF_TOKEN="")
    assert done.returncode == 2 and not done.stdout
    assert done.stderr.splitlines()[-1].startswith("unfooled: nobody is logged in to the Hugging Face hub here")
