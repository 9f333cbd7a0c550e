"""The page in a real browser: inert, quick, searchable, and with rates that follow the reader's ticks."""

import csv
import io
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Tab, browsing, needs_browser
from stories import FORMULA, HOSTILE, fooled, score, usual_told

from unfooled.report.chapters.fooled import MOST
from unfooled.report.page import page
from unfooled.report.told import Told
from unfooled.results.verdict import Coordinate, Verdict
from unfooled.scores.intervals import proportion

pytestmark = needs_browser


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browsing(tmp_path_factory.mktemp("browser")) as open_tab:
        yield open_tab


def show(tab: Tab, folder: Path, told: Told) -> None:
    """Open a page afresh, nothing remembered."""
    path = folder / "report.html"
    path.write_text(page(told), encoding="utf-8")
    tab.open(path)
    tab.run("localStorage.clear()")
    tab.events.clear()
    tab.open(path)


# Signs that a spreadsheet may read as those of a formula.
WIDE = ["＝1+1", "＋1", "－1", "＠x", "\u3000＝1", "﹦1", "−1"]
CASES = "document.querySelectorAll('#cases > li').length"


def text_of(tab: Tab, selector: str) -> str:
    return tab.run(f"document.querySelector({json.dumps(selector)}).innerText")


def set_value(tab: Tab, name: str, value: str) -> None:
    element = f"document.getElementById({json.dumps(name)})"
    tab.run(f"{element}.value = {json.dumps(value)}")
    tab.run(f"{element}.dispatchEvent(new Event('input', {{bubbles: true}}))")


def test_hostile_texts_are_inert_and_nothing_is_asked_for(tab: Tab, tmp_path: Path) -> None:
    show(tab, tmp_path, usual_told())
    assert tab.run("document.title") == "plain · robust"
    assert tab.run("document.querySelectorAll('img, iframe, link, [onerror], [style]').length") == 0
    asked = [event["request"]["url"] for event in tab.seen("Network.requestWillBeSent")]
    assert all(url.startswith("file://") and url.endswith("report.html") for url in asked), asked
    assert not tab.seen("Runtime.exceptionThrown") and not tab.seen("Log.entryAdded")
    assert "<script>document.title" in text_of(tab, "#cases li:nth-child(11) mark")
    assert "⟨U+202E⟩" in tab.run("document.body.innerText") and "\u202e" not in tab.run("document.body.textContent")


def test_the_policy_stops_what_would_get_in(tab: Tab, tmp_path: Path) -> None:
    show(tab, tmp_path, usual_told())
    tab.run(
        "{const s=document.createElement('script'); s.textContent='document.title=\"owned\"'; document.body.append(s)}"
    )
    tab.run("{const i=document.createElement('img'); i.src='https://example.invalid/x.png'; document.body.append(i)}")
    assert tab.run("fetch('https://example.invalid/').then(() => 'reached', () => 'stopped')") == "stopped"
    assert tab.run("document.title") == "plain · robust"
    assert len([one for one in tab.seen("Log.entryAdded") if "Content Security Policy" in one["entry"]["text"]]) >= 2


def test_sentences_are_searched_filtered_and_sorted(tab: Tab, tmp_path: Path) -> None:
    show(tab, tmp_path, usual_told())
    assert tab.run(CASES) == 11
    set_value(tab, "search", "RIVER number 7")
    tab.until(f"{CASES} === 1")
    assert text_of(tab, "#count") == "1 of 1 shown, 11 in all"
    assert "a good decent film about river number 7" in text_of(tab, "#cases")
    set_value(tab, "search", "")
    set_value(tab, "model", "1")
    tab.until(f"{CASES} === 1")
    set_value(tab, "model", "")
    set_value(tab, "order", "3")
    tab.until(f"{CASES} === 11")
    assert "example 10" in text_of(tab, "#cases li:first-child")
    set_value(tab, "search", "no such words at all")
    tab.until(f"{CASES} === 0")


def test_ticks_recompute_the_rates_and_survive_a_reload(tab: Tab, tmp_path: Path) -> None:
    show(tab, tmp_path, usual_told())
    for place in (1, 3):
        tab.run(f"document.querySelector('#cases li:nth-child({place}) input').click()")
    for found, count, n in (("success-0", 8, 80), ("left-0", 72, 100), ("success-1", 1, 82)):
        score = proportion(count, n, "")
        wanted = f"{100 * score.value:.1f} % [{100 * score.low:.1f} – {100 * score.high:.1f}]"
        assert text_of(tab, f"#{found}") == wanted
    assert text_of(tab, "#ticked-0") == "2"
    set_value(tab, "ticks", "0")
    tab.until(f"{CASES} === 2")
    tab.open(tmp_path / "report.html")
    assert text_of(tab, "#ticked-0") == "2"
    tab.run("document.querySelector('#cases li:nth-child(1) input').click()")
    assert text_of(tab, "#ticked-0") == "1"


def test_a_letter_that_only_looks_alike_is_named(tab: Tab, tmp_path: Path) -> None:
    show(tab, tmp_path, usual_told([fooled(0, "g\u043eod"), fooled(1)]))
    assert "good g\u043eod (U+043E for o) film" in text_of(tab, "#cases li:first-child")
    assert "U+" not in text_of(tab, "#cases li:nth-child(2)")


def exported(tab: Tab, button: str) -> str:
    """What a press of a button would save."""
    tab.run("window.saved = null; window.real ??= URL.createObjectURL.bind(URL)")
    tab.run("URL.createObjectURL = (blob) => { blob.text().then((text) => window.saved = text); return real(blob) }")
    tab.run(f"document.getElementById('{button}').click()")
    return tab.until("window.saved")


