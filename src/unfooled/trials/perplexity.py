"""How surprised a language model is by running text, as it is and with one word of each segment moved (ATCL, Table 2).

A record is of a line; the text is read in segments as the model takes it, so a record says which segments its tokens
stood in: intervals are over those, taken as independent.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from pydantic import field_validator

from unfooled.errors import BadInput
from unfooled.scores.perplexity import Surprise, count_words
from unfooled.scores.score import Score
from unfooled.settings import Settings
from unfooled.trials.inputs import Inputs
from unfooled.trials.trial import Answers, Curve, Question, Row, Trial, TrialRun

BATCH = 64  # segments; part of what is measured, since a moved word is drawn by its batch
DEFINITION = "exp of the mean of -log p over the words of the texts, one end of line each included"


class PerplexitySettings(Settings):
    """How far a word of each segment is moved, beside not at all."""

    radii: tuple[float, ...] = (0.03, 1.0, 3.0)

    @field_validator("radii", mode="before")
    @classmethod
    def listed(cls, value: Any) -> Any:
        """A list may be one number, or be written by commas."""
        if isinstance(value, int | float):
            return (value,)
        return tuple(part.strip() for part in value.split(",")) if isinstance(value, str) else value


@dataclass(frozen=True)
class LinePiece:
    """The tokens of a line that stand in one segment: how many, and the sum of their -log p at each radius."""

    segment: int
    tokens: int
    losses: tuple[float, ...]


@dataclass(frozen=True)
class PerplexityRecord:
    """A line: its words, the radii, of which the first is 0, and its pieces."""

    index: int
    words: int
    radii: tuple[float, ...]
    pieces: tuple[LinePiece, ...]

    def loss(self, place: int) -> float:
        """The sum of -log p over its tokens at one radius."""
        return sum(piece.losses[place] for piece in self.pieces)


def units(inputs: Inputs, settings: PerplexitySettings, seed: int) -> list[str]:
    """Every line, blank ones too: the whole text counts."""
    return [text for (text,) in inputs.texts]


def run(trial: TrialRun, done: Collection[int]) -> Iterator[PerplexityRecord]:
    """Each line once all its tokens were read; batches of which every line is done are not read again."""
    model, lines, text = trial.victim.model, list(trial.units), segmented(trial)
    if not text.text.words.any():
        raise BadInput(f"no text has a complete word of two letters that {model.name} knows; give other texts")
    radii, offsets = (0.0, *trial.settings.radii), text.text.offsets
    pieces: dict[int, list[LinePiece]] = defaultdict(list)
    following = 0  # the first line that was not given yet
    for batch in text.in_order():
        segments = batch.index.tolist()
        places = np.arange(segments[0] * text.length, min((segments[-1] + 1) * text.length, len(text.text.ids)))
        owners = np.searchsorted(offsets, places, side="right") - 1
        if any(line not in done for line in range(owners[0], owners[-1] + 1)):
            for line, piece in cut(batch, places // text.length, owners, losses_at(model, batch, radii)):
                pieces[line].append(piece)
        while following < len(lines) and offsets[following + 1] <= places[-1] + 1:
            if following not in done:
                yield PerplexityRecord(following, count_words([lines[following]]), radii, tuple(pieces[following]))
            pieces.pop(following, None)
            following += 1


def segmented(trial: TrialRun) -> Any:
    """All lines, one behind the other, cut into segments."""
    from unfooled.data.batches.segments import Segments
    from unfooled.data.vocabulary import marked

    model = trial.victim.model
    lines = marked(model.tokenizer, list(trial.units), model.closing)
    return Segments(lines, model.max_length, model.ending, BATCH, seed=0)


def together(trial: TrialRun) -> list[range]:
    """Lines by the batch of segments in which they end; of a line that began in an earlier one both are read."""
    text = segmented(trial)
    size, tokens = BATCH * text.length, len(text.text.ids)
    ends = np.searchsorted(text.text.offsets[1:], np.arange(size, tokens + size, size), side="right").tolist()
    bounds = [0, *ends[:-1], len(trial.units)]
    return [range(first, last) for first, last in pairwise(bounds) if last > first]


def losses_at(model: Any, batch: Any, radii: Sequence[float]) -> np.ndarray:
    """-log p of every token of a batch [radii, tokens], dropout off."""
    import torch

    from unfooled.models.encoders.classifier import still
    from unfooled.models.sequences.surprise import token_losses
    from unfooled.trials.inside.word_moves import word_mover
    from unfooled.types import NO_LABEL

    rows = []
    with still(model.model):
        for radius in radii:
            delta = word_mover(model.model, radius)(batch) if radius else None
            with torch.no_grad():
                losses = token_losses(model.model(batch.tokens, delta), batch.label).double()
            rows.append(losses[batch.label != NO_LABEL].numpy())
    return np.stack(rows)


def cut(batch: Any, segments: np.ndarray, owners: np.ndarray, losses: np.ndarray) -> Iterator[tuple[int, LinePiece]]:
    """The tokens of a batch by line and segment."""
    starts = np.flatnonzero(np.diff(owners, prepend=-1) | np.diff(segments, prepend=-1))
    for start, end in zip(starts, [*starts[1:], len(owners)], strict=True):
        sums = tuple(float(row[start:end].sum()) for row in losses)
        yield int(owners[start]), LinePiece(int(segments[start]), int(end - start), sums)


def surprised(records: Sequence[PerplexityRecord], place: int) -> Surprise:
    """What all lines add up to at one radius, segment by segment."""
    losses: dict[int, float] = defaultdict(float)
    tokens: dict[int, int] = defaultdict(int)
    for record in records:
        for piece in record.pieces:
            losses[piece.segment] += piece.losses[place]
            tokens[piece.segment] += piece.tokens
    pairs = [(losses[segment], tokens[segment]) for segment in sorted(losses)]
    squares = (
        sum(loss * loss for loss, _ in pairs),
        sum(loss * size for loss, size in pairs),
        float(sum(size * size for _, size in pairs)),
    )
    return Surprise(sum(loss for loss, _ in pairs), sum(size for _, size in pairs), len(pairs), squares)


def scores(records: Sequence[PerplexityRecord]) -> list[Row]:
    """Perplexity of the texts as they are, and with a word of each segment moved so far."""
    words = sum(record.words for record in records)
    rows = []
    for place, radius in enumerate(records[0].radii if records else ()):
        told = f"{DEFINITION}, one word a segment moved by {radius:g}" if radius else DEFINITION
        score = surprised(records, place).perplexity(words, told)
        rows.append(Row("perplexity_under_attack", score, radius) if radius else Row("perplexity", score))
    return rows


def questions(records: Sequence[PerplexityRecord]) -> dict[Question, Answers]:
    """How probable each line is per word, as it is and with a word moved."""
    answers: dict[Question, Answers] = {}
    for place, radius in enumerate(records[0].radii if records else ()):
        metric, eps = ("perplexity_under_attack", radius) if radius else ("perplexity", None)
        question = Question(metric, eps, title="log p per word, mean over lines", unit="nats")
        answers[question] = {one.index: -one.loss(place) / one.words for one in records}
    return answers


def families(records: Sequence[PerplexityRecord]) -> dict[int, str]:
    """Lines that begin in one segment were read together."""
    return {one.index: str(one.pieces[0].segment) for one in records if one.pieces}


def points(records: Sequence[PerplexityRecord]) -> list[tuple[float, Score, Answers]]:
    """Perplexity over how far a word is moved."""
    return [(row.eps or 0.0, row.score, {}) for row in scores(records)]


PERPLEXITY = Trial(
    PerplexityRecord,
    units,
    run,
    scores,
    PerplexitySettings,
    tasks=("lm",),
    unit="line",
    questions=questions,
    families=families,
    together=together,
    among_all=True,  # segments are cut out of all lines, one behind the other
    curve=Curve(
        "Perplexity over how far a word is moved",
        "length of the move",
        "perplexity",
        "The flatter a curve, the less one moved word of a segment confuses the model.",
        points,
    ),
    says=(
        "measures how surprised a language model is: a perplexity of 20 is that of guessing each word among 20; eps is "
        "how far one word of each segment is moved inside the network"
    ),
)
