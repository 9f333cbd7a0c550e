"""Texts are cut at their marks, a screenful open and the rest folded away; none is lost, made up or markup."""

import re

import pytest
from language_ground import continued, near, sides, translated
from results_ground import finished
from stories import HOSTILE, told_of

from unfooled.report.chapters.texts import MOST, OPEN, compared, content, differing, marked, merged, with_marked
from unfooled.report.markup import Markup, Piece
from unfooled.trials.passages import Passage


def after(pieces: tuple[Piece, ...]) -> str:
    """What a reader who skips struck words reads."""
    return " ".join("".join(piece if isinstance(piece, str) else piece[1] for piece in pieces).split())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a dog ran home", "a cat ran"),
        ("", "a b"),
        ("a b", ""),
        ("same words", "same words"),
        ("x y z", "z y x"),
        ("a a a b", "b a a"),
    ],
)
def test_the_second_text_is_all_there(one: str, other: str) -> None:
    assert after(differing(one, other)) == other


def test_new_words_are_marked_and_only_lost_ones_struck_out() -> None:
    assert differing("a dog ran", "a cat ran") == ("a ", ("", "cat"), " ran")
    assert differing("a dog ran", "a ran") == ("a ", ("dog", ""), " ran")
    assert compared(("x y", "x z")) == (("x y",), ("x ", ("", "z"))) and compared(("x",)) == (("x",),)
    assert merged(["a", " ", ("", "b"), " ", "c"]) == ("a ", ("", "b"), " c")
    assert marked(("a ", ("b", "c"), " d")) == "a <del>b</del><mark>c</mark> d"


def test_the_moved_word_is_marked() -> None:
    assert with_marked(Passage("the old man", "old", "", {}, 4)) == ("the ", ("", "old"), " man")
    assert with_marked(Passage("old", "old", "", {}, 0)) == (("", "old"),)
    assert with_marked(Passage("none", "", "", {})) == ("none",)


def sections(texts: int) -> dict[str, Markup]:
    rows = [(f"text {place}", "text", "x", "y" if place == 5 else "x") for place in range(texts)]
    return content(
        told_of(
            finished("a", "neighbours", near(dog=[("cat", 1.0)])),
            finished("a", "continuation", continued(rows), settings={"radius": 2.5}),
        )
    )


def test_sections_have_what_changed_first_and_say_how_far_words_were_moved() -> None:
    found = sections(MOST + 3)
    assert list(found) == ["Continuations", "Nearest words"]
    told = found["Continuations"]
    assert "moved by 2.5 up" in told and f"{MOST} of {MOST + 3} texts are here" in told
    assert re.findall(r"<p><mark>text</mark> (\d+)</p>", told)[:2] == ["5", "0"] and told.count('"case"') == MOST
    assert '<td data-name="as it is">x</td><td data-name="with the word moved"><mark>y</mark></td>' in told
    assert "texts are here" not in found["Nearest words"] and "cat 1" in found["Nearest words"]


def test_a_screenful_is_open_and_the_rest_folded() -> None:
    told = sections(OPEN + 3)["Continuations"]
    assert "<summary>3 more</summary>" in told and "texts are here" not in told
    before, folded = told.split("<details>")
    assert before.count('class="case"') == OPEN and folded.count('class="case"') == 3
    assert "details" not in sections(1)["Continuations"]


def test_translations_have_their_reference_and_models_stand_below_one_another() -> None:
    trials = [finished(name, "side_by_side", sides([("s", "s", "r", "x", "x")])) for name in ("a", "b")]
    told = content(told_of(*trials, finished("a", "quality", translated([("s", "r", "w")]))))
    assert list(told) == ["Translations side by side", "Translations"]
    first = told["Translations side by side"]
    assert "reference: <b>r</b>" in first and first.index(">a</th>") < first.index(">b</th>")
    assert first.count('class="case"') == 1


def test_hostile_texts_are_no_markup_and_none_is_no_section() -> None:
    records = sides([(f"{HOSTILE} s", "s", HOSTILE, HOSTILE, f"x {HOSTILE}")])
    (told,) = content(told_of(finished(HOSTILE, "side_by_side", records))).values()
    assert "<script" not in told and "<img" not in told and "\u202e" not in told
    known = "p|ol|li|mark|del|b|table|caption|thead|tr|th|tbody|td"
    assert all(re.fullmatch(known, name) for name in re.findall(r"<(\w+)", told))
    assert content(told_of(finished("a", "side_by_side", []))) == {}
