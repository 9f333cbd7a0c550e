"""Exact resume under fire: real processes, real SIGKILLs at random moments, the same bits at the end.

Every attempt is a fresh process, killed and begun again until the run is done. ``make test-kill`` kills 25 times per
method, ``make test`` three times.
"""

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from multiprocessing.process import BaseProcess
from pathlib import Path

import pytest
from forked import forked, two
from killed import PLAN, train
from tiny import save_encoder, save_reviews

import unfooled as uf
from unfooled.methods import METHODS


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kill")
    save_encoder(folder / "encoder", dropout=0.2)
    save_reviews(folder / "reviews.csv", 60)
    finish(folder, folder / "warm-up", "finetune")  # the server imports torch now, and the clock of a run stays honest
    learnt = {"epochs": 16, "batch_size": 8, "learning_rate": 1e-2}
    plain = uf.train(str(folder / "reviews.csv"), folder / "plain", str(folder / "encoder"), plan=learnt)
    uf.attack(plain.model, str(folder / "reviews.csv"), "deepwordbug", folder / "attack", similarity=None)
    return folder


def begin(ground: Path, out: Path, method: str) -> BaseProcess:
    return forked(train, str(ground), str(out), method)


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
        time.sleep(0.0005)
    alive = process.is_alive()
    if alive and process.pid is not None:
        os.kill(process.pid, signal.SIGKILL)
    process.join(timeout=60)
    return alive and process.exitcode == -signal.SIGKILL


def last_step(out: Path) -> int:
    """The step of the last checkpoint."""
    return max((int(path.name.removeprefix("step-")) for path in out.glob("checkpoints/step-*")), default=0)


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
    seed = int.from_bytes(os.urandom(4), "big")
    chance, done, attempt = random.Random(seed), 0, 0
    while done < kills:
        out = tmp_path / f"broken-{attempt}"
        attempt += 1
        for _ in range(kills):
            # The first kill falls into a save; the others anywhere, the writing of the final model included.
            while_saving = done == 0 or chance.random() < 0.3
            left = seconds * (1 - last_step(out) / last_step(whole))
            moment = chance.uniform(0.05, 0.6 if while_saving else 1.0) * left
            if not kill(begin(ground, out, method), out, moment, while_saving):
                break  # it was quicker than we were
            done += 1
            if done == kills:
                break
        finish(ground, out, method)
        assert fingerprint(out) == fingerprint(whole), f"kills drawn by seed {seed}"
        assert attempt <= 10 * kills


def test_two_processes_killed_and_resumed_end_in_the_same_bits(ground: Path, tmp_path: Path) -> None:
    """Begun as torchrun begins them, gone on with by torchrun, under another hash seed after the kill than before."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    for process in two(train, str(ground), str(whole), "freelb"):
        process.join(timeout=120)
        assert process.exitcode == 0
    processes = two(train, str(ground), str(broken), "freelb")
    while processes[0].is_alive() and not list(broken.glob("checkpoints/step-*")):
        time.sleep(0.001)
    for process in processes:
        process.kill()
    for process in processes:
        process.join(timeout=60)
        assert process.exitcode == -signal.SIGKILL
    assert not (broken / "model").exists()
    settings = [word for name, value in PLAN.items() for word in ("--set", f"plan.{name}={value}")]
    files = ["--data", str(ground / "reviews.csv"), "--model", str(ground / "encoder"), "--out", str(broken)]
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2", "-m", "unfooled"]
    command += ["train", *files, "--method", "freelb", "--seed", "5", "--resume", *settings]
    environment = {**os.environ, "PYTHONHASHSEED": "3", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    assert fingerprint(broken) == fingerprint(whole)
