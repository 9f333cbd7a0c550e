"""Real processes: the records of one process, whoever is killed meanwhile."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attack_ground import save_ground
from kills import of_session, same_results

import unfooled as uf
from unfooled.workers import processes
from unfooled.workers.processes import Machine, WorkerProcess

# One attack, batches of a network, and chunks of questions: each is parted in another way.
TRIALS = ["clean", "pgd", "pwws", "invariance"]
SETTINGS = {"pwws": {"similarity": None}, "invariance": {"most": 6}, "pgd": {"steps": 1}}


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder, before = save_ground(tmp_path_factory.mktemp("ground")), Path.cwd()
    os.chdir(folder)  # a model is known by the path it is named by
    yield folder
    os.chdir(before)


def measure(ground: Path, out: str, **how: Any) -> Path:
    uf.evaluate("model", "reviews.csv", out, TRIALS, batch_size=4, seed=3, settings=SETTINGS, **how)
    return ground / out


@pytest.fixture(scope="module")
def whole(ground: Path) -> Path:
    """What one process makes of it."""
    return measure(ground, "whole")


def killing(monkeypatch: pytest.MonkeyPatch, after: int) -> list[int]:
    """Have the worker killed that gives the record of this number; the processes that were begun, by number."""
    begun: list[int] = []
    real, given = WorkerProcess._answer, [0]

    class Watched(WorkerProcess):
        def __init__(self) -> None:
            super().__init__()
            begun.append(self.process.pid)

        def _answer(self) -> dict[str, Any]:
            answer = real(self)
            given[0] += "record" in answer
            if given[0] == after:
                given[0] += 1000
                os.kill(self.process.pid, signal.SIGKILL)
            return answer

    monkeypatch.setattr(processes, "WorkerProcess", Watched)
    return begun


def test_two_workers_of_which_one_is_killed_make_the_records_of_one_process(
    ground: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = killing(monkeypatch, after=70)  # in the midst of pgd
    parted = measure(ground, "parted", workers=2)
    same_results(whole, parted)
    for path in parted.glob("*/*/examples.jsonl"):
        indices = [json.loads(line)["index"] for line in path.read_text().splitlines()[1:]]
        assert sorted(indices) == list(range(len(indices))) and indices
    assert len(begun) == 3  # two, and one for the one that was killed
    assert all(not Path(f"/proc/{number}").exists() for number in begun)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the system does not list its processes")
def test_ctrl_c_ends_all_of_them(ground: Path) -> None:
    how = ("--data", "reviews.csv", "--similarity", "none", "--out", "stopped", "--workers", "2")
    command = [sys.executable, "-m", "unfooled", "attack", "model", *how]
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE, text=True) as parent:
        deadline = time.monotonic() + 200
        while sum("workers.desk" in line for line in of_session(parent.pid)) < 2:
            assert time.monotonic() < deadline and parent.poll() is None
            time.sleep(0.02)
        os.killpg(parent.pid, signal.SIGINT)  # as a terminal does: its whole group hears it
        _, said = parent.communicate(timeout=20)
        assert parent.returncode == 130 and "Traceback" not in said and "the same command goes on" in said
        assert not of_session(parent.pid)


def test_a_worker_ends_with_whoever_began_it_and_hears_no_ctrl_c_of_its_terminal() -> None:
    worker = WorkerProcess()
    assert os.getpgid(worker.process.pid) == worker.process.pid  # from its first moment on
    worker.questions.close()
    assert worker.process.wait(60) == 0
    worker.answers.close()


def test_where_memory_is_short_fewer_are_used_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(processes, "own_bytes", lambda: 10**9)
    for free, used, told in (
        (10**10, 4, ""),
        (3 * 10**9, 2, "there is no memory for 4 workers (each takes about 1.0 GB, and 3.0 GB are free); 2 of 4 work"),
        (15 * 10**8, 0, "this process computes alone"),
        (None, 4, ""),
    ):
        monkeypatch.setattr(processes, "free_bytes", lambda free=free: free)
        assert Machine().room(4) == used
        said = capsys.readouterr().err.replace("\n", " ")
        assert told in said and bool(said) == bool(told)


def test_a_worker_takes_at_least_what_its_work_will(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(processes, "own_bytes", lambda: 10**9)
    monkeypatch.setattr(processes, "free_bytes", lambda: 10**10)
    assert Machine(least=4 * 10**9).room(4) == 2 and "each takes about 4.0 GB" in capsys.readouterr().err
    assert Machine(least=1).room(4) == 4
