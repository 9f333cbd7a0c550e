"""Fixtures that every room's tests may ask for; plain functions are in ``support``."""

from collections.abc import Callable, Iterator
from pathlib import Path

import browser
import pytest
import support
import torch
from hypothesis import settings
from kills import Kills

from unfooled.models.encoders.classifier import Classifier
from unfooled.types import Batch

pytest_plugins = ["victims"]

# Drawn cases are the same in every run, and a slow machine is no failure.
settings.register_profile("house", deadline=None, derandomize=True, database=None)
settings.load_profile("house")
# Tiny models gain nothing from a second thread, and lose much where the machine is busy.
torch.set_num_threads(1)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache that the tests have to themselves; processes they start inherit it."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("UNFOOLED_CACHE", str(folder))
        yield folder


@pytest.fixture
def tiny_bert() -> Callable[..., Classifier]:
    """A factory of two-layer BERT classifiers of width 32; dropout 0 unless asked."""

    def build(classes: int = 2, dropout: float = 0.0, seed: int = 0, layers: int = 2, width: int = 32) -> Classifier:
        return Classifier(support.tiny_network("bert", classes, dropout, seed, layers, width))

    return build


@pytest.fixture
def make_batch() -> Callable[..., Batch]:
    """A factory of batches; see ``support.make_batch``."""
    return support.make_batch


@pytest.fixture
def lone() -> support.Lone:
    """An engine of one process."""
    return support.Lone()


# Files that take longest: begun first, they leave no processor idle at the end of a run in two processes.
FIRST = (
    "mutations/test_mutations.py",
    "training/test_kill.py",
    "commands/test_kill.py",
    "commands/test_attack.py",
    "methods/test_contract.py",
    "cli/test_train.py",
    "generate/test_file.py",
    "methods/test_contract_sequences.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(FIRST)}
    items.sort(key=lambda item: places.get("/".join(item.path.parts[-2:]), len(places)))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--kills", type=int, default=1, help="how often each signal falls on a command in test_kill.py")
    parser.addoption("--all-loops", action="store_true", help="every method as in tests/loops, and shared out")
    parser.addoption("--all-hostile", action="store_true", help="every input of tests/hostile, not a sample")
    parser.addoption("--all-docs", action="store_true", help="every code block of README and docs, not a sample")
    parser.addoption(
        "--clean-install", action="store_true", help="install the wheel in an empty environment and run it"
    )


@pytest.fixture
def kills(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Kills:
    """How often SIGKILL, SIGTERM and SIGINT each fall on a command."""
    return Kills(int(request.config.getoption("--kills")), record_property)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Pages that no browser opened are said last and in red: a run without one looks complete and is not."""
    unseen = [report for report in terminalreporter.stats.get("skipped", ()) if browser.MISSING in str(report.longrepr)]
    if unseen:
        terminalreporter.section("NOT TESTED IN A BROWSER", red=True)
        terminalreporter.line(f"{len(unseen)} tests were skipped: {browser.MISSING}", red=True)
