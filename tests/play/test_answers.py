from pathlib import Path

import numpy as np
import pytest
from play_ground import SENTENCE

from unfooled.play.answers import MOST_WORDS, answer, ask, heat, notes, rows_of, said, told
from unfooled.play.line import Errand, Halted
from unfooled.play.players import Player, open_players


def errand() -> Errand:
    return Errand(lambda own: None, lambda name, data: None)


def test_classes_sets_and_numbers_are_told_as_the_model_says_them(models: Path, plain: Player) -> None:
    number, sets = open_players([str(models / "number"), str(models / "sets")], print)
    row = rows_of(sets, [(SENTENCE,)])[0]
    assert told(sets, row)["said"] == [place for place, value in enumerate(row) if value >= 0.5]
    assert told(number, np.array([2.5])) == {"value": 2.5}
    own = plain.victim.answer([(SENTENCE,)])[0]
    assert answer([plain], (SENTENCE,)) == [{"shares": [round(value, 4) for value in own.tolist()], "said": [1]}]
    assert said(number, np.array([2.5])) == ()


def test_heat_is_what_the_answer_loses_without_each_word(plain: Player) -> None:
    text = "the film was good"
    shades = heat([plain], (text,), errand())
    assert shades["columns"] == [[["", "the"], [" ", "film"], [" ", "was"], [" ", "good"], ["", ""]]]
    left = ["film was good", "the was good", "the film good", "the film was"]
    rows = plain.victim.answer([(one,) for one in (text, *left)])[:, 1]
    assert shades["models"][0] == pytest.approx((rows[0] - rows[1:]).tolist(), abs=1e-3)
    assert int(np.argmax(shades["models"][0])) == 3


def test_of_a_pair_every_word_of_both_texts_is_left_out(plain: Player) -> None:
    shades = heat([plain], ("a film", "good"), errand())
    assert [len(own) for own in shades["columns"]] == [3, 2] and len(shades["models"][0]) == 3


def test_long_texts_are_not_shaded_and_nobody_waits_for_what_is_halted(plain: Player) -> None:
    assert "note" in heat([plain], ("good " * (MOST_WORDS + 1),), errand())
    halted = errand()
    halted.halted.set()
    with pytest.raises(Halted):
        heat([plain], ("good",), halted)


def test_another_language_and_a_text_that_is_cut_are_said(plain: Player) -> None:
    assert notes([plain], ("the film was good",)) == []
    assert ask([plain], ("Der Film war langweilig und öde",))["notes"] == [
        "This does not look like English: models answer, but attacks and changes know English words alone."
    ]
    assert notes([plain], ("the film was good " * 10,)) == ["plain reads 32 tokens; the rest of this text is cut off."]
