"""What a language model goes on with behind a moved word, and the perplexity of that."""

import math

import numpy as np
import pytest
from language_ground import continued
from trial_ground import by_part, in_order, ran, writer

from sequences import sentences, writing_language_model
from unfooled.errors import BadInput
from unfooled.scores.intervals import proportion
from unfooled.trials.continuation import (
    CONTINUATION,
    ContinuationRecord,
    ContinuationSettings,
    continued_perplexity,
)
from unfooled.trials.inputs import Inputs
from unfooled.trials.trial import Question

VICTIM = writer(writing_language_model(8), "lm")
FAR = ContinuationSettings(radius=50.0)
TEXTS = ["1 1", *sentences(7, seed=2)]


def test_a_resumed_run_makes_the_records_of_an_unbroken_one() -> None:
    whole = list(ran(CONTINUATION, VICTIM, TEXTS, FAR))
    assert [one.index for one in whole] == list(range(8)) and whole[0] == ContinuationRecord(0, "1 1")
    for done in (range(3), {0, 4, 7}):
        rest = in_order(CONTINUATION, VICTIM, TEXTS, FAR, done=done)
        assert rest == [one for one in whole if one.index not in done]
    assert any(one.clean != one.perturbed for one in whole)
    still = list(ran(CONTINUATION, VICTIM, TEXTS, ContinuationSettings(radius=0.0)))
    assert all(one.clean == one.perturbed for one in still) and [one.clean for one in still] == [
        one.clean for one in whole
    ]


def test_the_perplexity_of_continuations_is_over_all_their_words() -> None:
    some = [ContinuationRecord(0, "", losses=(1.0, 3.0)), ContinuationRecord(1, "", losses=(2.0,))]
    for records in (some, [*some, ContinuationRecord(2, "nothing was written")]):
        score = continued_perplexity(records)
        assert score.value == pytest.approx(math.exp(2.0)) and score.n == 3
        half = 1.96 * math.sqrt(2 * np.var([4.0, 2.0], ddof=1)) / 3
        assert score.high == pytest.approx(math.exp(2.0 + half))
    with pytest.raises(BadInput, match="no text has a complete word"):
        continued_perplexity([])


def test_the_share_that_changes_is_counted_over_all_texts_with_a_word() -> None:
    texts = [("s", "s", "x", "y"), ("t", "t", "x", "x"), ("s", "s", "x", "y")]  # one of them twice
    records = [*continued(texts), ContinuationRecord(3, "bare")]
    rows = by_part(CONTINUATION.scores(records))
    score, wanted = rows["changed", None].score, proportion(2, 3, "")
    assert (score.value, score.low, score.high, score.n) == (2 / 3, wanted.low, wanted.high, 3)
    assert "continuations" in score.definition and score.better == "less"
    assert rows["continued_perplexity", None].score == continued_perplexity(records).called(
        "perplexity of what is written", "", "less"
    )
    assert CONTINUATION.questions(records) == {Question("changed"): {0: False, 1: True, 2: False}}


def test_the_first_texts_that_are_not_blank_are_gone_on_with() -> None:
    inputs = Inputs([("",), ("a b",), (" ",), ("c d",), ("e f",)], [], {}, task="lm")
    assert CONTINUATION.units(inputs, ContinuationSettings(most=2), 0) == ["a b", "c d"]


def test_texts_that_cannot_be_gone_on_with_are_said_before_anything_is_written() -> None:
    assert CONTINUATION.unable(VICTIM, ["x 1 x", "the old man"]) is None
    assert CONTINUATION.unable(VICTIM, ["the old", "qqq zzz"]) == (
        f"every word of 'qqq zzz' is unknown to {VICTIM.name}; give a text in its words"
    )
    for bare in (["x 1 x"], ["x dog", "1 home"], [""]):  # a word that ends a text has nothing behind it
        assert "no text has a complete word to perturb before its end" in (CONTINUATION.unable(VICTIM, bare) or "")
