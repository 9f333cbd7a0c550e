"""Windows cover every token, labels point at the answer, and the best span is the best of all legal ones."""

import itertools
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from tiny import OTHER, save_encoder
from transformers import AutoTokenizer

from unfooled.errors import BadInput
from unfooled.heads import HEADS
from unfooled.models import ModelSettings, build
from unfooled.models.encoders.spans import (
    LONGEST_ANSWER,
    answers,
    best_span,
    best_spans,
    picked,
    positions_of,
    tokens_of,
    windows,
)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return AutoTokenizer.from_pretrained(save_encoder(tmp_path_factory.mktemp("spans") / "encoder"))


def context(seed: int, count: int) -> str:
    random = Random(seed)
    return " ".join(random.choice(OTHER) for _ in range(count))


@pytest.mark.parametrize("count", [1, 5, 24, 25, 60, 200])
def test_every_token_of_a_context_is_in_a_window_and_windows_overlap(tokenizer: Any, count: int) -> None:
    text = context(count, count)
    found = windows(tokenizer, [("the film ?", text)], 32)
    seen: list[set[int]] = []
    for window in range(len(found.owner)):
        places = found.of(window)
        seen.append({int(begin) for begin, _ in places if begin >= 0})
        for number, (begin, end) in zip(found.encoded.ids[found.encoded.offsets[window] :], places, strict=False):
            if begin >= 0:
                assert tokenizer.convert_ids_to_tokens(int(number)) == text[begin:end]
    starts = set(itertools.accumulate((len(word) + 1 for word in text.split()), initial=0)) - {len(text) + 1}
    assert set.union(*seen) == starts
    assert all(len(one & two) == 32 // 3 for one, two in itertools.pairwise(seen))
    assert found.encoded.lengths.max() <= 32


def test_windows_of_many_questions_know_whose_they_are(tokenizer: Any) -> None:
    texts = [("a ?", context(n, 10 * (n + 1))) for n in range(7)]
    found = windows(tokenizer, texts, 32, chunk=3)
    assert sorted(set(found.owner.tolist())) == list(range(7))
    alone = [windows(tokenizer, [pair], 32) for pair in texts]
    assert np.array_equal(found.encoded.ids, np.concatenate([one.encoded.ids for one in alone]))
    assert np.array_equal(found.places, np.concatenate([one.places for one in alone]))


def test_a_question_leaves_room_for_the_context(tokenizer: Any) -> None:
    found = windows(tokenizer, [(context(1, 300), context(2, 20))], 32)
    assert all((found.of(window)[:, 0] >= 0).sum() > 10 for window in range(len(found.owner)))
    with pytest.raises(BadInput, match="16 tokens are too few for a question and its context"):
        windows(tokenizer, [("a ?", "the film")], 16)


def test_labels_stand_where_the_answer_stands(tokenizer: Any) -> None:
    random = Random(0)
    for seed in range(20):
        text = context(seed, 60)
        words = text.split()
        first = random.randrange(60)
        answer = " ".join(words[first : first + random.randint(1, 3)])
        start = len(" ".join([*words[:first], ""]))
        found = windows(tokenizer, [("a ?", text)], 32)
        labels = positions_of(found, [(start, answer)]).tolist()
        held = 0
        for window, (begin, end) in enumerate(labels):
            places = found.of(window)
            if (begin, end) == (0, 0):
                whole = set(range(start, start + len(answer)))
                covered = {at for a, b in places if a >= 0 for at in range(a, b)} | {
                    at for at in whole if text[at] == " "
                }
                assert not whole <= covered, "the window holds the answer"
            else:
                assert text[places[begin][0] : places[end][1]] == answer
                held += 1
        assert held >= 1


def test_an_answer_in_the_middle_of_a_word_takes_the_whole_word() -> None:
    places = np.array([[-1, -1], [0, 3], [4, 9], [10, 12]])
    assert tokens_of(places, 5, 7) == (2, 2) and tokens_of(places, 2, 11) == (1, 3)
    assert tokens_of(places, 10, 13) == (0, 0)  # it goes on behind the window
    assert tokens_of(np.full((3, 2), -1), 0, 1) == (0, 0)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_span_is_the_best_of_all_legal_ones(seed: int) -> None:
    random = np.random.default_rng(seed)
    tokens = 50
    logits = random.normal(size=(tokens, 2))
    places = np.stack([np.arange(tokens) * 2, np.arange(tokens) * 2 + 1], axis=1)
    places[:7] = -1
    best, where = -np.inf, (0, 0)
    for begin in range(7, tokens):
        for end in range(begin, min(begin + LONGEST_ANSWER, tokens)):
            if logits[begin, 0] + logits[end, 1] > best:
                best, where = logits[begin, 0] + logits[end, 1], (begin, end)
    score, first, last = best_span(logits, places)
    assert score == pytest.approx(best) and (first, last) == (2 * where[0], 2 * where[1] + 1)


def test_an_end_before_the_begin_or_a_question_token_never_wins() -> None:
    logits = np.array([[9.0, 9.0], [0.0, 5.0], [5.0, 0.0], [1.0, 1.0]])
    places = np.array([[-1, -1], [0, 1], [2, 3], [4, 5]])
    assert best_span(logits, places) == (6.0, 2, 5)


def test_the_best_window_answers(tokenizer: Any) -> None:
    text = context(3, 60)
    found = windows(tokenizer, [("a ?", text), ("a ?", "the film")], 32)
    spans = torch.zeros(len(found.owner), 3, dtype=torch.float64)
    spans[1] = torch.tensor([2.0, 4, 9])
    spans[-1] = torch.tensor([-5.0, 0, 3])
    assert picked(found, spans, [("a ?", text), ("a ?", "the film")]) == [text[4:9], "the"]


def test_answers_do_not_depend_on_the_batch(tmp_path: Path) -> None:
    model = build(ModelSettings(name=str(save_encoder(tmp_path / "encoder"))), ("start", "end"), 0, HEADS["span"])
    texts = [("a ?", context(n, 5 + 9 * n)) for n in range(6)]
    together = answers(model, texts)
    assert together == [answers(model, [pair])[0] for pair in texts] == answers(model, texts, batch_size=2)
    assert all(answer and answer in text for answer, (_, text) in zip(together, texts, strict=True))


def test_padding_is_cut_off_before_spans_are_sought(tokenizer: Any) -> None:
    found = windows(tokenizer, [("a ?", "the film"), ("a ?", context(1, 20))], 32)
    logits = torch.zeros(2, int(found.encoded.lengths.max()), 2)
    logits[0, -1] = 100.0
    assert best_spans(found, logits, [0, 1])[0, 0] == 0.0
