"""A page on language models or translators, from folders to a browser, and what cannot stand on one."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Tab, browsing, needs_browser
from language_ground import continued, near, perplexities, sides, translated
from results_ground import save_results, save_trial
from stories import HOSTILE

from sequences import save_language_model, save_pairs, save_text, save_translator
from unfooled.commands.evaluate import evaluate
from unfooled.commands.report import report, told
from unfooled.errors import BadInput

MOVES = {1.0: 22.0, 0.03: 20.5, 30.0: 40.0}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, clean in (("runs/plain/model", 20.0), ("runs/atcl/model", 18.0)):
        save_trial(tmp_path / "lm", name, "perplexity", perplexities(clean, MOVES))
        save_trial(tmp_path / "lm", name, "neighbours", near(dog=[("cat", 1.0)]))
    save_trial(tmp_path / "lm", "runs/plain/model", "continuation", continued([("the old", "old", "man", "dog")]))
    return tmp_path / "lm"


def test_several_folders_stand_on_one_page_and_names_tell_models_apart(folder: Path, tmp_path: Path) -> None:
    assert told([folder]).names == ["atcl", "plain"] and told([folder]).subtitle.startswith("reviews, 40 lines · ")
    save_trial(tmp_path / "other", "other/plain/model", "perplexity", perplexities(19.0, MOVES))
    names = told([folder, tmp_path / "other", folder]).names
    assert names == ["runs/atcl/model", "runs/plain/model", "other/plain/model"]


@pytest.mark.parametrize(
    ("changes", "words"), [({"data_hash": "e"}, "data_hash"), ({"settings": {"radii": [1.0]}}, "settings.radii")]
)
def test_different_data_or_settings_are_not_compared(
    folder: Path, tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    save_trial(tmp_path / "two", "other", "perplexity", perplexities(19.0, MOVES), **changes)
    with pytest.raises(BadInput, match=f"two cannot be compared .*{words}"):
        told([folder, tmp_path / "two"])
    save_trial(folder, "inside", "perplexity", perplexities(19.0, MOVES), **changes)
    with pytest.raises(BadInput, match=words):
        report(folder, tmp_path / "x.html")


def test_kinds_of_models_are_reported_apart(folder: Path, tmp_path: Path) -> None:
    save_trial(tmp_path / "two", "b", "quality", translated([("s", "r", "w")]))
    with pytest.raises(
        BadInput, match=r"two cannot be compared with .*lm: they differ in task \(lm there, translation"
    ):
        report([folder, tmp_path / "two"], tmp_path / "x.html")
    save_results(tmp_path / "three", "plain", right=9, left={0.1: 3})
    with pytest.raises(BadInput, match="they differ in task"):
        report([tmp_path / "three", folder], tmp_path / "x.html")


def test_a_page_is_the_same_twice_and_needs_no_torch(folder: Path, tmp_path: Path) -> None:
    assert report(folder, tmp_path / "x.html").read_bytes() == report([folder], tmp_path / "y.html").read_bytes()
    code = (
        "import sys; from unfooled.commands.report import report; "
        f"report({str(folder)!r}, {str(tmp_path / 'x.html')!r}); "
        "assert not {'torch', 'transformers', 'accelerate'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browsing(tmp_path_factory.mktemp("browser")) as open_tab:
        yield open_tab


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tiny language models and two tiny translators in trials, for real."""
    root = tmp_path_factory.mktemp("measured")
    models = [str(save_language_model(root / name / "model", seed)) for seed, name in enumerate(("plain", "atcl"))]
    own = {"perplexity": {"radii": (1.0, 5.0)}, "neighbours": {"words": "dog,cat"}, "continuation": {"radius": 5.0}}
    evaluate(models, str(save_text(root / "text")), root / "lm", list(own), settings=own)
    translators = [str(save_translator(root / f"to-{name}" / "model", seed)) for seed, name in enumerate(("de", "fr"))]
    pairs = {"source": str(save_pairs(root / "pairs")), "text": "en", "label": "de"}
    own = {"quality": {"beams": 1}, "side_by_side": {"radius": 5.0, "beams": 1}}
    evaluate(translators, pairs, root / "tr", list(own), settings=own)
    return root


@needs_browser
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize(("kind", "sections"), [("lm", 2), ("tr", 2)])
def test_the_page_of_real_models_in_a_browser(
    tab: Tab, measured: Path, tmp_path: Path, kind: str, sections: int, width: int
) -> None:
    tab.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 600)
    tab.events.clear()
    tab.open(report(measured / kind, tmp_path / "report.html"))
    assert tab.run("document.querySelectorAll('section[id^=texts-]').length") == sections
    assert tab.run("document.documentElement.scrollWidth") <= width
    assert tab.run("document.querySelectorAll('#texts-0 .case > p mark').length") == 8  # one moved word a text
    rows = "[...document.querySelectorAll('#texts-0 .case')].map((one) => one.querySelectorAll('tbody tr').length)"
    assert tab.run(rows) == [2] * 8
    assert not tab.seen("Runtime.exceptionThrown") and not tab.seen("Log.entryAdded")
    stacked = tab.run("getComputedStyle(document.querySelector('.readings td')).display") == "block"
    assert stacked == (width < 600)
    tab.ask("Emulation.clearDeviceMetricsOverride")


@needs_browser
def test_hostile_texts_are_inert(tab: Tab, tmp_path: Path) -> None:
    records = sides([(f"{HOSTILE} s", "s", HOSTILE, HOSTILE, f"x {HOSTILE}")])
    save_trial(tmp_path / "r", HOSTILE, "side_by_side", records, data=HOSTILE)
    tab.events.clear()
    tab.open(report(tmp_path / "r", tmp_path / "report.html"))
    assert "owned" not in tab.run("document.title").split("=")[0] and tab.run("document.title") != "owned"
    assert tab.run("document.querySelectorAll('img, iframe, link, script, [onerror], [style]').length") == 0
    assert "\u202e" not in tab.run("document.body.textContent")
    assert "<script>document.title" in tab.run("document.querySelector('.readings td').innerText")
    assert not tab.seen("Log.entryAdded")
