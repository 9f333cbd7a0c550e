"""Perplexity by line is that over segments, and a line is the sum of its pieces."""

import math
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from language_ground import perplexities
from pydantic import ValidationError
from trial_ground import ran, run_of, writer

from sequences import sentences, writing_language_model
from unfooled.data.batches.segments import Segments
from unfooled.data.vocabulary import marked
from unfooled.errors import BadInput
from unfooled.models.sequences.surprise import surprise
from unfooled.scores.perplexity import Surprise, count_words
from unfooled.trials import perplexity
from unfooled.trials.inputs import Inputs
from unfooled.trials.inside.word_moves import word_mover
from unfooled.trials.perplexity import PERPLEXITY, LinePiece, PerplexityRecord, PerplexitySettings
from unfooled.trials.trial import Question

MODEL = writing_language_model(8)
VICTIM = writer(MODEL, "lm")
# Lines of a few words, one longer than a batch of segments, blank ones at both ends and between.
LINES = ["", *sentences(14, seed=5), "", " ".join(sentences(30, seed=6)), *sentences(6, seed=7), "", ""]
RADII = PerplexitySettings(radii=(0.5, 3.0))


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perplexity, "BATCH", 4)


@pytest.fixture(scope="module")
def whole() -> Iterator[list[PerplexityRecord]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(perplexity, "BATCH", 4)
        yield list(ran(PERPLEXITY, VICTIM, LINES, RADII))


def segments() -> Segments:
    return Segments(marked(MODEL.tokenizer, LINES, MODEL.closing), MODEL.max_length, MODEL.ending, 4, seed=0)


def test_the_numbers_are_those_over_segments(whole: list[PerplexityRecord]) -> None:
    rows = PERPLEXITY.scores(whole)
    assert [(row.metric, row.eps) for row in rows] == [
        ("perplexity", None),
        ("perplexity_under_attack", 0.5),
        ("perplexity_under_attack", 3.0),
    ]
    for row in rows:
        moved = word_mover(MODEL.model, row.eps) if row.eps else None
        totals = Surprise(*surprise(MODEL.model, segments().in_order(), torch.device("cpu"), moved=moved))
        expected = totals.perplexity(count_words(LINES), row.score.definition)
        for part in ("value", "low", "high"):
            assert getattr(row.score, part) == pytest.approx(getattr(expected, part), rel=1e-9)
        assert (row.score.n, row.score.title, row.score.unit, row.score.better) == (
            *(count_words(LINES), "perplexity", ""),
            "less",
        )
        assert row.score.low < row.score.value < row.score.high
    assert rows[1].score.value > rows[0].score.value
    assert "moved by 3" in rows[2].score.definition and "moved" not in rows[0].score.definition


def test_a_line_is_the_sum_of_its_tokens_each_given_those_before_it_in_its_segment(
    whole: list[PerplexityRecord],
) -> None:
    text = marked(MODEL.tokenizer, LINES, MODEL.closing)
    ids = [MODEL.ending, *text.ids.tolist()]
    network = MODEL.model.network.train(False)
    losses = []
    for place in range(len(text.ids)):
        start = place - place % 8
        with torch.no_grad():
            logits = network(input_ids=torch.tensor([ids[start : place + 1]])).logits[0, -1]
        losses.append(-float(logits.log_softmax(0)[ids[place + 1]]))
    for index, record in enumerate(whole):
        own = range(int(text.offsets[index]), int(text.offsets[index + 1]))
        assert record.index == index and record.words == len(LINES[index].split()) + 1
        assert record.loss(0) == pytest.approx(sum(losses[place] for place in own), rel=1e-5)
        assert [piece.segment for piece in record.pieces] == sorted({place // 8 for place in own})
        assert sum(piece.tokens for piece in record.pieces) == len(own)
        assert record.radii == (0.0, 0.5, 3.0) and all(len(piece.losses) == 3 for piece in record.pieces)


def test_lines_are_given_as_they_are_read(whole: list[PerplexityRecord]) -> None:
    passes: list[int] = []
    watch = MODEL.model.register_forward_hook(lambda *_: passes.append(1))
    try:
        assert next(ran(PERPLEXITY, VICTIM, LINES, PerplexitySettings(radii=()))).index == 0
        assert len(passes) == 1 < segments().batches_per_epoch
    finally:
        watch.remove()


@pytest.mark.parametrize("broken", [1, 5, 15, 17, len(LINES) - 1])
def test_a_resumed_run_makes_the_records_of_an_unbroken_one(whole: list[PerplexityRecord], broken: int) -> None:
    assert list(ran(PERPLEXITY, VICTIM, LINES, RADII, done=range(broken))) == whole[broken:]


def test_only_batches_with_lines_that_are_not_done_are_read(whole: list[PerplexityRecord]) -> None:
    passes: list[int] = []
    watch = MODEL.model.register_forward_hook(lambda *_: passes.append(1))
    try:
        done = set(range(len(LINES))) - {3, 20}
        found = list(ran(PERPLEXITY, VICTIM, LINES, PerplexitySettings(radii=()), done=done))
        assert [one.index for one in found] == [3, 20] and len(passes) == 2
        assert [one.loss(0) for one in found] == [whole[3].loss(0), whole[20].loss(0)]
    finally:
        watch.remove()


def test_parts_read_the_batches_of_the_whole_and_again_only_where_lines_straddle(
    whole: list[PerplexityRecord],
) -> None:
    groups, every = PERPLEXITY.together(run_of(VICTIM, LINES, RADII)), set(range(len(LINES)))
    assert [line for group in groups for line in group] == sorted(every)
    batches = len(list(segments().in_order()))
    passes: list[int] = []
    watch = MODEL.model.register_forward_hook(lambda *_: passes.append(1))
    try:
        for part in (0, 1):
            own = {line for group in groups[part::2] for line in group}
            found = list(ran(PERPLEXITY, VICTIM, LINES, PerplexitySettings(radii=()), done=every - own))
            assert {one.index: one.loss(0) for one in found} == {line: whole[line].loss(0) for line in own}
    finally:
        watch.remove()
    straddling = sum(len({piece.segment // 4 for piece in one.pieces}) - 1 for one in whole)
    assert batches <= len(passes) <= batches + straddling < 2 * batches


def test_dropout_is_off_and_the_model_left_as_it_was(whole: list[PerplexityRecord]) -> None:
    MODEL.model.train()
    try:
        assert list(ran(PERPLEXITY, VICTIM, LINES, RADII, done=range(20))) == whole[20:]
        assert MODEL.model.training and all(one.grad is None for one in MODEL.model.parameters())
    finally:
        MODEL.model.train(False)


def test_texts_without_known_words_are_refused_before_anything_is_measured() -> None:
    with pytest.raises(BadInput, match="no text has a complete word of two letters that"):
        next(ran(PERPLEXITY, VICTIM, ["qqq zzz", "x 1"], RADII))


def test_every_line_is_a_unit_and_radii_may_be_written_by_commas() -> None:
    inputs = Inputs([(line,) for line in LINES], [], {}, task="lm")
    assert PERPLEXITY.units(inputs, PerplexitySettings(), 0) == LINES
    assert PerplexitySettings(radii="0.5, 2").radii == (0.5, 2.0) == PerplexitySettings(radii=(0.5, 2)).radii
    assert PerplexitySettings(radii=3).radii == (3.0,)
    with pytest.raises(ValidationError):
        PerplexitySettings(radii="far")


def test_lines_answer_with_their_log_probability_and_those_of_one_segment_are_a_family() -> None:
    pieces = (LinePiece(2, 3, (4.0, 6.0)), LinePiece(3, 1, (1.0, 3.0)))
    records = [PerplexityRecord(0, 5, (0.0, 0.5), pieces), PerplexityRecord(1, 1, (0.0, 0.5), ())]
    assert PERPLEXITY.questions(records) == {
        Question("perplexity"): {0: -1.0, 1: 0.0},
        Question("perplexity_under_attack", 0.5): {0: -9 / 5, 1: 0.0},
    }
    assert {question.unit for question in PERPLEXITY.questions(records)} == {"nats"}
    assert PERPLEXITY.families(records) == {0: "2"}


def test_the_curve_is_perplexity_over_how_far_a_word_is_moved() -> None:
    records = perplexities(10.0, {0.5: 12.0, 1.0: 15.0})
    assert PERPLEXITY.curve is not None
    points = PERPLEXITY.curve.points(records)
    assert [(at, answers) for at, _, answers in points] == [(0.0, {}), (0.5, {}), (1.0, {})]
    assert [math.log(score.value) for _, score, _ in points] == pytest.approx(np.log([10.0, 12.0, 15.0]).tolist())
    assert PERPLEXITY.scores([]) == [] == PERPLEXITY.curve.points([]) and PERPLEXITY.questions([]) == {}
