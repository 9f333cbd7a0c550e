"""Answers as spans of a context: long contexts in overlapping windows, and the best legal span of them all."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.models.encoders import predict
from unfooled.models.encoders.predict import Sharing
from unfooled.models.encoders.pretrained import TextModel
from unfooled.tokens import Encoded
from unfooled.types import Texts

LONGEST_ANSWER = 30  # tokens
OVERLAP = 3  # windows share a third of their length
NOWHERE = (0, 0)  # the first token, where a window does not hold the answer


@dataclass(frozen=True)
class Windows:
    """Questions, each with a piece of its context, as tokens; the pieces of one context overlap.

    ``owner`` [W] is the question of each window; ``places`` [tokens, 2] the characters of the context that each token
    of ``encoded.ids`` stands for, -1 for tokens that are not of the context.
    """

    encoded: Encoded
    owner: np.ndarray
    places: np.ndarray

    def of(self, window: int) -> np.ndarray:
        """The places of a window's tokens [T, 2]."""
        return self.places[self.encoded.offsets[window] : self.encoded.offsets[window + 1]]


def windows(tokenizer: Any, texts: Sequence[Texts], max_length: int, chunk: int = 2000) -> Windows:
    """(question, context) pairs as windows of at most ``max_length`` tokens, which share a third of them.

    A question longer than half a window is cut there, so that there is room for the context.
    """
    overlap, special = max_length // OVERLAP, tokenizer.num_special_tokens_to_add(pair=True)
    if not tokenizer.is_fast:
        raise BadInput("answers are found by the places of tokens, which this tokenizer does not tell; use a fast one")
    if max_length - max_length // 2 - special <= overlap:
        raise BadInput(f"{max_length} tokens are too few for a question and its context; raise model.max_length")
    ids, segments, places = [], [], []
    lengths: list[int] = []
    owner: list[int] = []
    for start in range(0, len(texts), chunk):
        questions, contexts = zip(*texts[start : start + chunk], strict=True)
        out = tokenizer(
            shortened(tokenizer, questions, max_length // 2), list(contexts), truncation="only_second",
            max_length=max_length, stride=overlap, return_overflowing_tokens=True, return_offsets_mapping=True,
            verbose=False,
        )  # fmt: skip
        owner += [start + number for number in out["overflow_to_sample_mapping"]]
        for window, row in enumerate(out["input_ids"]):
            ids.append(np.asarray(row, dtype=np.int32))
            inside = np.asarray([kind == 1 for kind in out.sequence_ids(window)])
            places.append(np.where(inside[:, None], np.asarray(out["offset_mapping"][window]), -1))
            lengths.append(len(row))
        segments += [np.asarray(row, dtype=np.int8) for row in out.get("token_type_ids", ())]
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
    flat = np.concatenate(segments) if segments else None
    encoded = Encoded(np.concatenate(ids), flat, offsets, tokenizer.pad_token_id or 0)
    return Windows(encoded, np.asarray(owner), np.concatenate(places))


def shortened(tokenizer: Any, questions: Sequence[str], most: int) -> list[str]:
    """Questions of at most so many tokens."""
    out = tokenizer(list(questions), add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    spans = out["offset_mapping"]
    return [
        question[: span[most - 1][1]] if len(span) > most else question
        for question, span in zip(questions, spans, strict=True)
    ]


def positions_of(windows: Windows, answers: Sequence[tuple[int, str]]) -> Tensor:
    """The first and the last token of the answer in each window [W, 2]; the first token twice where it is not there.

    ``answers`` are, by question, where the answer begins in the context, and what it is.
    """
    labels = []
    for window, question in enumerate(windows.owner):
        start, text = answers[question]
        begin = start + len(text) - len(text.lstrip())
        labels.append(tokens_of(windows.of(window), begin, start + len(text.rstrip())))
    return torch.tensor(labels)


def tokens_of(places: np.ndarray, begin: int, end: int) -> tuple[int, int]:
    """The tokens that hold the characters from ``begin`` to ``end``, if the window holds all of them."""
    inside = np.flatnonzero(places[:, 0] >= 0)
    if not len(inside) or begin < places[inside[0], 0] or end > places[inside[-1], 1]:
        return NOWHERE
    hit = inside[(places[inside, 0] < end) & (places[inside, 1] > begin)]
    return (int(hit[0]), int(hit[-1])) if len(hit) else NOWHERE


def best_span(logits: np.ndarray, places: np.ndarray) -> tuple[float, int, int]:
    """The highest sum of a begin and an end logit over legal spans, and the characters of that span.

    Legal is: inside the context, the end not before the begin, at most 30 tokens.
    """
    inside = np.flatnonzero(places[:, 0] >= 0)
    if not len(inside):
        return -np.inf, 0, 0
    sums = logits[inside, 0][:, None] + logits[inside, 1][None, :]
    distance = np.arange(len(inside))[None, :] - np.arange(len(inside))[:, None]
    sums = np.where((distance >= 0) & (distance < LONGEST_ANSWER), sums, -np.inf)
    begin, end = np.unravel_index(int(sums.argmax()), sums.shape)
    return float(sums[begin, end]), int(places[inside[begin], 0]), int(places[inside[end], 1])


def best_spans(windows: Windows, logits: Tensor, rows: Sequence[int]) -> Tensor:
    """Score, first and last character [B, 3] of the best span of each of these windows, from logits [B, T, 2]."""
    plain = logits.double().numpy()
    spans = [best_span(plain[turn, : len(windows.of(row))], windows.of(row)) for turn, row in enumerate(rows)]
    return torch.tensor(spans, dtype=torch.float64)


def picked(windows: Windows, spans: Tensor, texts: Sequence[Texts]) -> list[str]:
    """The answer to each question: its best span over all windows [W, 3] of its context; the first of equal ones."""
    best: dict[int, tuple[float, int, int]] = {}
    for owner, (score, begin, end) in zip(windows.owner.tolist(), spans.tolist(), strict=True):
        if owner not in best or score > best[owner][0]:
            best[owner] = (score, int(begin), int(end))
    return [context[best[number][1] : best[number][2]] for number, (_, context) in enumerate(texts)]


def answers(
    model: TextModel,
    texts: Sequence[Texts],
    batch_size: int = 32,
    sharing: Sharing | None = None,
    cut: Windows | None = None,
) -> list[str]:
    """What a span finder answers to (question, context) pairs, perhaps ``cut`` into windows already."""
    cuts = windows(model.tokenizer, texts, model.max_length) if cut is None else cut
    spans = predict.answers(model, cuts.encoded, batch_size, sharing, partial(best_spans, cuts), width=3)
    return picked(cuts, spans, texts)
