"""How far apart classes lie, and how far texts move beside that.

A representation that hardly moves is no robust one if the classes have fallen together: what counts is the movement
beside the room between them. Intervals are the jackknife's over texts, since pairs share texts.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unfooled.scores.intervals import student
from unfooled.scores.score import Score

FEWEST = 4  # texts, for an interval
Parts = Callable[[], Iterator[np.ndarray]]  # of rows [n, d], from the first one on whenever they are asked for


@dataclass(frozen=True)
class ClassCosines:
    """The mean cosine of pairs of texts with the same label and of others; the same without each text [n, 2]."""

    same: float
    other: float
    without: np.ndarray

    @property
    def separation(self) -> float:
        """By how much texts of one label are more alike than texts of two."""
        return self.same - self.other


def class_cosines(vectors: Sequence[Sequence[float]] | np.ndarray | Parts, labels: Sequence[Hashable]) -> ClassCosines:
    """Cosines of all pairs, by sums over classes: time grows with the texts, not with their pairs.

    Vectors that are too many for the memory come in parts, which are gone through twice.

    >>> found = class_cosines([(1, 0), (1, 0), (0, 2), (0, 1)], "aabb")
    >>> found.same, found.other
    (1.0, 0.0)
    """
    n = len(labels)
    if n < 2:
        return ClassCosines(math.nan, math.nan, np.full((n, 2), math.nan))
    parts = vectors if callable(vectors) else lambda: iter([np.asarray(vectors)])
    number = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    own = np.array([number[label] for label in labels])
    sums = np.zeros((len(number), 0))
    for rows, which in of_length_1(parts(), own):
        sums = sums if sums.size else np.zeros((len(number), rows.shape[1]))
        np.add.at(sums, which, rows)
    every = sums.sum(axis=0)
    # Of each text: the sum of its cosines with the others of its label and with the rest, and how many they are.
    found = []
    for rows, which in of_length_1(parts(), own):
        alike = (rows * sums[which]).sum(axis=1)
        found.append(np.stack([alike - (rows**2).sum(axis=1), rows @ every - alike], axis=1))
    totals, sizes = np.concatenate(found), np.bincount(own)[own]
    counts = np.stack([sizes - 1, n - sizes], axis=1).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = totals.sum(axis=0) / counts.sum(axis=0)
        without = (totals.sum(axis=0) - 2 * totals) / (counts.sum(axis=0) - 2 * counts)
    return ClassCosines(float(means[0]), float(means[1]), without)


def of_length_1(parts: Iterable[np.ndarray], own: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Parts of vectors, each brought to length 1, with what there is of each of its texts."""
    start = 0
    for part in parts:
        rows = part.astype(np.float64)
        yield rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12), own[start : start + len(rows)]
        start += len(rows)


def same_label(found: ClassCosines) -> Score:
    """How alike texts of one label are."""
    definition = "mean cosine of the features of two texts with the same label"
    return jackknife(found.same, found.without[:, 0], definition, -1.0, 1.0).called("same-label cosine", "", "")


def other_label(found: ClassCosines) -> Score:
    """How alike texts of different labels are."""
    definition = "mean cosine of the features of two texts with different labels"
    return jackknife(found.other, found.without[:, 1], definition, -1.0, 1.0).called("other-label cosine", "", "less")


def over_separation(found: ClassCosines, cosines: Sequence[float | None] | np.ndarray) -> Score:
    """How far texts move beside how far classes lie apart; ``cosines`` before and after by text, None if not moved.

    In an array NaN is None.

    >>> apart = class_cosines([(1, 0), (1, 0), (0, 1), (0, 1)], "aabb")
    >>> over_separation(apart, [0.75, None, 0.25, 0.5]).value
    0.5
    """
    definition = (
        "mean of 1 - cosine before and after, over same-label less other-label cosine; "
        "unknown where classes are not apart"
    )
    moves = 1 - np.array([math.nan if cosine is None else cosine for cosine in cosines])
    known = ~np.isnan(moves)
    total, count = float(moves[known].sum()), int(known.sum())
    apart = found.without[:, 0] - found.without[:, 1]
    value = total / count / found.separation if count and found.separation > 0 else math.nan
    if count < 2 or not (apart > 0).all():
        return Score(value, 0.0, math.inf, count, definition, least=0.0).called("movement/separation", "", "less")
    without = (total - np.where(known, moves, 0.0)) / (count - known) / apart
    score = jackknife(value, without, definition, 0.0, math.inf)
    return replace(score, n=count).called("movement/separation", "", "less")


def jackknife(value: float, without: np.ndarray, definition: str, least: float, most: float) -> Score:
    """A value with Student's t interval over its values without each text, cut at what it can be."""
    n = len(without)
    unknown = Score(value, least, most, n, definition, least=least, most=most)
    if n < FEWEST or not np.isfinite(without).all():
        return unknown
    error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    half = student(n - 1) * error
    return unknown.between(value - half, value + half)
