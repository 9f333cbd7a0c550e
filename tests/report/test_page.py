"""One file that asks nobody for anything: what it holds, and in test_browser what a browser makes of it."""

import base64
import hashlib
import re
from dataclasses import replace

import pytest
from results_ground import finished, plain
from stories import told_of, usual_told

from unfooled.report import page as module
from unfooled.report.chapter import Chapter
from unfooled.report.chapters import CHAPTERS
from unfooled.report.markup import Markup, tag
from unfooled.report.page import all_sections, own_file, page
from unfooled.table import Table


def test_the_same_results_give_the_same_bytes() -> None:
    assert page(usual_told()) == page(usual_told())


def test_only_sections_with_something_to_tell_are_there() -> None:
    small = page(told_of(finished("plain", "clean", plain(9, {}, 10)[0])))
    assert re.findall(r'<section id="([^"]+)"', small) == [
        *("verdict", "ship", "numbers", "confusions", "repair", "record")
    ]
    assert 'href="#numbers"' in small and 'href="#fooled"' not in small and "<script>" not in small
    assert 'href="#fooled"' in page(usual_told())


def test_the_page_says_what_it_is_and_of_which_day() -> None:
    told = replace(usual_told(), day="17 November 2026")
    (said,) = re.findall('<p class="about">(.*?)</p>', page(told))
    assert said.startswith("A test report, made by unfooled: how these models do on texts as they are and on texts")
    assert "<p>reviews, 100 examples · measured until 17 November 2026</p>" in page(told)
    assert "measured until" not in page(usual_told())
    single = told_of(finished("<plain>", "clean", plain(9, {}, 10)[0]))
    assert "how &lt;plain&gt; does on texts" in page(single) and "differences" not in single.about


def test_the_sentences_that_fooled_stand_right_below_the_verdict() -> None:
    keys = [key for key, _, _ in all_sections(usual_told())]
    assert keys[:5] == ["verdict", "ship", "examples", "axes", "numbers"] and keys[-3:] == [
        "fooled",
        "repair",
        "record",
    ]


def test_the_policy_allows_this_style_and_this_script_and_nothing_else() -> None:
    found = page(usual_told())
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', found)
    (style,) = re.findall(r"<style>(.*?)</style>", found, re.DOTALL)
    (script,) = re.findall(r"<script>(.*?)</script>", found, re.DOTALL)
    for text in (style, script):
        wanted = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"&#x27;sha256-{wanted}&#x27;" in policy
    assert policy.startswith("default-src &#x27;none&#x27;") and "unsafe" not in policy and "http" not in policy


def test_nothing_points_outside_and_no_hostile_text_is_markup() -> None:
    found = page(usual_told())
    assert not re.findall(r'(?:src|href)="(?!#)', found)
    assert "<img" not in found and "onerror=document" not in found.replace("onerror=document.title=&quot;", "").replace(
        'onerror=document.title=\\"', ""
    )
    assert "\u202e" not in found
    assert len(re.findall("<script", found)) == 2  # the data and our own


def test_charts_and_tables_have_words_for_who_cannot_see_them() -> None:
    found = page(usual_told())
    charts = re.findall(r"<svg[^>]*class=\"chart\"[^>]*>", found)
    assert charts and all('role="img"' in chart and "aria-label=" in chart for chart in charts)
    assert found.count("<table") == found.count("<caption>")
    assert '<html lang="en">' in found and 'class="skip"' in found


def test_a_script_that_could_end_its_element_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Bad:
        def joinpath(self, name: str) -> "Bad":
            return self

        def read_text(self, encoding: str) -> str:
            return "x = '</script>'"

    monkeypatch.setattr(module, "files", lambda name: Bad())
    with pytest.raises(ValueError, match="must not hold"):
        own_file("page.js")


def test_a_chapter_more_is_a_line_more_and_may_have_several_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    def several(told: object) -> dict[str, Markup]:
        return {"One": tag("p", "1"), "Two": Markup(), "Three": tag("p", "3")}

    monkeypatch.setattr(module, "NEW", Chapter("New", several), raising=False)
    more = {**CHAPTERS.entries, "new": ("unfooled.report.page:NEW", "A chapter more.")}
    monkeypatch.setattr(module, "CHAPTERS", Table("chapter", more))
    sections = all_sections(told_of(finished("plain", "clean", plain(9, {}, 10)[0])))
    assert [(key, title) for key, title, _ in sections[-2:]] == [("new-0", "One"), ("new-2", "Three")]
    assert sections[-1][2] == '<section id="new-2"><h2>Three</h2><p>3</p></section>'
