"""BLEU and chrF are sacrebleu's, with its signatures."""

import numpy as np
import pytest
import sacrebleu

from unfooled.scores.bleu import RESAMPLES, bleu_and_chrf, sentence_chrf
from unfooled.seeds import digest

WRITTEN = ["the cat sat on the mat", "a dog ran home today", "x"]
REFERENCES = ["the cat sat on a mat", "a dog ran home", "y z"]


def test_scores_are_sacrebleus_with_their_signatures() -> None:
    scores, signatures = bleu_and_chrf(WRITTEN, REFERENCES, "test")
    assert scores["test BLEU"].value == pytest.approx(sacrebleu.corpus_bleu(WRITTEN, [REFERENCES]).score)
    assert scores["test chrF"].value == pytest.approx(sacrebleu.corpus_chrf(WRITTEN, [REFERENCES]).score)
    assert "tok:13a" in signatures["BLEU"] and "case:mixed" in signatures["BLEU"]
    assert signatures["BLEU"] in scores["test BLEU"].definition and scores["test BLEU"].n == 3
    assert scores["test BLEU"].low < scores["test BLEU"].value < scores["test BLEU"].high
    assert [(score.title, score.unit, score.better) for score in scores.values()] == [
        ("BLEU", "", "more"),
        ("chrF", "", "more"),
    ]


def test_the_interval_is_that_of_texts_drawn_again() -> None:
    draws = np.random.default_rng(digest("bootstrap")).integers(0, 3, (RESAMPLES, 3))
    values = [
        sacrebleu.corpus_chrf([WRITTEN[row] for row in rows], [[REFERENCES[row] for row in rows]]).score
        for rows in draws
    ]
    score = bleu_and_chrf(WRITTEN, REFERENCES, "test")[0]["test chrF"]
    assert (score.low, score.high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_a_translation_by_itself_has_a_chrf() -> None:
    for written, reference in zip(WRITTEN, REFERENCES, strict=True):
        assert sentence_chrf(written, reference) == pytest.approx(sacrebleu.sentence_chrf(written, [reference]).score)
    assert sentence_chrf("well", "well") == 100.0
