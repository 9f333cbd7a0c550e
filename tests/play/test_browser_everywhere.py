"""The page in a real browser, for everybody: any text, keyboard alone, screen readers, a phone, the dark."""

import time
from pathlib import Path

import pytest
from browser import Tab, needs_browser
from play_page import click, fooled, text_of, typed, until

from unfooled.play.game import Game

pytestmark = needs_browser
AXE = Path(__file__).parents[1] / "node_modules" / "axe-core" / "axe.min.js"


def test_long_foreign_and_paired_texts(page: Tab) -> None:
    typed(page, "x" * 100_000)
    until(page, "document.getElementById('status').textContent.startsWith('The text has 100,000 characters')")
    typed(page, "Der Film war langweilig und öde")
    until(page, "document.getElementById('status').textContent.startsWith('This does not look like English')")
    click(page, "#second")
    typed(page, "the film was good")
    typed(page, "the plot was warm", 1)
    until(page, "document.querySelectorAll('.card:first-child .heat').length === 2")
    fooled(page, "the film was good")
    assert text_of(page, "#outcome .row .hint") == "A command takes one text; copy a pair as Python."


def focused(tab: Tab) -> str:
    return str(tab.run("document.activeElement.id || document.activeElement.textContent.slice(0, 20)"))


def test_all_of_it_works_by_keyboard_alone(page: Tab) -> None:
    def tab_to(wanted: str) -> None:
        for _ in range(80):
            if focused(page).startswith(wanted):
                return
            page.press("Tab", 9)
        raise AssertionError(f"the keyboard never reaches {wanted}")

    tab_to("text-0")
    page.ask("Input.insertText", text="the film was good")
    until(page, "document.querySelector('.heat')")
    page.press("Enter", 13, modifiers=2)
    until(page, "document.querySelector('#outcome article')")
    assert "Fooled" in text_of(page, "#heard")
    for wanted in ("attack", "player", "go", "Send it to stubborn", "Copy as command", "Antonym"):
        tab_to(wanted)
    page.press("Enter", 13, text="\r")
    until(page, "document.querySelector('#turned li')")
    tab_to("download")


def test_a_screen_reader_has_names_for_everything(page: Tab) -> None:
    fooled(page)
    click(page, "#changes button")
    until(page, "document.querySelector('#turned li')")
    nodes = page.ask("Accessibility.getFullAXTree")["nodes"]
    roles = [
        (node.get("role", {}).get("value"), node.get("name", {}).get("value")) for node in nodes if not node["ignored"]
    ]
    named = ("textbox", "combobox", "button", "image", "table", "checkbox", "article")
    assert not [role for role, name in roles if role in named and not name]
    assert ("textbox", "Sentence") in roles and ("combobox", "Attack") in roles
    assert ("image", "Fickleness and obstinacy in this sitting") in roles


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_no_serious_fault(page: Tab, dark: bool) -> None:
    if not AXE.is_file():
        pytest.skip("axe-core is not installed, so the page was NOT checked with it; run: make axe")
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    page.ask("Emulation.setEmulatedMedia", features=[scheme])
    fooled(page)
    for button in ("#outcome .row button", "#changes fieldset:nth-child(1) button:nth-of-type(2)"):
        click(page, button)
    until(page, "document.querySelector('#turned li') && document.querySelector('.heat')")
    page.run(f"{AXE.read_text(encoding='utf-8')}; undefined")
    faults = page.run("axe.run().then((told) => told.violations.map((one) => [one.id, one.impact, one.nodes[0].html]))")
    page.ask("Emulation.setEmulatedMedia", features=[])
    assert not [fault for fault in faults if fault[1] in ("serious", "critical")]


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_runs_out_of_the_page(page: Tab, width: int) -> None:
    page.ask("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=width < 600)
    fooled(page, f"the film was good and {'w' * 300}")
    click(page, "#outcome .row:last-of-type button, #outcome div .row button")
    assert page.run("document.documentElement.scrollWidth") <= width
    page.ask("Emulation.clearDeviceMetricsOverride")


def test_a_browser_without_scripts_is_told(tab: Tab, served: tuple[str, Game]) -> None:
    tab.ask("Emulation.setScriptExecutionDisabled", value=True)
    tab.ask("Page.navigate", url=served[0])
    time.sleep(1)
    tab.ask("Emulation.setScriptExecutionDisabled", value=False)
    assert "This page needs a browser from 2022" in tab.run("document.body.innerText")
