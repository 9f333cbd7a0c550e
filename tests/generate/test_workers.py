"""Worker processes: answers in order, few in memory, an end when nobody asks any more, one sentence when one dies."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from village import TEXTS

from unfooled.errors import BadInput
from unfooled.generate.workers import Rows, Worker, made_in_order
from unfooled.text.versions import VersionSettings

HOW = VersionSettings()


def batches(most: int, taken: list[int]) -> Iterator[tuple[int, Rows]]:
    for number in range(most):
        taken.append(number)
        text = TEXTS[number % len(TEXTS)]
        yield number, [(number, text * (1 + 20 * (number % 3 == 0)))]  # some take much longer than others


@pytest.mark.parametrize("workers", [2, 3])
def test_answers_come_in_order_and_few_wait(workers: int):
    alone = list(made_in_order(batches(18, []), HOW, 3, 1))
    taken: list[int] = []
    for number, answer in enumerate(made_in_order(batches(18, taken), HOW, 3, workers)):
        assert answer == alone[number] and answer[0] == number
        assert len(taken) <= number + 2 * workers + 2
    assert len(taken) == 18


def test_a_worker_that_dies_is_one_sentence():
    worker = Worker(HOW, 0)
    try:
        assert worker.ask([(0, TEXTS[0])])[1]["texts"] == 1
        os.kill(worker.process.pid, signal.SIGKILL)
        with pytest.raises(BadInput, match=r"a worker process has ended \(exit code -9\)"):
            worker.ask([(0, TEXTS[0])])
    finally:
        worker.end()


def test_leaving_early_ends_the_workers():
    before = children()
    answers = made_in_order(batches(18, []), HOW, 0, 2)
    next(answers)
    assert len(children() - before) == 2
    answers.close()
    assert children() - before == set()


def children() -> set[str]:
    found = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    return {row for row in found.stdout.splitlines() if "unfooled.generate.lines" in row}


def test_a_worker_ends_with_whoever_asked():
    code = (
        "from unfooled.generate.workers import Worker; from unfooled.text.versions import VersionSettings\n"
        "worker = Worker(VersionSettings(), 0); worker.ask([(0, 'Good films')])\n"
        "print(worker.process.pid, flush=True); import time; time.sleep(60)"
    )
    asker = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert asker.stdout is not None
    worker = int(asker.stdout.readline())
    asker.kill()
    asker.wait()
    asker.stdout.close()
    deadline = time.monotonic() + 20
    while alive(worker) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not alive(worker)


def alive(process: int) -> bool:
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_worker_whose_asker_is_gone_ends_without_a_word():
    """As when the asker is killed: nobody takes the answer, and a question may break off in its midst."""
    for said in (
        '{"settings": {}, "seed": 0}\n[[0, "A good film."]]\n',
        '{"settings": {}, "seed": 0}\n[[0, "A go',
        '{"se',
        "",
    ):
        command = [sys.executable, "-m", "unfooled.generate.lines"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with subprocess.Popen(command, **pipes, text=True) as worker:
            assert worker.stdin and worker.stdout and worker.stderr
            worker.stdout.close()
            worker.stdin.write(said)
            worker.stdin.close()
            assert worker.stderr.read() == ""
