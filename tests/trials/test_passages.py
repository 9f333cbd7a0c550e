"""Texts stand with what every model wrote, and their words where they are."""

from language_ground import continued, near, sides, translated

from unfooled.trials import TRIALS
from unfooled.trials.continuation import ContinuationRecord
from unfooled.trials.passages import Passage, Passages, side_by_side

ONE = continued([("no no", "no", "dog", "cat"), ("the man", "man", "ran", "ran")])
TWO = continued([("the man", "man", "sat", "fell"), ("a bird", "bird", "x", "x")])


def form(trial: str) -> Passages:
    found = TRIALS[trial].passages
    assert found is not None
    return found


def test_a_text_of_two_models_stands_once_with_both() -> None:
    found = side_by_side(form("continuation"), {"a": ONE, "b": TWO})
    assert [(one.text, one.written) for one in found] == [
        ("no no", {"a": ("dog", "cat")}),
        ("the man", {"a": ("ran", "ran"), "b": ("sat", "fell")}),
        ("a bird", {"b": ("x", "x")}),
    ]
    assert [one.moved for one in found] == [True, True, False]
    assert side_by_side(form("continuation"), {}) == []


def test_a_text_behind_which_nothing_was_written_is_not_there() -> None:
    assert side_by_side(form("continuation"), {"a": [*ONE[:1], ContinuationRecord(1, "1 2")]})[1:] == []


def test_the_moved_word_is_the_last_of_a_beginning_and_the_first_of_a_source() -> None:
    assert side_by_side(form("continuation"), {"a": ONE})[0].cut == ("no ", "no", "")
    found = side_by_side(form("side_by_side"), {"a": sides([("no more, no", "no", "nein", "x", "y")])})
    assert found[0].cut == ("", "no", " more, no") and found[0].reference == "nein"
    assert Passage("text", "gone", "", {}, -1).cut == ("text", "", "") == Passage("text", "", "", {}, 0).cut


def test_one_source_with_two_words_is_two_texts() -> None:
    found = side_by_side(form("side_by_side"), {"a": sides([("s t", "s", "r", "x", "y"), ("s t", "t", "r", "x", "x")])})
    assert [(one.word, one.written) for one in found] == [("s", {"a": ("x", "y")}), ("t", {"a": ("x", "x")})]


def test_translations_and_near_words_have_one_column() -> None:
    both = {"a": translated([("s", "r", "w")]), "b": translated([("s", "r", "v")])}
    (written,) = side_by_side(form("quality"), both)
    assert written.written == {"a": ("w",), "b": ("v",)} and (written.word, written.reference) == ("", "r")
    (word,) = side_by_side(form("neighbours"), {"a": near(dog=[("cat", 0.51234), ("pig", 1.0)])})
    assert word.written == {"a": ("cat 0.512, pig 1",)} and not word.moved


def test_every_form_has_a_title_columns_and_a_sentence_that_knows_the_settings() -> None:
    for name in ("continuation", "side_by_side", "quality", "neighbours"):
        own = form(name)
        assert own.title and own.heading and own.columns and own.says({}).endswith(".")
    for name in ("continuation", "side_by_side"):
        assert "moved by 2.5 up" in form(name).says({"radius": 2.5}) and "some length" in form(name).says({})
