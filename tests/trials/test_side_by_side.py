"""Translations with one word of the source moved."""

import pytest
from language_ground import sides
from trial_ground import ran, writer

from sequences import sentences, writing_translator
from unfooled.errors import BadInput
from unfooled.models.sequences.translate import BeamSearch, translate
from unfooled.scores.intervals import proportion
from unfooled.trials.inputs import Inputs
from unfooled.trials.inside.word_moves import translated_both
from unfooled.trials.side_by_side import SIDE_BY_SIDE, MarkedSource, SideBySideRecord, SideBySideSettings
from unfooled.trials.trial import Question

MODEL = writing_translator(24, 0.3)
VICTIM = writer(MODEL, "translation")
SOURCES = [f"the {text.split()[0]} sang" for text in sentences(4, seed=1)]
INPUTS = Inputs([(source, "the bird sang") for source in SOURCES], [], {}, task="translation")
SETTINGS = SideBySideSettings(radius=30.0, beams=1)


@pytest.fixture(scope="module")
def whole() -> list[SideBySideRecord]:
    return list(ran(SIDE_BY_SIDE, VICTIM, SIDE_BY_SIDE.units(INPUTS, SETTINGS, 0), SETTINGS))


def test_the_longest_complete_word_of_each_source_is_marked() -> None:
    texts = [("a b 1 22 c", "r"), ("the old man", "r"), ("10-year x bird it's", "s")]
    inputs = Inputs(texts, [], {}, task="translation")
    assert SIDE_BY_SIDE.units(inputs, SETTINGS, 0) == [
        MarkedSource("the old man", "the", "r"),  # the first of the longest
        MarkedSource("10-year x bird it's", "bird", "s"),
    ]
    assert SIDE_BY_SIDE.units(inputs, SideBySideSettings(most=2), 0) == [MarkedSource("the old man", "the", "r")]
    with pytest.raises(BadInput, match="no source has a complete word to perturb"):
        SIDE_BY_SIDE.units(inputs, SideBySideSettings(most=1), 0)


def test_records_are_the_translations_without_and_with_the_move(whole: list[SideBySideRecord]) -> None:
    assert [one.clean for one in whole] == translate(MODEL, SOURCES, BeamSearch(beams=1))
    assert [one.index for one in whole] == list(range(4)) and any(one.clean != one.perturbed for one in whole)
    for one in whole[:2]:
        assert [one.clean, one.perturbed] == translated_both(MODEL, one.source, one.reference, one.word, 30.0, 1)


def test_a_resumed_run_makes_the_records_of_an_unbroken_one(whole: list[SideBySideRecord]) -> None:
    units = SIDE_BY_SIDE.units(INPUTS, SETTINGS, 0)
    for done in (range(2), {0, 1, 3}):
        rest = list(ran(SIDE_BY_SIDE, VICTIM, units, SETTINGS, done=done))
        assert rest == [one for one in whole if one.index not in done]


def test_the_share_that_changes_is_counted_over_all_texts() -> None:
    texts = [("s", "s", "r", "x", "y"), ("t", "t", "r", "x", "x"), ("s", "s", "r", "x", "y")]  # one of them twice
    (row,) = SIDE_BY_SIDE.scores(sides(texts))
    wanted = proportion(2, 3, "")
    assert (row.score.value, row.score.low, row.score.high, row.score.n) == (2 / 3, wanted.low, wanted.high, 3)
    assert "translations" in row.score.definition and row.score.better == "less" and row.score.title
    assert SIDE_BY_SIDE.questions(sides(texts)) == {Question("changed"): {0: False, 1: True, 2: False}}
