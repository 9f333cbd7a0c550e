"""Translations of texts as they are, scored by sacrebleu."""

import pytest
import sacrebleu
from language_ground import translated
from trial_ground import in_order, ran, writer

from sequences import sentences, writing_translator
from unfooled.models.sequences import translate as translating
from unfooled.models.sequences.translate import BeamSearch, translate
from unfooled.scores.bleu import bleu_and_chrf
from unfooled.trials.inputs import Inputs
from unfooled.trials.quality import QUALITY, QualityRecord, QualitySettings
from unfooled.trials.trial import Question

MODEL = writing_translator(24, 0.3)
VICTIM = writer(MODEL, "translation")
SOURCES = [" ".join(text.split()[:4]) for text in sentences(9, seed=1)]
PAIRS = [(source, " ".join(reversed(source.split()))) for source in SOURCES]
GREEDY = QualitySettings(beams=1)


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    batches = translating.batches
    monkeypatch.setattr(
        translating,
        "batches",
        lambda model, texts, search, done=(): batches(model, texts, BeamSearch(beams=search.beams, batch_size=4), done),
    )


def test_records_are_the_translations_of_the_sources() -> None:
    for beams in (1, 2):
        found = in_order(QUALITY, VICTIM, PAIRS, QualitySettings(beams=beams))
        written = translate(MODEL, SOURCES, BeamSearch(beams=beams))
        assert found == [QualityRecord(row, *pair, written[row]) for row, pair in enumerate(PAIRS)]


def test_a_resumed_run_makes_the_records_of_an_unbroken_one(small_batches: None) -> None:
    made = list(ran(QUALITY, VICTIM, PAIRS, GREEDY))
    for broken in (1, 4, 6, 8):
        done = {one.index for one in made[:broken]}
        assert list(ran(QUALITY, VICTIM, PAIRS, GREEDY, done=done)) == made[broken:]


def test_batches_that_are_done_are_not_translated_again(small_batches: None) -> None:
    made, passes = list(ran(QUALITY, VICTIM, PAIRS, GREEDY)), list[int]()
    encoder = MODEL.model.network.get_encoder()
    watch = encoder.register_forward_hook(lambda *_: passes.append(1))
    try:
        next(ran(QUALITY, VICTIM, PAIRS, GREEDY))
        assert len(passes) == 1
        passes.clear()
        list(ran(QUALITY, VICTIM, PAIRS, GREEDY, done={one.index for one in made[:5]}))
        assert len(passes) == 2  # of three batches
    finally:
        watch.remove()


def test_scores_are_bleu_and_chrf_of_all_texts() -> None:
    records = translated(
        [("s", "the cat sat on a mat", "the cat sat on the mat"), ("t", "a dog ran", "a dog ran home")]
    )
    sides = [one.written for one in records], [one.reference for one in records]
    expected, _ = bleu_and_chrf(*sides, "given")
    rows = {row.metric: row.score for row in QUALITY.scores(records)}
    assert rows == {"BLEU": expected["given BLEU"], "chrF": expected["given chrF"]}
    assert rows["BLEU"].value == pytest.approx(sacrebleu.corpus_bleu(sides[0], [sides[1]]).score)
    assert all(score.title == name and score.better == "more" for name, score in rows.items())
    assert QUALITY.scores([]) == []


def test_each_translation_answers_with_its_own_chrf() -> None:
    records = translated([("s", "the cat sat", "the cat sat"), ("t", "a dog ran", "a dog")])
    (answers,) = QUALITY.questions(records).values()
    assert set(QUALITY.questions(records)) == {Question("chrF")}
    assert answers == pytest.approx({0: 100.0, 1: sacrebleu.sentence_chrf("a dog", ["a dog ran"]).score})


def test_every_pair_is_translated() -> None:
    assert QUALITY.units(Inputs(PAIRS, [], {}, task="translation"), QualitySettings(), 0) == PAIRS
