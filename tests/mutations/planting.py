"""Plants failures in copies of the source, one at a time in each, and lets the test meant for each catch it.

Run as a process of its own: ``python -m mutations.planting FOLDER NAME …`` in the folder tests, FOLDER for the copies.
It writes a line of JSON for each trial as it ends. What is slow to import is imported once, here, but nothing of
unfooled: every trial is a fork of this process, and takes unfooled from its copy. There are as many copies as trials
under way: one for each processor, of those that other tests running beside these leave free.
"""

import gc
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from mutations.change import swap
from mutations.mutation import ROOT, SOURCE, Mutation
from mutations.planted import PLANTED

SLOW = ("scipy.stats", "sklearn.metrics", "transformers.models.auto", "warm")
SECONDS = 120  # of the processor for one trial: a planted failure may make a test run for ever
WAIT = 1800  # or wait for ever
LANES = 4  # trials under way at a time, at most
UNPLANTED = ""  # the name of the trial in which nothing is planted
# What no test can notice and what everybody notices: neither may pass for a silent failure that was caught.
HARMLESS = Mutation(
    "harmless",
    "Nothing.",
    "unfooled.scores.differences:holm",
    swap("return adjusted", "return list(adjusted)"),
    "scores/test_differences.py::test_holm_rejects_as_its_own_description_does",
)
BROKEN = replace(HARMLESS, name="broken", suffered="A syntax error.", change=swap("return ...", "await adjusted"))
CRASHING = replace(HARMLESS, name="crashing", suffered="An exception.", change=swap("return ...", "raise ValueError"))
TRYING = (HARMLESS, BROKEN, CRASHING)


@dataclass(eq=False)  # pytest keeps its plugins in sets
class Trial:
    """What pytest made of some tests against the copy; filled while it runs, as one of its plugins.

    ``code`` is pytest's exit code, None where it did not end; ``failures`` are pairs of a phase (collect, setup, call,
    teardown) and the kind of exception; ``source`` is where unfooled was imported from; ``imported`` are the modules
    of others that were; ``said`` is what was printed, ``seconds`` are the processor's.
    """

    name: str
    code: int | None = None
    passed: int = 0
    skipped: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)
    source: str = ""
    imported: list[str] = field(default_factory=list)
    said: str = ""
    seconds: float = 0.0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed += report.when == "call" and report.passed
        self.skipped += report.skipped

    def pytest_exception_interact(self, call: Any, report: Any) -> None:
        phase = report.when if isinstance(report, pytest.TestReport) else "collect"
        self.failures.append((phase, call.excinfo.type.__name__))


@dataclass(frozen=True)
class Lane:
    """A copy of the source in a folder, in which one trial at a time is made."""

    folder: Path

    def copy(self) -> None:
        """The source, with the recipes beside it."""
        away = shutil.ignore_patterns("__pycache__")
        shutil.copytree(SOURCE / "unfooled", self.folder / "src" / "unfooled", ignore=away)
        (self.folder / "recipes").symlink_to(ROOT / "recipes")

    def begin(self, name: str, tests: Sequence[str]) -> int:
        """Ask tests in a process of their own, against the copy; its number."""
        told = self.folder / "told.json"
        told.unlink(missing_ok=True)
        child = os.fork()
        if child:
            return child
        try:
            with (self.folder / "said.txt").open("wb") as file:
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            signal.alarm(WAIT)
            told.write_text(json.dumps(asdict(asked(name, tests, self.folder))))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(0)

    def end(self, name: str, seconds: float) -> Trial:
        """What became of the tests, as their process has left it."""
        told = self.folder / "told.json"
        trial = Trial(**json.loads(told.read_text())) if told.is_file() else Trial(name)
        trial.said = (self.folder / "said.txt").read_text(errors="replace")[-3000:]
        trial.seconds = round(seconds, 2)
        return trial


