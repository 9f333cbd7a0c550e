"""The site is built without a warning, loads nothing from anywhere, and can be searched without a network."""

import re
import runpy
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace

import pytest
from browser import browsing, needs_browser
from doc_blocks import PAGES, ROOT

LOADING = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
}
FAR = re.compile(r"^\s*(https?:)?//", re.IGNORECASE)


class Loaded(HTMLParser):
    """What a browser would fetch for a page: everything but what a reader has to click."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag in LOADING and LOADING[tag] in values:
            self.addresses.append(values[LOADING[tag]])
        if tag == "link" and "href" in values:
            self.addresses.append(values["href"])
        if tag == "a" and "href" in values:
            self.links.append(values["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole site, as ``make docs`` builds it."""
    out = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going", "-c", "docs"]
    command += ["-d", str(out / "doctrees"), ".", str(out / "html")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return out / "html"


def read(path: Path) -> Loaded:
    page = Loaded()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def test_every_page_is_there_and_can_be_reached_from_the_front(site: Path) -> None:
    front = (site / "docs" / "index.html").read_text(encoding="utf-8")
    for page in PAGES:
        name = Path(page).with_suffix(".html")
        assert (site / name).is_file()
        shown = str(name).removeprefix("docs/") if str(name).startswith("docs/") else f"../{name}"
        assert page == "docs/index.md" or f'href="{shown}"' in front, page
    assert "docs/index.html" in (site / "index.html").read_text(encoding="utf-8")


def test_nothing_is_fetched_from_anywhere(site: Path) -> None:
    pages, styles = sorted(site.rglob("*.html")), sorted(site.rglob("*.css"))
    assert len(pages) > len(PAGES) and styles
    far = {str(path): [one for one in read(path).addresses if FAR.match(one)] for path in pages}
    assert not {path: some for path, some in far.items() if some}
    for path in styles:
        text = path.read_text(encoding="utf-8")
        fetched = re.findall(r"url\(\s*[\"']?([^\"')]+)", text) + re.findall(r"@import\s+[\"']([^\"']+)", text)
        assert not [one for one in fetched if FAR.match(one)], path
    for path in sorted(site.rglob("*.js")):
        assert not re.search(r"(fetch|import|importScripts)\(\s*[\"'`]https?:", path.read_text(encoding="utf-8")), path


def test_what_pages_load_and_link_to_is_there(site: Path) -> None:
    missing = []
    for path in sorted(site.rglob("*.html")):
        page = read(path)
        for address in [*page.addresses, *page.links]:
            place = re.split(r"[?#]", address)[0]
            if place and not re.match(r"[a-z]+:", place) and not (path.parent / place).exists():
                missing.append(f"{path.relative_to(site)}: {address}")
    assert missing == []


def test_the_search_is_in_the_page_and_knows_the_words(site: Path) -> None:
    index = (site / "searchindex.js").read_text(encoding="utf-8")
    assert "worst_word" in index and "quickstart" in index
    assert any("searchtools.js" in one for one in read(site / "search.html").addresses)


def test_a_page_that_is_placed_nowhere_stands_in_a_list_of_the_front() -> None:
    conf = runpy.run_path(str(ROOT / "docs" / "conf.py"))
    front = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    app = SimpleNamespace(env=SimpleNamespace(found_docs={"docs/index", "docs/map", "docs/lost", "docs/papers/carl"}))
    source = [front]
    conf["with_unplaced_pages"](app, "docs/index", source)
    listed = source[0].partition(":caption: Bring your own")[2].partition("```")[0].split()
    assert "lost" in listed and "map" not in listed and "%" not in source[0].replace("%2", "")
    conf["with_unplaced_pages"](app, "docs/map", untouched := [front])
    assert untouched == [front]


@needs_browser
def test_a_browser_finds_words_and_asks_nobody_for_anything(site: Path, tmp_path: Path) -> None:
    with browsing(tmp_path) as tab:
        tab.open(site / "docs" / "index.html")
        tab.open((site / "search.html").resolve().as_uri() + "?q=deepwordbug")
        tab.until("document.querySelectorAll('#search-results li a').length > 3")
        asked = [event["request"]["url"] for event in tab.seen("Network.requestWillBeSent")]
        assert asked and not [url for url in asked if not url.startswith(("file:", "data:"))]


def test_the_api_has_words_and_signatures(site: Path) -> None:
    page = (site / "docs" / "api.html").read_text(encoding="utf-8")
    assert 'id="unfooled.train"' in page and 'id="unfooled.WorstWords"' in page
    assert "sig-param" in page and "Attack a model on labelled texts" in page


def test_an_address_from_afar_would_be_seen() -> None:
    page = Loaded()
    page.feed(
        '<script src="//cdn.example/a.js"></script><link href="https://fonts.example/b.css"><a href="https://c">c</a>'
    )
    assert [bool(FAR.match(one)) for one in page.addresses] == [True, True] and page.links == ["https://c"]
