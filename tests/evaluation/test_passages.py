"""Texts stand with what every model wrote, their words where they are, and shares are counted text by text."""

import pytest
from language_ground import continued, near, perplexities, sides, translated

from unfooled.errors import BadInput
from unfooled.evaluation.language_results import Found
from unfooled.evaluation.metrics import proportion
from unfooled.evaluation.passages import Passage, changed, passages

ONE = continued("a", [("no no", "no", "dog", "cat"), ("the man", "man", "ran", "ran")])
TWO = continued("b", [("the man", "man", "sat", "fell"), ("a bird", "bird", "x", "x")])


def test_a_text_of_two_models_stands_once_with_both() -> None:
    found = passages([ONE, TWO, perplexities("a", 1.0, [])], "continuation")
    assert [(one.text, one.written) for one in found] == [
        ("no no", {"a": ("dog", "cat")}),
        ("the man", {"a": ("ran", "ran"), "b": ("sat", "fell")}),
        ("a bird", {"b": ("x", "x")}),
    ]
    assert [one.moved for one in found] == [True, True, False]
    assert passages([ONE], "perplexity") == []


def test_the_moved_word_is_the_last_of_a_beginning_and_the_first_of_a_source() -> None:
    assert passages([ONE], "continuation")[0].cut == ("no ", "no", "")
    found = passages([sides("a", [("no more, no", "no", "nein", "x", "y")])], "side_by_side")
    assert found[0].cut == ("", "no", " more, no") and found[0].reference == "nein"
    assert Passage("text", "gone", "", {}, -1).cut == ("text", "", "") == Passage("text", "", "", {}, 0).cut


def test_translations_and_near_words_have_one_column() -> None:
    (written,) = passages([translated("a", [("s", "r", "w")]), translated("b", [("s", "r", "v")])], "quality")
    assert written.written == {"a": ("w",), "b": ("v",)} and (written.word, written.reference) == ("", "r")
    (word,) = passages([near("a", dog=[("cat", 0.51234), ("pig", 1.0)])], "neighbours")
    assert word.written == {"a": ("cat 0.512, pig 1",)} and not word.moved


def test_translations_go_by_the_name_the_trial_has_now() -> None:
    own = sides("runs/a/model", [("s", "s", "r", "x", "y")])
    (found,) = passages([Found("a", own.trial, own.scores, own.texts)], "side_by_side")
    assert found.written == {"a": ("x", "y")}
    two = {**own.texts[0], "clean": {"p": "1", "q": "2"}, "perturbed": {"p": "3", "q": "4"}}
    (both,) = passages([Found("a", own.trial, {}, (two,))], "side_by_side")
    assert both.written == {"p": ("1", "3"), "q": ("2", "4")}


def test_the_share_that_changes_is_counted_over_all_texts() -> None:
    texts = [("s", "s", "r", "x", "y"), ("t", "t", "r", "x", "x"), ("s", "s", "r", "x", "y")]  # one of them twice
    score = changed(sides("a", texts))
    wanted = proportion(2, 3, "")
    assert score is not None and (score.value, score.low, score.high, score.n) == (2 / 3, wanted.low, wanted.high, 3)
    assert "translations" in score.definition
    assert changed(perplexities("a", 1.0, [])) is None and changed(translated("a", [("s", "r", "w")])) is None


def test_damaged_texts_are_one_sentence() -> None:
    with pytest.raises(BadInput, match="a text of a, quality is damaged"):
        passages([Found("a", "quality", {}, ({"source": 3},))], "quality")