def asked(name: str, tests: Sequence[str], folder: Path) -> Trial:
    """Run tests here, the copy before everything else on the path, also for processes that tests start."""
    source = folder / "src"
    sys.path.insert(0, str(source))
    os.environ["PYTHONPATH"] = str(source)
    os.chdir(ROOT)
    trial = Trial(name)
    quiet = ("-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning", "--tb=native")
    trial.code = int(pytest.main(["-x", *quiet, f"--basetemp={folder / 'tests'}", *tests], plugins=[trial]))
    trial.source = str(getattr(sys.modules.get("unfooled"), "__file__", ""))
    own = (str(folder), str(ROOT / "tests"))
    files = {module: str(getattr(found, "__file__", None) or own[0]) for module, found in sys.modules.items()}
    trial.imported = [module for module, file in files.items() if not file.startswith(own)]
    return trial


@contextmanager
def planted(mutation: Mutation, folder: Path, date: int) -> Iterator[None]:
    """While open, the failure is in the copy, under a date of its own: bytecode is told from another's by it."""
    path = mutation.file(folder / "src")
    before, times = path.read_text(encoding="utf-8"), path.stat()
    path.write_text(mutation.planted_in(before), encoding="utf-8")
    os.utime(path, (date, date))
    try:
        yield
    finally:
        path.write_text(before, encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def race(jobs: Iterable[tuple[str, Sequence[str], Mutation | None]], lanes: Sequence[Lane]) -> Iterator[Trial]:
    """The trials of jobs (a name, tests and what is planted), one at a time in each lane, as they end."""
    free, under_way = list(lanes), dict[int, tuple[str, Lane, ExitStack]]()

    def landed() -> Trial:
        child, _, used = os.wait4(-1, 0)
        name, lane, opened = under_way.pop(child)
        opened.close()
        free.append(lane)
        return lane.end(name, used.ru_utime + used.ru_stime)

    for date, (name, tests, mutation) in enumerate(jobs, start=1):
        if not free:
            yield landed()
        opened = ExitStack()
        try:
            if mutation is not None:
                opened.enter_context(planted(mutation, free[-1].folder, date))
        except Exception as error:
            yield Trial(name, said=f"it cannot be planted: {error}")
            continue
        lane = free.pop()
        under_way[lane.begin(name, tests)] = name, lane, opened
    while under_way:
        yield landed()


def together(parts: Sequence[Trial]) -> Trial:
    """Trials of one name as one, which ended as well as the worst of them."""
    worst = max(parts, key=lambda trial: (trial.code is None, trial.code))
    lists = {name: [one for trial in parts for one in getattr(trial, name)] for name in ("failures", "imported")}
    sums = {name: sum(getattr(trial, name) for trial in parts) for name in ("passed", "skipped", "seconds")}
    return replace(worst, **lists, **sums)


def at_once() -> int:
    """How many trials are under way: with each worker of pytest-xdist but the one that waits here, one less."""
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    return max(1, min((os.cpu_count() or 1) - workers + 1, LANES))


def trials(chosen: Sequence[Mutation], folder: Path) -> Iterator[Trial]:
    """First every catching test against the copies as they are, then each failure planted."""
    lanes = [Lane(folder / str(number)) for number in range(at_once())]
    for lane in lanes:
        lane.copy()
    tests = sorted({f"tests/{mutation.test}" for mutation in chosen})
    size = -(-len(tests) // len(lanes))
    parts = [tests[start : start + size] for start in range(0, len(tests), size)]
    unplanted = together(list(race([(UNPLANTED, part, None) for part in parts], lanes)))
    yield unplanted
    for module in dict.fromkeys(unplanted.imported):
        with suppress(Exception):
            importlib.import_module(module)
    # From here on only tests and the copies are left to compile: once for all trials, and not into the real tree.
    sys.pycache_prefix, sys.dont_write_bytecode = str(folder / "bytecode"), False
    gc.freeze()  # else every trial looks through all that was imported here for garbage, and copies it by looking
    yield from race([(mutation.name, [f"tests/{mutation.test}"], mutation) for mutation in chosen], lanes)


def main(folder: Path, names: Sequence[str]) -> None:
    """Write what became of the mutations of these names, and of those that try this process, as it is known."""
    sys.path.append(str(ROOT / "tests" / "grounds"))  # where "warm" is
    for module in SLOW:
        importlib.import_module(module)
    chosen = [*TRYING, *(mutation for mutation in PLANTED if mutation.name in names)]
    for trial in trials(chosen, folder):
        print(json.dumps(asdict(trial) | {"imported": []}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
