"""Silent failures planted in a copy of the source: every one must be caught by the test meant for it."""

import ast
import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from browser import found_browser

from mutations.change import Swap, swap
from mutations.mutation import ROOT, SOURCE, Mutation
from mutations.page import PAGE, page
from mutations.places import astray
from mutations.planted import PLANTED
from mutations.planting import BROKEN, CRASHING, HARMLESS, UNPLANTED, Trial, planted

# A silent failure is caught where a test says that something is not so, or the tool itself refuses to go on; a crash
# would have been noticed without any test.
CATCHES = {"AssertionError", "Failed", "BadInput"}


class Trials:
    """What became of each mutation, as the process that plants them tells it."""

    def __init__(self, folder: Path, told: Iterator[str]) -> None:
        self.folder, self.told, self.known = folder, told, dict[str, Trial]()

    def of(self, name: str) -> Trial:
        """One of them, waited for."""
        while name not in self.known:
            line = next(self.told, None)
            assert line is not None, f"the process that plants failures ended before it came to {name or 'any'}"
            found = Trial(**json.loads(line))
            self.known[found.name] = found
        return self.known[name]

    def missed(self, name: str) -> str | None:
        """Why a mutation was not caught; None where it was."""
        unplanted, found = self.of(UNPLANTED), self.of(name)
        if unplanted.code != 0:
            return "the tests fail where nothing is planted, so they would catch anything"
        if found.code != 1:
            return f"nothing was noticed (pytest ended with {found.code}): {found.said}"
        if self.folder not in Path(found.source).parents:
            return f"unfooled was imported from {found.source} instead of a copy"
        if {phase for phase, _ in found.failures} != {"call"} or not {kind for _, kind in found.failures} <= CATCHES:
            return f"it is not silent, or no assertion caught it: {found.failures} {found.said}"
        return None


@pytest.fixture(scope="module")
def planting(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trials]:
    """Trials of the mutations that are asked for, made by a process that nothing of unfooled was imported into."""
    own = [item for item in request.session.items if isinstance(item, pytest.Function)]
    asked = [item.callspec.params["mutation"].name for item in own if item.originalname == test_it_is_caught.__name__]
    folder = tmp_path_factory.mktemp("mutations")
    command = [sys.executable, "-m", "mutations.planting", str(folder), *asked]
    single = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    with subprocess.Popen(
        command, cwd=ROOT / "tests", env=single, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        assert process.stdout is not None
        try:
            yield Trials(folder, iter(process.stdout))
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # and with it the trial under way


@pytest.mark.parametrize("mutation", PLANTED, ids=lambda mutation: mutation.name)
def test_it_can_be_planted(mutation: Mutation) -> None:
    assert list(astray(mutation)) == []
    before = mutation.file().read_text(encoding="utf-8")
    after = mutation.planted_in(before)
    assert after != before
    if isinstance(mutation.change, Swap):
        assert ast.dump(ast.parse(after)) != ast.dump(ast.parse(before))


def test_names_tell_failures_apart_and_there_are_enough() -> None:
    assert [name for name, times in Counter(mutation.name for mutation in PLANTED).items() if times > 1] == []
    assert len(PLANTED) >= 25 and all(mutation.suffered.endswith(".") for mutation in PLANTED)


def test_the_page_says_what_is_planted() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_a_planted_failure_is_taken_out_again(tmp_path: Path) -> None:
    path = tmp_path / "src" / "unfooled" / "a.py"
    path.parent.mkdir(parents=True)
    path.write_text("one = 1  # by hand\n")
    before = path.stat().st_mtime_ns
    with planted(Mutation("two", "", "unfooled.a:one", swap("1", "2"), ""), tmp_path, 7):
        assert path.read_text() == "one = 2\n" and path.stat().st_mtime == 7
    assert path.read_text() == "one = 1  # by hand\n" and path.stat().st_mtime_ns == before


def test_the_copy_as_it_is_fails_no_test(planting: Trials) -> None:
    found = planting.of(UNPLANTED)
    assert (found.code, found.failures) == (0, []) and found.passed > 0, found.said
    assert found.skipped == 0 or found_browser() is None
    assert Path(found.source).name == "__init__.py" and SOURCE not in Path(found.source).parents


def test_what_nothing_can_notice_and_what_breaks_are_not_called_caught(planting: Trials) -> None:
    assert "nothing was noticed (pytest ended with 0)" in (planting.missed(HARMLESS.name) or "")
    assert planting.of(HARMLESS.name).passed == 1
    assert "SyntaxError" in (planting.missed(BROKEN.name) or "") and planting.of(BROKEN.name).passed == 0
    assert "['call', 'ValueError']" in (planting.missed(CRASHING.name) or "")


@pytest.mark.parametrize("mutation", PLANTED, ids=lambda mutation: mutation.name)
def test_it_is_caught(mutation: Mutation, planting: Trials) -> None:
    if planting.of(mutation.name).skipped and found_browser() is None:
        pytest.skip("the test that catches it needs Chromium")
    missed = planting.missed(mutation.name)
    assert missed is None, missed
