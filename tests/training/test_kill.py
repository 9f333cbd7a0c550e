"""Exact resume under fire: real processes, real signals at random moments, the same bits at the end.

Every attempt is a fresh process, ended and begun again until the run is done. ``make test-kill`` sends each signal 25
times per method, in one process and in two; ``make test`` once, and in two processes to a sample of the methods.
"""

import os
import signal
import subprocess
import sys
import time
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from forked import forked, launch, placed, two
from kills import Command, Kills, command, same_bytes, survives
from tiny import save_encoder, save_reviews

import unfooled as uf
from unfooled.methods import METHODS

PLAN = {"epochs": 3, "batch_size": 8, "accumulation": 2, "save_every": 2, "evaluations_per_epoch": 2, "log_every": 3}
# Of two processes killed in `make test`: one that keeps more than weights, and one of another task.
SAMPLE = ("carl", "cline")
same_run = same_bytes("model/*.safetensors", "checkpoints/*/*.safetensors", "recipe.toml")


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kill")
    save_encoder(folder / "encoder", dropout=0.2)
    save_reviews(folder / "reviews.csv", 60)
    learnt = {"epochs": 16, "batch_size": 8, "learning_rate": 1e-2}
    plain = uf.train(str(folder / "reviews.csv"), folder / "plain", str(folder / "encoder"), plan=learnt)
    uf.attack(plain.model, str(folder / "reviews.csv"), "deepwordbug", folder / "attack", similarity=None)
    return folder


def training(ground: Path, method: str, processes: int = 1) -> Command:
    """The training of a method on tiny reviews, resumed where there is something to resume."""
    settings: dict[str, dict[str, Any]] = {
        "adversarial_text": {"adversaries": f"{ground}/attack", "strangers": "leave out"},
        "worst_words": {"sources": ["wordnet", "any_sense", "inflections", "typos", "mask"]},  # quick to open
    }
    recipe = ground / f"{method}.toml"
    recipe.write_text(tomli_w.dumps({"method": {"name": method, **settings.get(method, {})}, "plan": PLAN, "seed": 5}))
    files = ["--data", f"{ground}/reviews.csv", "--model", f"{ground}/encoder", "--recipe", str(recipe)]
    return Command(("train", *files, "--out", "OUT", "--resume"), processes)


@pytest.mark.parametrize("method", METHODS)
def test_ended_by_any_signal_and_resumed_it_ends_in_the_same_bits(
    method: str, ground: Path, tmp_path: Path, kills: Kills
) -> None:
    survives(training(ground, method), tmp_path, kills, same_run)


@pytest.mark.parametrize("method", METHODS)
def test_two_processes_ended_by_any_signal_and_resumed_end_in_the_same_bits(
    method: str, ground: Path, tmp_path: Path, kills: Kills
) -> None:
    if kills.each == 1 and method not in SAMPLE:
        pytest.skip("in two processes every method is for make test-kill")
    survives(training(ground, method, processes=2), tmp_path, kills, same_run)


def test_a_kill_in_the_midst_of_a_save_leaves_the_checkpoint_before(ground: Path, tmp_path: Path) -> None:
    run = training(ground, "freelb")
    run.finish(tmp_path / "whole")
    for attempt in range(20):
        out = tmp_path / f"broken-{attempt}"
        [process] = run.begin(out)
        while process.is_alive() and not list(out.glob("checkpoints/.writing-*")):
            time.sleep(0.0002)
        process.kill()
        process.join(60)
        if process.exitcode == -signal.SIGKILL and list(out.glob("checkpoints/.writing-*")):
            break
    else:
        pytest.fail("no kill fell into a save")
    run.finish(out)
    same_run(tmp_path / "whole", out)


def test_torchrun_goes_on_with_what_two_processes_began(ground: Path, tmp_path: Path) -> None:
    """Begun as torchrun begins them, gone on with by torchrun, under another hash seed after the kill than before."""
    run, whole, broken = training(ground, "freelb", processes=2), tmp_path / "whole", tmp_path / "broken"
    run.finish(whole)
    (tmp_path / "notes").mkdir()
    arguments = [part.replace("OUT", str(broken)) for part in run.arguments]
    processes = two(command, arguments, str(tmp_path / "notes"))
    while processes[0].is_alive() and not list(broken.glob("checkpoints/step-*")):
        time.sleep(0.001)
    for process in processes:
        process.kill()
    for process in processes:
        process.join(timeout=60)
        assert process.exitcode == -signal.SIGKILL
    assert not (broken / "model").exists()
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2", "-m", "unfooled"]
    environment = {**os.environ, "PYTHONHASHSEED": "3", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*launch, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    same_run(whole, broken)


@pytest.mark.parametrize(("rank", "number"), [("0", signal.SIGTERM), ("1", signal.SIGINT)])
def test_whoever_waits_for_a_process_that_never_comes_ends_at_once(
    rank: str, number: signal.Signals, ground: Path, tmp_path: Path
) -> None:
    """Torch waits for half an hour there, below Python, where no handler of Python's is called."""
    out, notes = tmp_path / "out", tmp_path / "notes"
    notes.mkdir()
    arguments = [part.replace("OUT", str(out)) for part in training(ground, "freelb").arguments]
    process = forked(placed, launch(rank), command, arguments, str(notes))
    while process.is_alive() and not ((notes / f"ready-{rank}").exists() and idle(process)):
        time.sleep(0.01)
    assert process.is_alive() and process.pid is not None
    os.kill(process.pid, number)
    process.join(timeout=20)
    code = process.exitcode
    process.kill()
    assert code == -number and not out.exists()


def idle(process: BaseProcess) -> bool:
    """Whether a process takes no processor time for half a second."""
    times = []
    for _ in range(2):
        times.append(Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])
        time.sleep(0.5)
    return times[0] == times[1]