def test_exports_hold_the_ticks_and_no_live_formula(tab: Tab, tmp_path: Path) -> None:
    formulas = [FORMULA, "+1", "-1", "@x", "\tx", " =1", *WIDE, "plain"]
    show(tab, tmp_path, usual_told([fooled(place, word) for place, word in enumerate(formulas)]))
    tab.run("document.querySelector('#cases li:nth-child(2) input').click()")
    rows = json.loads(exported(tab, "json"))
    assert [row["meaning_changed"] for row in rows] == [False, True, *[False] * (len(formulas) - 1)]
    assert rows[0]["original"] == "a good film about river number 0" and rows[0]["attack"] == "pwws"
    show(tab, tmp_path, usual_told([*(fooled(place, word, "old") for place, word in enumerate(formulas)), fooled(0)]))
    table = list(csv.DictReader(io.StringIO(exported(tab, "csv"))))
    assert [row["adversary"][0] for row in table] == ["'"] * (len(formulas) - 1) + ["p", "a", '"']
    assert table[0]["adversary"] == f"'{FORMULA}"


def test_of_ten_thousand_sentences_only_a_screenful_is_drawn(tab: Tab, tmp_path: Path) -> None:
    draw, words = random.Random(0), [f"word{number}" for number in range(500)]
    show(tab, tmp_path, usual_told([fooled(place, " ".join(draw.choices(words, k=20))) for place in range(10_000)]))
    on_it = f"{MOST // 2 + 1} on this page, 10001 in all"  # of two attacks, of which one has a single sentence
    assert tab.run(CASES) == 20 and text_of(tab, "#count") == f"20 of {MOST // 2 + 1} shown, {on_it}"
    tab.run("document.getElementById('more').click()")
    assert tab.run(CASES) == 40
    assert tab.run("document.activeElement === document.querySelector('#cases li:nth-child(21) input')")
    set_value(tab, "search", f"number {MOST // 2 - 1}")
    tab.until(f"{CASES} === 1")


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_nothing_runs_out_of_the_page(tab: Tab, tmp_path: Path, width: int) -> None:
    tab.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 600)
    show(tab, tmp_path, usual_told(names=(f"a title {HOSTILE}", "robust")))
    assert tab.run("document.documentElement.scrollWidth") <= width
    tab.ask("Emulation.clearDeviceMetricsOverride")


def standing(name: str, fickle: float, obstinate: float) -> Verdict:
    """A verdict whose parts are not told."""
    return Verdict(name, {"fickleness": Coordinate(score(fickle), {}), "obstinacy": Coordinate(score(obstinate), {})})


BOXES = """[...document.querySelectorAll('.verdict .name, .verdict .corners text')].map((one) => {
  const box = one.getBoundingClientRect();
  return [one.textContent, box.left, box.top, box.right, box.bottom];
})"""


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize(("fickle", "obstinate"), [(0.4, 0.2), (0.02, 0.01), (0.97, 0.98)])
def test_letters_of_nearly_equal_models_do_not_overlap(
    tab: Tab, tmp_path: Path, width: int, fickle: float, obstinate: float
) -> None:
    names = ("finetune", "freelb", "smart WITH WIDE LETTERS", "carl-on-movie-reviews-seed-0", "日本語")
    equal = tuple(
        standing(name, fickle + 0.003 * place, obstinate + 0.002 * (place % 2)) for place, name in enumerate(names)
    )
    tab.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 600)
    told = usual_told()
    vars(told)["standings"] = equal
    show(tab, tmp_path, told)
    boxes = tab.run(BOXES)
    assert len(boxes) == 9
    left, top, right, bottom = tab.run(
        "(({left, top, right, bottom}) => [left, top, right, bottom])"
        "(document.querySelector('.verdict svg.chart').getBoundingClientRect())"
    )
    for place, (name, *box) in enumerate(boxes):
        assert box[0] >= left and box[1] >= top and box[2] <= right and box[3] <= bottom, name
        for other, *near in boxes[:place]:
            apart = box[0] >= near[2] or near[0] >= box[2] or box[1] >= near[3] or near[1] >= box[3]
            assert apart, (name, other)
    tab.ask("Emulation.clearDeviceMetricsOverride")


def test_a_keyboard_reaches_every_control_and_a_screen_reader_has_its_names(tab: Tab, tmp_path: Path) -> None:
    show(tab, tmp_path, usual_told([fooled(0), fooled(1)]))
    reached = set()
    for _ in range(60):
        for kind in ("keyDown", "keyUp"):
            tab.ask("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        reached.add(
            tab.run("document.activeElement.id || document.activeElement.type || document.activeElement.tagName")
        )
    assert {"search", "model", "trial", "label", "ticks", "order", "json", "csv", "checkbox", "A"} <= reached
    nodes = tab.ask("Accessibility.getFullAXTree")["nodes"]
    roles = [
        (node.get("role", {}).get("value"), node.get("name", {}).get("value")) for node in nodes if not node["ignored"]
    ]
    unnamed = [
        role
        for role, name in roles
        if role in ("checkbox", "combobox", "searchbox", "button", "image", "table") and not name
    ]
    assert not unnamed
    assert ("checkbox", "the meaning changed") in roles and ("searchbox", "Search") in roles


def test_dark_is_dark_and_paper_is_white(tab: Tab, tmp_path: Path) -> None:
    show(tab, tmp_path, usual_told())
    colour = "getComputedStyle(document.body).backgroundColor"
    tab.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert tab.run(colour) == "rgb(21, 23, 26)"
    tab.ask("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    assert tab.run(colour) == "rgb(255, 255, 255)"
    assert tab.run("getComputedStyle(document.querySelector('nav')).display") == "none"
    tab.ask("Emulation.setEmulatedMedia", media="", features=[])
