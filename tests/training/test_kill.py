"""Exact resume under fire: real processes, real SIGKILLs at random moments, the same bits at the end.

A fork server imports torch once; every attempt is a fresh process forked from it, killed and begun again until the
run is done. ``make test-kill`` kills 25 times per method, ``make test`` three times.
"""

import hashlib
import multiprocessing
import os
import random
import signal
import time
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest

from tiny import save_encoder, save_reviews
from unfooled.methods import METHODS

PLAN = {
    "epochs": 3,
    "batch_size": 8,
    "accumulation": 2,
    "save_every": 2,
    "evaluations_per_epoch": 2,
    "log_every": 3,
}


def train(folder: str, out: str, method: str) -> None:
    """What every attempt runs: train, or go on training."""
    import torch

    import unfooled as uf

    torch.set_num_threads(1)
    os.close(2)  # a killed process's last words are of no interest
    os.open(os.devnull, os.O_WRONLY)
    uf.train(f"{folder}/reviews.csv", out, f"{folder}/encoder", method, PLAN, seed=5, resume=True)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kill")
    save_encoder(folder / "encoder", dropout=0.2)
    save_reviews(folder / "reviews.csv", 200)
    return folder


def begin(ground: Path, out: Path, method: str) -> BaseProcess:
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(["unfooled.api"])
    process = server.Process(target=train, args=(str(ground), str(out), method))
    process.start()
    return process


def finish(ground: Path, out: Path, method: str) -> float:
    """Let an attempt run to its end; how long it took."""
    began = time.monotonic()
    process = begin(ground, out, method)
    process.join(timeout=120)
    assert process.exitcode == 0
    return time.monotonic() - began


def kill(process: BaseProcess, out: Path, moment: float, while_saving: bool) -> bool:
    """SIGKILL the process at a moment, or as soon after it as a checkpoint is being written."""
    deadline = time.monotonic() + moment
    while process.is_alive() and time.monotonic() < deadline:
        time.sleep(0.001)
    while process.is_alive() and while_saving and not list(out.glob("checkpoints/.writing-*")):
        pass
    alive = process.is_alive()
    if alive and process.pid is not None:
        os.kill(process.pid, signal.SIGKILL)
    process.join(timeout=60)
    return alive and process.exitcode == -signal.SIGKILL


def fingerprint(out: Path) -> dict[str, str]:
    """The SHA-256 of the final model and of every tensor file of the last checkpoint."""
    files = [out / "model" / "model.safetensors", *out.glob("checkpoints/step-*/*.safetensors")]
    return {str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.parametrize("method", METHODS)
def test_killed_and_resumed_ends_in_the_same_bits(
    method: str, ground: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    kills = request.config.getoption("--kills")
    whole = tmp_path / "whole"
    seconds = finish(ground, whole, method)
    chance = random.Random()
    done, attempt, moments = 0, 0, []
    while done < kills:
        out = tmp_path / f"broken-{attempt}"
        attempt += 1
        for _ in range(kills):
            moment = chance.uniform(0.05, 0.7) * seconds
            while_saving = chance.random() < 0.4
            moments.append((round(moment, 3), while_saving))
            if not kill(begin(ground, out, method), out, moment, while_saving):
                break  # it was quicker than we were
            done += 1
            if done == kills:
                break
        finish(ground, out, method)
        assert fingerprint(out) == fingerprint(whole), f"after kills at {moments}"
        assert attempt <= 10 * kills
