"""The page in a real browser: typed into, fooled, turned, stopped, reloaded, by keyboard and by hostile texts."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from browser import Tab, needs_browser
from play_ground import SENTENCE
from play_page import click, fooled, opened, text_of, typed, until
from stories import HOSTILE

from unfooled.data.contrast_sets import contrast_set
from unfooled.data.sources import DataSettings
from unfooled.play.game import Game

pytestmark = needs_browser


def test_typing_shows_both_answers_and_the_words_they_come_from(page: Tab) -> None:
    typed(page, SENTENCE)
    until(page, "document.querySelectorAll('.heat').length === 2")
    assert text_of(page, "#answers .card:nth-child(1) .answer") == "positive"
    assert text_of(page, "#status") == "Both say positive."
    assert page.run("document.querySelector('.heat span').title").startswith("without “the”: ")
    assert page.run("document.querySelectorAll('.card:first-child tbody tr').length") == 6  # for screen readers
    typed(page, "the film was awful and dull")
    until(page, "document.getElementById('status').textContent.startsWith('They disagree: negative here, positive')")
    typed(page, "")
    until(page, "document.querySelector('#answers .answer').textContent === '–'")
    assert page.run("document.getElementById('go').disabled")


def test_the_newest_answer_wins(page: Tab) -> None:
    for text in ("the film was awful and dull", "the film was", SENTENCE):
        typed(page, text)
        time.sleep(0.15)
    until(page, "document.getElementById('status').textContent === 'Both say positive.'")
    time.sleep(0.5)
    assert text_of(page, "#status") == "Both say positive."


def test_fooled_sent_across_edited_and_attacked_again(page: Tab) -> None:
    fooled(page)
    assert text_of(page, "#outcome h3").replace("\n", " ").endswith("Fooled: positive → negative plain, pwws")
    assert page.run("document.querySelectorAll('#outcome del').length") >= 1
    facts = text_of(page, "#outcome .facts")
    assert all(word in facts for word in ("Words changed", "Similarity", "Questions", "Seconds", "%"))
    click(page, "#outcome .row button")  # to the other model
    until(page, "document.querySelector('#outcome .verdicts li')")
    assert "stayed, as it should" in text_of(page, "#outcome .verdicts")
    adversary = page.run("[...document.querySelectorAll('#outcome mark')].map((one) => one.textContent)")
    click(page, "#outcome .row button:nth-child(2)")  # edit it
    assert all(word in page.run("document.getElementById('text-0').value") for word in adversary)
    click(page, "#outcome .row button:nth-child(3)")  # attack it again
    until(page, "document.getElementById('stop').hidden && document.querySelector('#outcome article')")
    assert "negative" in text_of(page, "#outcome h3")


def test_a_model_that_holds_says_so_and_the_picture_grows(page: Tab) -> None:
    page.run("document.getElementById('player').value = '1'")
    page.run("document.getElementById('player').dispatchEvent(new Event('change'))")
    assert text_of(page, "#go") == "Fool stubborn"
    fooled(page)
    assert "Held: still positive" in text_of(page, "#outcome h3")
    assert "fickleness 0 of 1, obstinacy 0 of 0" in text_of(page, "#picture .legend")
    assert page.run("document.querySelectorAll('#picture .half').length") == 1


def test_turned_texts_are_judged_by_what_they_should_do(page: Tab) -> None:
    typed(page, "the film was good")
    click(page, "#changes fieldset:nth-child(1) button:nth-of-type(1)")  # an antonym
    until(page, "document.querySelector('#turned li')")
    assert "should change" in text_of(page, "#turned .chip")
    assert page.run("document.querySelector('#turned mark').textContent") == "bad"
    first, second = page.run("[...document.querySelectorAll('#turned .verdicts li')].map((one) => one.innerText)")
    assert "changed, as it should" in first and "did not change" in second
    click(page, "#changes fieldset:nth-child(2) button:nth-of-type(1)")  # a typo
    until(page, "document.querySelectorAll('#turned > li').length === 2")
    assert text_of(page, "#turned .chip") == "should stay"
    counts = page.run("[...document.querySelectorAll('#picture .legend li')].map((one) => one.innerText)")
    assert "obstinacy 0 of 1" in counts[0] and counts[1].endswith("fickleness 0 of 1, obstinacy 1 of 1")
    typed(page, "hm")
    click(page, "#changes fieldset:nth-child(1) button:nth-of-type(1)")
    until(page, "!document.getElementById('turn-error').hidden")
    assert "nothing to change" in text_of(page, "#turn-error")


def test_a_change_by_hand_is_compared_with_what_it_was(page: Tab) -> None:
    typed(page, "the film was good")
    page.run("document.getElementById('hand').open = true")
    click(page, "#pin")
    click(page, "#hand-change")
    assert "change it first" in text_of(page, "#turn-error")
    typed(page, "the film was awful")
    click(page, "#hand-change")
    until(page, "document.querySelector('#turned li')")
    assert "changed, as it should" in text_of(page, "#turned .verdicts li")


def saved(tab: Tab) -> str:
    """What the download would save."""
    tab.run("window.saved = null; window.real ??= URL.createObjectURL.bind(URL)")
    tab.run("URL.createObjectURL = (blob) => { blob.text().then((text) => window.saved = text); return real(blob) }")
    click(tab, "#download")
    until(tab, "window.saved !== null")
    return str(tab.run("window.saved"))


def test_a_sitting_survives_a_reload_and_is_downloaded_as_a_contrast_set(
    page: Tab, served: tuple[str, Game], tmp_path: Path
) -> None:
    fooled(page)
    click(page, "#changes fieldset:nth-child(1) button:nth-of-type(2)")  # a negation
    until(page, "document.querySelectorAll('#tries .revisions li').length === 2")
    opened(page, served[0])
    assert page.run("document.getElementById('text-0').value") == SENTENCE
    assert page.run("document.querySelectorAll('#tries .revisions li').length") == 2
    (tmp_path / "sitting.jsonl").write_text(saved(page), encoding="utf-8")
    members, _, _ = contrast_set(DataSettings(source=str(tmp_path / "sitting.jsonl")), ("negative", "positive"))
    assert [(one.original, one.label) for one in members] == [(True, 1), (False, 1), (False, 0)]
    assert members[0].texts == (SENTENCE,) and members[2].texts == ("the film was not good and warm",)
    page.run(
        "{const one = document.querySelector('#tries select'); one.value = ''; one.dispatchEvent(new Event('change'))}"
    )
    click(page, "#download")
    assert text_of(page, "#sitting-error") == "There is no pair with labels yet."
    click(page, "#forget")
    assert page.run("document.querySelectorAll('#tries li').length") == 0


def test_an_attack_is_stopped_in_the_middle(page: Tab, served: tuple[str, Game]) -> None:
    game = served[1]
    kept = game.players

    def slow(texts: Any) -> Any:
        time.sleep(0.3)
        return kept[0].victim.call(texts)

    game.players = (replace(kept[0], victim=replace(kept[0].victim, call=slow)), kept[1])
    try:
        typed(page, SENTENCE)
        until(page, "document.querySelector('.heat')")
        click(page, "#go")
        until(page, "document.getElementById('counter').textContent.includes('Questions asked')")
        assert page.run("document.getElementById('go').disabled && !document.getElementById('stop').hidden")
        click(page, "#stop")
        until(page, "!document.getElementById('fool-error').hidden")
        assert text_of(page, "#fool-error").startswith("Stopped after ")
    finally:
        game.players = kept
    assert not page.run("document.querySelector('#outcome article')")
    fooled(page)
    assert "Fooled" in text_of(page, "#outcome h3")


def test_two_tabs_do_not_disturb_each_other(page: Tab, served: tuple[str, Game]) -> None:
    first = page.session
    second = page.further()
    opened(page, served[0])
    typed(page, "the film was awful and dull")
    page.session = first
    fooled(page)
    page.session = second
    until(page, "document.getElementById('status').textContent.startsWith('They disagree')")
    assert page.run("document.querySelectorAll('#tries li').length") == 0
    page.ask("Page.close")
    page.session = first
    assert "Fooled" in text_of(page, "#outcome h3")


def test_hostile_texts_are_texts_and_nothing_is_asked_of_others(page: Tab, served: tuple[str, Game]) -> None:
    fooled(page, f"{HOSTILE} the film was good")
    click(page, "#changes fieldset:nth-child(2) button:nth-of-type(6)")  # the full stop
    until(page, "document.querySelector('#turned li')")
    assert page.run("document.querySelectorAll('img, iframe, [onerror], main script').length") == 0
    assert page.run("document.title") == "Can you fool it? · plain · stubborn"
    assert "<script>document.title" in text_of(page, "#turned li") and "⟨U+202E⟩" in text_of(page, "#turned li")
    asked = {event["request"]["url"] for event in page.seen("Network.requestWillBeSent")}
    assert all(url.startswith((served[0], "data:,")) for url in asked), asked
    assert not page.seen("Runtime.exceptionThrown") and not page.seen("Log.entryAdded")


def test_the_policy_stops_what_would_get_in(page: Tab) -> None:
    page.run(
        "{const s = document.createElement('script'); s.textContent = 'document.title = 1'; document.body.append(s)}"
    )
    assert page.run("fetch('https://example.invalid/').then(() => 'reached', () => 'stopped')") == "stopped"
    assert page.run("document.title") != "1"
