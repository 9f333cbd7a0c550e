"""How far representations move, and how they lie: cosines, distances, alignment and uniformity.

Alignment and uniformity as Wang and Isola (ICML 2020) define them, on vectors of length 1: the mean of
‖f(x) − f(x⁺)‖² over pairs that mean the same, and log of the mean of exp(−2‖f(x) − f(y)‖²) over pairs of different
texts. Both are better the lower they are.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unfooled.evaluation.metrics import Score, mean, student

Vector = tuple[float, ...]


@dataclass(frozen=True)
class Move:
    """How far one text moved in one layer, by its first token's state and by the mean of all."""

    cls_cosine: float
    cls_distance: float
    mean_cosine: float
    mean_distance: float


@dataclass(frozen=True)
class Shift:
    """A text under one perturbation: its move in every layer from 1, and that of what the last layer reads."""

    cause: str
    layers: tuple[Move, ...]
    cosine: float
    distance: float


@dataclass(frozen=True)
class Contrast:
    """A sentence like another that means something else: where it comes from, and its features of length 1.

    ``kind`` is "revision" where a contrast set has it, else the change of words that made it.
    """

    kind: str
    texts: tuple[str, ...]
    vector: Vector


@dataclass(frozen=True)
class ShiftRecord:
    """An example under each perturbation that could be made of it.

    ``vector`` are the features of the text, ``moved`` those of its synonym version, both of length 1; ``moved`` is
    None where no word of the text has a synonym. ``contrast`` is None where there is none, and in older logs.
    """

    index: int
    label: int
    texts: tuple[str, ...]
    shifts: tuple[Shift, ...]
    vector: Vector
    moved: Vector | None
    contrast: Contrast | None = None


def causes(records: Sequence[ShiftRecord]) -> list[str]:
    """The perturbations, in order of first occurrence."""
    return list(dict.fromkeys(shift.cause for record in records for shift in record.shifts))


def under(records: Sequence[ShiftRecord], cause: str) -> list[Shift]:
    """The shifts of one cause."""
    return [shift for record in records for shift in record.shifts if shift.cause == cause]


def alignment(records: Sequence[ShiftRecord]) -> Score:
    """How near texts and their synonym versions lie."""
    values = [
        math.fsum((one - other) ** 2 for one, other in zip(record.vector, record.moved, strict=True))
        for record in records
        if record.moved is not None
    ]
    definition = "mean squared distance of the features of a text and its synonym version, all of length 1"
    return mean(values, definition, 0.0, 4.0)


def uniformity(vectors: Sequence[Vector]) -> Score:
    """How evenly texts spread over the sphere: 0 if all are one point, lower the more evenly.

    Pairs share texts, so the interval is that of the jackknife over texts, Student's t on its pseudo-values, cut at
    what the number can be.

    >>> round(uniformity([(1.0, 0.0), (-1.0, 0.0)]).value, 9)
    -8.0
    """
    definition = "log of the mean of exp(-2 squared distance) over pairs of different texts, features of length 1"
    n = len(vectors)
    if n < 2:
        return Score(math.nan, -8.0, 0.0, n, definition)
    points = np.asarray(vectors, dtype=np.float64)
    squares = (points**2).sum(axis=1)
    distances = np.maximum(squares[:, None] + squares[None, :] - 2 * points @ points.T, 0.0)
    kernel = np.exp(-2 * distances)
    np.fill_diagonal(kernel, 0.0)
    rows = kernel.sum(axis=1)
    whole = float(rows.sum())
    value = math.log(whole / (n * (n - 1)))
    if n < 4:
        return Score(value, -8.0, 0.0, n, definition)
    without = np.log((whole - 2 * rows) / ((n - 1) * (n - 2)))
    error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    half = student(n - 1) * error
    return Score(value, max(value - half, -8.0), min(value + half, 0.0), n, definition)


def cosine_score(values: Sequence[float], what: str) -> Score:
    """The mean cosine of representations before and after."""
    return mean(values, f"mean cosine of {what} before and after, not normalised", -1.0, 1.0)


def distance_score(values: Sequence[float], what: str) -> Score:
    """The mean distance of representations before and after."""
    return mean(values, f"mean Euclidean distance of {what} before and after, not normalised", 0.0)
