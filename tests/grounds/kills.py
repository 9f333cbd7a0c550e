"""Commands in processes of their own, ended by signals at random moments, gone on with, and held against unbroken ones.

Every attempt is a fresh process that runs the command line itself; ``--kills`` says how often each signal falls.
"""

import json
import math
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from forked import forked, two

from unfooled.stopping import PATIENT

SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
CODES = {signal.SIGKILL: -9, signal.SIGTERM: 143, signal.SIGINT: 130}
SAID = "said.txt"
PROMPT = 10.0  # seconds from a signal to the end, on a busy machine
LONG = 240.0  # seconds after which whoever still runs does not stop


def command(arguments: Sequence[str], notes: str) -> None:
    """What every attempt runs: a command of the command line, which says into a file what it says."""
    import torch

    from unfooled.cli.main import main
    from unfooled.errors import Stopped
    from unfooled.stopping import stoppable

    torch.set_num_threads(1)
    os.chdir(Path(notes).parent)  # so that places have the same names in broken runs and in unbroken ones
    said = os.open(Path(notes) / SAID, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(said, 1)
    os.dup2(said, 2)
    sys.argv = ["unfooled", *arguments]
    for number in (signal.SIGTERM, signal.SIGINT):  # what comes when all is done comes too late: the code is 0 then
        signal.signal(number, signal.SIG_IGN)
    try:
        with stoppable():  # a signal may come before the command has its own
            (Path(notes) / f"ready-{os.environ.get('RANK', '0')}").touch()
            main()
    except Stopped as stopped:
        sys.exit(stopped.code)


@dataclass(frozen=True)
class Command:
    """A command by its arguments, in which ``OUT`` stands for where it writes, and in how many processes it runs."""

    arguments: tuple[str, ...]
    processes: int = 1

    def begin(self, out: Path) -> list[BaseProcess]:
        """Begin it, and wait until it has begun."""
        notes = out.parent / f"{out.name}.notes"
        notes.mkdir(parents=True, exist_ok=True)
        for ready in notes.glob("ready-*"):
            ready.unlink()
        arguments = [part.replace("OUT", out.name) for part in self.arguments]
        start = two if self.processes == 2 else forked
        begun = start(command, arguments, str(notes))
        processes = begun if isinstance(begun, list) else [begun]
        while len(list(notes.glob("ready-*"))) < self.processes and all(one.is_alive() for one in processes):
            time.sleep(0.002)
        return processes

    def finish(self, out: Path) -> float:
        """Let it run to its end; how long that took."""
        processes = self.begin(out)
        began = time.monotonic()
        codes = [ended(one) for one in processes]
        assert codes == [0] * self.processes, said_at(out)
        return time.monotonic() - began

    def end(self, out: Path, number: signal.Signals, moment: float) -> float | None:
        """Begin it and send it a signal at a moment; how long it then took to end, nothing if it had ended before."""
        processes = self.begin(out)
        deadline = time.monotonic() + moment
        while time.monotonic() < deadline and all(one.is_alive() for one in processes):
            time.sleep(0.001)
        sent = time.monotonic()
        for one in processes:
            if one.is_alive() and one.pid is not None:
                with suppress(ProcessLookupError):  # it may end between the question and the signal
                    os.kill(one.pid, number)
        codes = [ended(one) for one in processes]
        took = time.monotonic() - sent
        if codes == [0] * self.processes:
            return None
        # Of two, the second may see the first one leave before its own signal is looked at.
        assert codes[0] in (0, CODES[number]) or self.processes == 2, (codes, number, said_at(out))
        assert self.processes == 2 or "Traceback" not in said_at(out), said_at(out)
        # A second is promised; a machine with other work may need some more to get round to it.
        prompt = took < PROMPT or PATIENT.strip() in said_at(out) or number == signal.SIGKILL or self.processes == 2
        assert prompt, (took, number, said_at(out))
        return took


def ended(process: BaseProcess) -> int | None:
    """The exit code of a process, once it has ended."""
    process.join(LONG)
    if process.is_alive():
        process.kill()
        process.join()
        raise AssertionError("a process did not stop")
    return process.exitcode


def said_at(out: Path) -> str:
    """What the attempts at a place have said, its end."""
    path = out.parent / f"{out.name}.notes" / SAID
    return path.read_text(errors="replace")[-3000:] if path.exists() else ""


@dataclass(frozen=True)
class Kills:
    """How often each signal falls on a command, and where a test notes its figures for tools/trust.py."""

    each: int
    note: Callable[[str, object], None]


def survives(run: Command, folder: Path, kills: Kills, same: Callable[[Path, Path], None], name: str = "out") -> None:
    """Run a command unbroken, then broken off by each signal as often as asked; ``same`` compares what is left."""
    whole = folder / "whole" / name
    whole.parent.mkdir(parents=True)
    seconds = run.finish(whole)
    seed = int.from_bytes(os.urandom(4), "big")
    chance = random.Random(seed)
    waits = []
    for number in range(kills.each):
        broken = folder / f"broken-{number}" / name
        try:
            for one in chance.sample(SIGNALS, len(SIGNALS)):
                waits.append(fall(run, broken, one, seconds, chance, lambda out: same(whole, out)))
            run.finish(broken)
            same(whole, broken)
            left = [str(path) for path in broken.parent.rglob(".*")]
            assert not left, left
        except AssertionError as error:
            raise AssertionError(f"moments drawn by seed {seed}, folder {broken}: {error}") from error
        shutil.rmtree(broken.parent)
    kills.note("signals that fell", len(waits))
    kills.note("largest seconds from a signal to the end", round(max(waits), 2))


def fall(
    run: Command,
    broken: Path,
    number: signal.Signals,
    seconds: float,
    chance: random.Random,
    same: Callable[[Path], None],
) -> float:
    """Have a signal fall on a command before its end; where it was quicker, it is begun anew and less long waited."""
    for _ in range(30):
        broken.parent.mkdir(exist_ok=True)
        if (took := run.end(broken, number, chance.uniform(0, seconds))) is not None:
            return took
        same(broken)
        shutil.rmtree(broken.parent)
        seconds *= 0.6
    raise AssertionError("the command was always quicker")


def same_results(whole: Path, broken: Path) -> None:
    """Every log holds the same header and, sorted, the same records in every field, floats within 1e-5."""
    logs = [sorted(path.relative_to(out) for path in out.glob("*/*/examples.jsonl")) for out in (whole, broken)]
    assert logs[0] and logs[0] == logs[1], logs
    for log in logs[0]:
        (first, *one), (other, *two) = (
            [json.loads(line) for line in (out / log).read_text().splitlines()] for out in (whole, broken)
        )
        require_like(first, other, f"{log}, header")
        for pair in zip(*(sorted(records, key=lambda record: record["index"]) for records in (one, two)), strict=True):
            require_like(*pair, f"{log}, example {pair[0]['index']}")
    summaries = [json.loads((out / "summary.json").read_text()) for out in (whole, broken)]
    require_like(*summaries, "summary.json")


def require_like(one: Any, other: Any, place: str) -> None:
    """Require two JSON values to be equal, floats within 1e-5, which the shape of a batch may move."""
    if isinstance(one, dict) and isinstance(other, dict):
        assert list(one) == list(other), place
        for name, value in one.items():
            require_like(value, other[name], f"{place}, {name}")
    elif isinstance(one, list) and isinstance(other, list):
        assert len(one) == len(other), place
        for number, pair in enumerate(zip(one, other, strict=True)):
            require_like(*pair, f"{place}, {number}")
    elif isinstance(one, float) and isinstance(other, float):
        assert math.isclose(one, other, rel_tol=1e-5, abs_tol=1e-5), (place, one, other)
    else:
        assert one == other, (place, one, other)


def same_bytes(*patterns: str) -> Callable[[Path, Path], None]:
    """A comparison of the files that some patterns name, to the byte."""

    def same(whole: Path, broken: Path) -> None:
        files = [{str(path.relative_to(out)): path for one in patterns for path in out.glob(one) if path.is_file()}
                 for out in (whole, broken)]  # fmt: skip
        assert files[0] and files[0].keys() == files[1].keys(), files
        odd = [name for name, path in files[0].items() if path.read_bytes() != files[1][name].read_bytes()]
        assert not odd, odd

    return same


def of_session(number: int) -> list[str]:
    """The command lines of the processes of a session that have not ended."""
    lines = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(session) == number and state != "Z":
                lines.append((folder / "cmdline").read_text())
        except OSError:  # it has just ended
            continue
    return lines
