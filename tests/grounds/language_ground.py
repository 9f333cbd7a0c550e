"""Records of language models and translators made by hand: nothing is computed."""

import math
from collections.abc import Mapping, Sequence

from unfooled.trials.continuation import ContinuationRecord
from unfooled.trials.neighbours import NeighboursRecord
from unfooled.trials.perplexity import LinePiece, PerplexityRecord
from unfooled.trials.quality import QualityRecord
from unfooled.trials.side_by_side import SideBySideRecord

WORDS = 10  # of each line


def perplexities(clean: float, moved: Mapping[float, float], lines: int = 40) -> list[PerplexityRecord]:
    """Lines, a segment each, of such perplexities as they are and with a word moved so far; every second is harder."""
    radii = (0.0, *moved)
    records = []
    for index in range(lines):
        odd = 1.1 if index % 2 else 0.9
        losses = tuple(odd * WORDS * math.log(value) for value in (clean, *moved.values()))
        records.append(PerplexityRecord(index, WORDS, radii, (LinePiece(index, WORDS, losses),)))
    return records


def continued(texts: Sequence[tuple[str, str, str, str]]) -> list[ContinuationRecord]:
    """Texts as (text, word, clean, perturbed)."""
    return [ContinuationRecord(index, *text, (1.0, 2.0)) for index, text in enumerate(texts)]


def near(**nearest: Sequence[tuple[str, float]]) -> list[NeighboursRecord]:
    """Words, each with those nearest to it."""
    return [NeighboursRecord(index, word, tuple(some)) for index, (word, some) in enumerate(nearest.items())]


def translated(texts: Sequence[tuple[str, str, str]]) -> list[QualityRecord]:
    """Texts as (source, reference, written)."""
    return [QualityRecord(index, *text) for index, text in enumerate(texts)]


def sides(texts: Sequence[tuple[str, str, str, str, str]]) -> list[SideBySideRecord]:
    """Texts as (source, word, reference, clean, perturbed)."""
    return [SideBySideRecord(index, *text) for index, text in enumerate(texts)]
