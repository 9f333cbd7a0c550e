"""Records of shifts, and what is kept of them where numbers are read off: moves in arrays, features of some texts."""

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

PAIRED = 2000  # texts at most of which all pairs are looked at
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
class ContrastSentence:
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
    None where no word of the text has a synonym. ``contrast`` is None where there is none.
    """

    index: int
    label: int
    texts: tuple[str, ...]
    shifts: tuple[Shift, ...]
    vector: Vector
    moved: Vector | None
    contrast: ContrastSentence | None = None


@dataclass
class Moves:
    """What one cause moved: the places of the texts, and of each the numbers of its shift, one behind the other."""

    places: "array[int]" = field(default_factory=lambda: array("q"))
    numbers: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, place: int, shift: Shift) -> None:
        """Keep the numbers of a shift: of the features, then of each layer."""
        self.places.append(place)
        self.numbers.extend((shift.cosine, shift.distance))
        for layer in shift.layers:
            self.numbers.extend((layer.cls_cosine, layer.cls_distance, layer.mean_cosine, layer.mean_distance))

    @property
    def table(self) -> np.ndarray:
        """A row for each text that was moved, two columns for the features and four for each layer."""
        return np.frombuffer(self.numbers).reshape(len(self.places), -1)

    def cosines(self, count: int) -> np.ndarray:
        """The cosine of the features of each of so many texts before and after; NaN where it was not moved."""
        found = np.full(count, math.nan)
        found[np.frombuffer(self.places, dtype=np.int64)] = self.table[:, 0]
        return found


@dataclass
class Gathered:
    """What is kept of records that are gone through once: how far each moved, and some of the features."""

    labels: "array[int]"
    distances: "array[float]"  # squared, of the features of texts and their synonym versions
    causes: dict[str, Moves]  # in order of first occurrence
    drawn: list[Vector]


def gathered(records: Sequence[ShiftRecord]) -> Gathered:
    """All that numbers are read off but for the features of all texts, of which at most so many are drawn."""
    found, drawn = Gathered(array("q"), array("d"), {}, []), set(drawn_places(len(records)))
    for place, record in enumerate(records):
        found.labels.append(record.label)
        if record.moved is not None:
            apart = math.fsum((one - other) ** 2 for one, other in zip(record.vector, record.moved, strict=True))
            found.distances.append(apart)
        if place in drawn:
            found.drawn.append(record.vector)
        for shift in record.shifts:
            found.causes.setdefault(shift.cause, Moves()).add(place, shift)
    return found


def drawn_places(count: int) -> list[int]:
    """The places of all of so many texts, or of as many as pairs are looked at of, drawn without looking at them."""
    if count <= PAIRED:
        return list(range(count))
    return np.random.default_rng(0).choice(count, PAIRED, replace=False).tolist()
