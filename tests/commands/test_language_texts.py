"""Texts are cut at the moved word and at what the move changed, and none is lost or made up."""

import pytest
from language_ground import continued, near, sides

from unfooled.commands.language_texts import MOST, columns, differing, excerpts, merged, with_marked
from unfooled.evaluation.passages import Passage
from unfooled.report.story import Piece


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
    assert columns(("x y", "x z")) == (("x y",), ("x ", ("", "z"))) and columns(("x",)) == (("x",),)
    assert merged(["a", " ", ("", "b"), " ", "c"]) == ("a ", ("", "b"), " c")


def test_the_moved_word_is_marked() -> None:
    assert with_marked(Passage("the old man", "old", "", {}, 4)) == ("the ", ("", "old"), " man")
    assert with_marked(Passage("old", "old", "", {}, 0)) == (("", "old"),)
    assert with_marked(Passage("none", "", "", {})) == ("none",)


def test_sections_have_what_changed_first_and_say_how_far_words_were_moved() -> None:
    texts = [(f"text {place}", "text", "x", "y" if place == 5 else "x") for place in range(MOST + 3)]
    found = excerpts([continued("a", texts), near("a", dog=[("cat", 1.0)])], {"continuation": {"radius": 2.5}})
    assert [(one.title, len(one.texts), one.whole) for one in found] == [
        ("Continuations", MOST, MOST + 3),
        ("Nearest words", 1, 1),
    ]
    assert "moved by 2.5 up" in found[0].says and found[0].columns == ("as it is", "with the word moved")
    assert found[0].texts[0].text == (("", "text"), " 5") and found[0].texts[1].text == (("", "text"), " 0")
    assert found[0].texts[0].rows == (("a", (("x",), (("", "y"),))),)
    (side,) = excerpts([sides("a", [("s", "s", "r", "x", "x")])], {})
    assert side.title == "Translations side by side" and side.texts[0].reference == "r"
