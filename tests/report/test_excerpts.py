"""Texts are shown with their marks, a screenful open and the rest folded away, and none of them is markup."""

import re

from stories import HOSTILE

from unfooled.report.excerpts import OPEN, excerpts_section, excerpts_sections, marked
from unfooled.report.story import Excerpt, Excerpts

TEXT = Excerpt(("the ", ("", "old"), " man"), "der alte Mann", (("plain", (("x",), (("y", ""), ("", "z")))),))


def section(texts: int, whole: int) -> str:
    return excerpts_section(Excerpts("Texts", "how", ("as it is", "moved"), (TEXT,) * texts, whole), "texts-0")


def test_words_are_marked_and_struck_out() -> None:
    assert marked(("a ", ("b", "c"), " d")) == "a <del>b</del><mark>c</mark> d"
    found = section(1, 1)
    assert "<p>the <mark>old</mark> man</p>" in found and "<b>der alte Mann</b>" in found
    assert '<td data-name="moved"><del>y</del><mark>z</mark></td>' in found and ">plain</th>" in found
    assert "details" not in found and "texts are here" not in found


def test_a_screenful_is_open_and_what_is_not_there_is_said() -> None:
    found = section(OPEN + 3, 2000)
    assert f"{OPEN + 3} of 2,000 texts are here" in found and "<summary>3 more</summary>" in found
    before, folded = found.split("<details>")
    assert before.count('class="case"') == OPEN and folded.count('class="case"') == 3


def test_empty_ones_are_no_section_and_hostile_ones_no_markup() -> None:
    empty = Excerpts("Empty", "", ("written",), (), 0)
    bad = Excerpt((HOSTILE, ("", HOSTILE)), HOSTILE, ((HOSTILE, ((HOSTILE,),)),))
    found = excerpts_sections([empty, Excerpts(HOSTILE, HOSTILE, (HOSTILE,), (bad,), 1)])
    assert [key for key, _, _ in found] == ["texts-1"]
    assert "<script" not in found[0][2] and "<img" not in found[0][2] and "\u202e" not in found[0][2]
    known = "section|h2|p|ol|li|mark|b|table|caption|thead|tr|th|tbody|td"
    assert all(re.fullmatch(known, name) for name in re.findall(r"<(\w+)", found[0][2]))
