"""Plants failures in a copy of the source, one after the other, and lets the test meant for each catch it.

Run as a process of its own: ``python -m mutations.planting FOLDER NAME …`` in the folder tests, FOLDER for the copy.
It writes a line of JSON for each trial. What is slow to import is imported once, here, but nothing of unfooled: every
trial is a fork of this process, and takes unfooled from the copy.
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
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

from mutations.mutation import PACKAGE, ROOT, Mutation
from mutations.planted import PLANTED

SLOW = ("scipy.stats", "sklearn.metrics", "torch.distributed", "accelerate", "transformers.models.auto")
SECONDS = 120  # of the processor for one trial: a planted failure may make a test run for ever
WAIT = 1800  # or wait for ever
UNPLANTED = ""  # the name of the trial in which nothing is planted
# What no test can notice and what everybody notices: neither may pass for a silent failure that was caught.
HOLM, PLACE = "    adjusted, highest = ", "evaluation/significance.py"
CATCHES = "evaluation/test_significance.py::test_holm_rejects_as_its_own_description_does"
HARMLESS = Mutation("harmless", "Nothing.", PLACE, HOLM, f"    # as it was\n{HOLM}", CATCHES)
BROKEN = Mutation("broken", "A syntax error.", PLACE, HOLM, "    adjusted, highest =! ", CATCHES)
CRASHING = Mutation("crashing", "An exception.", PLACE, HOLM, "    adjusted, = ", CATCHES)


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


def tried(name: str, tests: Sequence[str], folder: Path) -> Trial:
    """What becomes of tests, in a process of their own, against the copy in a folder."""
    told, said = folder / "told.json", folder / "said.txt"
    told.unlink(missing_ok=True)
    child = os.fork()
    if not child:
        try:
            with said.open("wb") as file:
                os.dup2(file.fileno(), 1)
                os.dup2(file.fileno(), 2)
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            signal.alarm(WAIT)
            told.write_text(json.dumps(asdict(asked(name, tests, folder))))
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(0)
    _, _, used = os.wait4(child, 0)
    found = Trial(**json.loads(told.read_text())) if told.is_file() else Trial(name)
    found.said = said.read_text(errors="replace")[-3000:]
    found.seconds = round(used.ru_utime + used.ru_stime, 2)
    return found


def asked(name: str, tests: Sequence[str], folder: Path) -> Trial:
    """Run tests here, the copy before everything else on the path, also for processes that tests start."""
    source = folder / "src"
    sys.path.insert(0, str(source))
    os.environ["PYTHONPATH"] = str(source)
    os.chdir(ROOT)
    trial = Trial(name)
    quiet = ("-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning", "--tb=short")
    trial.code = int(pytest.main(["-x", *quiet, f"--basetemp={folder / 'tests'}", *tests], plugins=[trial]))
    trial.source = str(getattr(sys.modules.get("unfooled"), "__file__", ""))
    own = (str(folder), str(ROOT / "tests"))
    files = {module: str(getattr(found, "__file__", None) or own[0]) for module, found in sys.modules.items()}
    trial.imported = [module for module, file in files.items() if not file.startswith(own)]
    return trial


def copied(folder: Path) -> None:
    """A copy of the source, with the recipes beside it."""
    shutil.copytree(PACKAGE, folder / "src" / "unfooled", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "recipes").symlink_to(ROOT / "recipes")


@contextmanager
def planted(mutation: Mutation, folder: Path, date: int) -> Iterator[None]:
    """While open, the failure is in the copy, under a date of its own: bytecode is told from another's by it."""
    path = folder / "src" / "unfooled" / mutation.file
    before, times = path.read_text(encoding="utf-8"), path.stat()
    path.write_text(mutation.planted_in(before), encoding="utf-8")
    os.utime(path, (date, date))
    try:
        yield
    finally:
        path.write_text(before, encoding="utf-8")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def trials(chosen: Sequence[Mutation], folder: Path) -> Iterator[Trial]:
    """First every catching test against the copy as it is, then each failure planted."""
    copied(folder)
    unplanted = tried(UNPLANTED, sorted({mutation.test for mutation in chosen}), folder)
    yield unplanted
    for module in unplanted.imported:
        with suppress(Exception):
            importlib.import_module(module)
    # From here on only tests and the copy are left to compile: once for all trials, and not into the real tree.
    sys.pycache_prefix, sys.dont_write_bytecode = str(folder / "bytecode"), False
    gc.freeze()  # else every trial looks through all that was imported here for garbage, and copies it by looking
    for date, mutation in enumerate(chosen, start=1):
        try:
            with planted(mutation, folder, date):
                yield tried(mutation.name, [mutation.test], folder)
        except ValueError as error:
            yield Trial(mutation.name, said=str(error))


def main(folder: Path, names: Sequence[str]) -> None:
    """Write what became of the mutations of these names, and of those that try this process, as it is known."""
    for module in SLOW:
        importlib.import_module(module)
    chosen = [HARMLESS, BROKEN, CRASHING, *(mutation for mutation in PLANTED if mutation.name in names)]
    for trial in trials(chosen, folder):
        print(json.dumps(asdict(trial) | {"imported": []}), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
