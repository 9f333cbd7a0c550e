"""A page on language models or translators: its numbers, curves and texts, and what cannot stand on one."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Tab, browsing, needs_browser
from language_ground import continued, near, perplexities, save_found, sides, translated
from results_ground import save_results
from stories import HOSTILE

from sequences import save_language_model, save_pairs, save_text, save_translator
from unfooled.commands.language import evaluate_language
from unfooled.commands.language_story import CHANGED, language_story, repair
from unfooled.commands.report import report
from unfooled.errors import BadInput
from unfooled.evaluation.metrics import proportion

MOVES = [("1", 22.0), ("0.03", 20.5), ("30", 40.0)]
TEXTS = [("the old", "old", "man", "dog"), ("a cat", "cat", "sat", "sat")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, clean in (("runs/plain/model", 20.0), ("runs/atcl/model", 18.0)):
        save_found(tmp_path / "lm", perplexities(name, clean, MOVES))
        save_found(tmp_path / "lm", near(name, dog=[("cat", 1.0)]))
    save_found(tmp_path / "lm", continued("runs/plain/model", TEXTS))
    return tmp_path / "lm"


def test_every_number_stands_with_its_interval_and_what_is_better(folder: Path) -> None:
    told = language_story([folder])
    assert told.models == ("atcl", "plain") and told.subtitle == "ptb, test, 40 texts"
    rows = {(one.trial, one.name): one for one in told.measures}
    clean = rows["perplexity", "clean"]
    assert [(one.value, one.low, one.high) for one in clean.numbers if one] == [
        (18.0, pytest.approx(16.2), pytest.approx(19.8)),
        (20.0, pytest.approx(18.0), pytest.approx(22.0)),
    ]
    assert (clean.share, clean.better, clean.definition) == (False, "less", "what it counts")
    share, wanted = rows["continuation", CHANGED], proportion(1, 2, "")
    assert share.share and share.numbers[0] is None and share.numbers[1] is not None
    assert (share.numbers[1].value, share.numbers[1].low, share.numbers[1].n) == (0.5, wanted.low, 2)


def test_the_headline_and_the_curve_go_to_the_largest_move(folder: Path) -> None:
    told = language_story([folder])
    assert told.headline[0] == (
        "Perplexity of the texts as they are: atcl 18, plain 20. "
        "With one word a segment moved by 30: atcl 40, plain 40. Lower is better."
    )
    assert "so many continuations: plain 50.0 %." in told.headline[1] and "intervals" in told.headline[2]
    (plot,) = told.plots
    assert [(x, number.value) for x, number in plot.lines[1].points] == [
        (0.0, 20.0), (0.03, 20.5), (1.0, 22.0), (30.0, 40.0),
    ]  # fmt: skip


def test_translators_have_their_scores_and_texts(tmp_path: Path) -> None:
    for name, bleu in (("a", 20.0), ("b", 21.5)):
        save_found(tmp_path, translated(name, [("s", "r", f"written {name}")], bleu))
        save_found(tmp_path, sides(name, [("s t", "t", "r", "x", "x y" if name == "a" else "x")]))
    told = language_story([tmp_path])
    assert told.headline[:2] == (
        "BLEU of the translations: a 20, b 21.5.",
        "One moved word changes so many translations: a 100.0 %, b 0.0 %.",
    )
    assert {one.name: one.better for one in told.measures} == {"BLEU": "more", "chrF": "more", CHANGED: "less"}
    assert [one.title for one in told.excerpts] == ["Translations side by side", "Translations"]
    assert [model for model, _ in told.excerpts[0].texts[0].rows] == ["a", "b"] and told.plots == ()


def test_several_folders_stand_on_one_page_and_names_tell_models_apart(folder: Path, tmp_path: Path) -> None:
    save_found(tmp_path / "other", perplexities("other/plain/model", 19.0, MOVES))
    told = language_story([folder, tmp_path / "other", folder])
    assert told.models == ("runs/atcl/model", "runs/plain/model", "other/plain/model")


@pytest.mark.parametrize(
    ("changes", "words"),
    [({"data_hash": "e test 40"}, "data_hash"), ({"settings": {"radius": 1.0, "count": 3}}, "settings.radius")],
)
def test_different_data_or_settings_are_not_compared(
    folder: Path, tmp_path: Path, changes: dict[str, object], words: str
) -> None:
    save_found(tmp_path / "two", perplexities("other", 19.0, MOVES), **changes)
    with pytest.raises(BadInput, match=f"perplexity of other in .*two cannot be compared .*{words}"):
        language_story([folder, tmp_path / "two"])
    save_found(folder, perplexities("inside", 19.0, MOVES), **changes)
    with pytest.raises(BadInput, match=words):
        report(folder, tmp_path / "x.html")


def test_kinds_of_models_are_reported_apart(folder: Path, tmp_path: Path) -> None:
    save_found(tmp_path / "two", translated("b", [("s", "r", "w")]))
    with pytest.raises(BadInput, match=r"two is of a translator and .*lm of a language model; report them apart"):
        report([folder, tmp_path / "two"], tmp_path / "x.html")
    save_results(tmp_path / "three", "plain", right=9, left={0.1: 3})
    with pytest.raises(BadInput, match="three is not; report them apart"):
        report([tmp_path / "three", folder], tmp_path / "x.html")


def test_the_repair_begins_at_the_recipe_of_the_run(tmp_path: Path) -> None:
    run = tmp_path / "a run"
    run.mkdir()
    recipe = run / "recipe.toml"
    recipe.write_text('[data]\nsource = "multi30k"\ntext = "en"\nlabel = "de"\n[method]\nname = "finetune"\n')
    train, evaluate, _ = repair(str(run / "model"), "multi30k", ["quality", "side_by_side"])
    assert train == f"unfooled train --recipe '{recipe}' --method atcl --out repaired"
    assert "--data multi30k --text en --label de --trials quality,side_by_side" in evaluate
    recipe.write_text('[method]\nname = "atcl"\n')
    assert repair(str(run), "multi30k", ["quality"]) == () == repair("elsewhere", "multi30k", ["quality"])


def test_results_that_name_no_data_have_a_page(folder: Path, tmp_path: Path) -> None:
    for path in folder.glob("*/*.json"):
        stored = json.loads(path.read_text())
        for name in ("data", "split", "examples", "versions"):
            stored.pop(name, None)
        path.write_text(json.dumps(stored))
    assert language_story([folder]).subtitle == "language models"
    assert report(folder, tmp_path / "x.html").read_bytes() == report([folder], tmp_path / "y.html").read_bytes()


def test_a_page_needs_no_torch(folder: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from unfooled.commands.report import report; "
        f"report({str(folder)!r}, {str(tmp_path / 'x.html')!r}); assert 'torch' not in sys.modules"
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
    settings = {"words": "dog,cat", "radius": 5.0, "radii": (1.0, 5.0)}
    evaluate_language(
        models, str(save_text(root / "text")), root / "lm", ["perplexity", "neighbours", "continuation"], settings
    )
    translators = [str(save_translator(root / f"to-{name}" / "model", seed)) for seed, name in enumerate(("de", "fr"))]
    pairs = {"source": str(save_pairs(root / "pairs")), "text": "en", "label": "de"}
    evaluate_language(translators, pairs, root / "tr", ["quality", "side_by_side"], {"radius": 5.0, "beams": 1})
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
    save_found(tmp_path / "r", sides(HOSTILE, [(f"{HOSTILE} s", "s", HOSTILE, HOSTILE, f"x {HOSTILE}")]), data=HOSTILE)
    tab.events.clear()
    tab.open(report(tmp_path / "r", tmp_path / "report.html"))
    assert "owned" not in tab.run("document.title").split("=")[0] and tab.run("document.title") != "owned"
    assert tab.run("document.querySelectorAll('img, iframe, link, script, [onerror], [style]').length") == 0
    assert "\u202e" not in tab.run("document.body.textContent")
    assert "<script>document.title" in tab.run("document.querySelector('.readings td').innerText")
    assert not tab.seen("Log.entryAdded")
