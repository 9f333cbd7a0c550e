"""The fooled sentences of an evaluation in a real browser: gone through, ticked, played on, kept and read again."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Tab, needs_browser
from play_ground import TOKEN, serving
from play_page import click, opened, text_of, until
from play_results import save_results

from unfooled.play.players import Player
from unfooled.results.ticks import TICKS

pytestmark = needs_browser


@pytest.fixture
def folder(tmp_path: Path, plain: Player) -> Path:
    """Results of the plain model, four of whose examples fooled it."""
    return save_results(tmp_path / "results", plain)


@pytest.fixture
def results(tab: Tab, folder: Path) -> Iterator[Tab]:
    """The page of these results."""
    with serving(folder) as (client, _, _):
        opened(tab, f"http://127.0.0.1:{client.port}/{TOKEN}/")
        until(tab, "document.querySelectorAll('#cases li').length === 4")
        yield tab


def test_ticks_recompute_the_rates_and_are_kept_beside_the_results(results: Tab, folder: Path) -> None:
    assert "50.0 %" in text_of(results, "#rates tbody tr") and not (folder / TICKS).exists()
    click(results, "#cases li:nth-child(2) input")
    until(results, "document.querySelector('#rates tbody tr').innerText.includes('37.5 %')")
    assert json.loads((folder / TICKS).read_text())
    opened(results, results.run("location.href"))
    until(results, "document.querySelectorAll('#cases li').length === 4")
    ticked = results.run("[...document.querySelectorAll('#cases input')].map((box) => box.checked)")
    assert ticked == [False, True, False, False] and "37.5 %" in text_of(results, "#rates tbody tr")


def test_a_sentence_is_played_on_with_its_model(results: Tab) -> None:
    click(results, "#cases li:nth-child(1) button")
    until(results, "document.getElementById('text-0').value === 'a good film about river number 0'")
    until(results, "document.querySelector('#answers .answer').textContent === 'positive'")
    click(results, "#go")
    until(results, "document.querySelector('#outcome article')")


def test_hostile_texts_of_a_log_run_nothing(results: Tab) -> None:
    assert "script" in text_of(results, "#cases li:nth-child(4)")
    assert results.run("document.querySelectorAll('#cases script, #cases img').length") == 0
    assert results.run("window.hacked === undefined")
