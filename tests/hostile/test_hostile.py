"""Hostile inputs, made here: each is refused in one sentence, or taken without harm, within limits that are enforced.

What can be said before torch is imported must be: within two seconds of the processor and 300 MB in all. The rest must
end within that above a bare import. A sample is tried in every test run, all of them by ``make test-hostile``.
"""

import re
import shutil
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from hostile import of_adapters, of_archives, of_data, of_models, of_pages, of_recipes, of_results, of_runs
from hostile.hostile_input import STEERS, Hostile, Server, complaints, server, spent

KINDS = {"models": of_models, "data": of_data, "recipes": of_recipes, "results": of_results, "runs": of_runs}
ALL = [one for kind in (*KINDS.values(), of_pages, of_archives, of_adapters) for one in kind.inputs()]
EVERY = 9  # of them one is tried in every test run


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "hostile" in metafunc.fixturenames:
        whole = metafunc.config.getoption("--all-hostile")
        metafunc.parametrize("hostile", ALL if whole else ALL[::EVERY], ids=lambda one: one.name)


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[bool, Server]]:
    folder = tmp_path_factory.mktemp("servers")
    with server("light", folder / "light") as light, server("heavy", folder / "heavy") as heavy:
        yield {False: light, True: heavy}


def test_the_corpus_is_of_every_kind_and_large() -> None:
    names = [one.name for one in ALL]
    assert len(names) == len(set(names)) >= 250
    assert all(len(kind.inputs()) >= 30 for kind in (*KINDS.values(), of_pages))


def test_a_hostile_input_is_refused_or_does_no_harm(
    hostile: Hostile, servers: dict[bool, Server], tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    arguments = hostile.make(tmp_path)
    used = servers[hostile.heavy]
    answer = used.run(tmp_path, arguments, hostile.environment)
    seconds, megabytes = spent(hostile, answer, used.bare)
    record_property("largest processor seconds", round(seconds, 2))
    record_property("peak megabytes", round(megabytes))
    wrong = complaints(hostile, answer, used.bare, tmp_path)
    wrong += [said for name in hostile.holds for said in on_a_page(tmp_path / name)]
    shutil.rmtree(tmp_path, ignore_errors=True)
    assert not wrong, f"{wrong}\n{answer['out'][-1000:]}\n{answer['err'][-2000:]}"


class Tags(HTMLParser):
    """What a browser would find on a page: its elements and their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [tag, *(name for name, _ in attrs)]
        self.found += [f"loads {value}" for name, value in attrs if name in ("src", "href") and not local(value)]


def local(value: str | None) -> bool:
    return value is None or value.startswith("#")


def on_a_page(path: Path) -> list[str]:
    """What a page, where it was written, has that it must not have."""
    if not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    found = Tags(text).found
    wrong = [name for name in found if name.startswith(("on", "loads")) or name in ("iframe", "base", "img", "srcdoc")]
    scripts = re.findall(r"<script(?![^>]*application/json)", text)
    return [
        *(["what runs or loads: " + ", ".join(wrong)] if wrong else []),
        *([f"{len(scripts)} scripts"] if len(scripts) > 1 else []),
        *(["controls on the page"] if STEERS.search(text) else []),
        *(["no policy"] if "Content-Security-Policy" not in text else []),
    ]
