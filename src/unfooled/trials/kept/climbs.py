"""Records of k-PGD, and what is read of them: a few numbers for each radius, in arrays; features stay in the log."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unfooled.errors import BadInput
from unfooled.trials.columns import Column, RecordColumns, among, brief, numbers, some

# Of each record, what numbers are read off; its features are read from the log where they are asked for.
BRIEF = ("index", "label", "prediction", "flat", "width", "radii", "attacked", "cosines", "distances", "paths")


@dataclass(frozen=True)
class WorstPoint:
    """One example at the worst perturbation found inside a ball of radius ``eps``.

    ``losses`` are those of the climb from 0, after 0 … k steps; ``loss`` is the one at the perturbation that
    was kept, which climb number ``restart`` found (0 is the climb from 0). ``cosine`` and ``distance``
    compare the features there with the clean ones; ``size`` is the perturbation's Euclidean norm.
    """

    eps: float
    prediction: int
    confidence: float
    loss: float
    losses: tuple[float, ...]
    cosine: float
    distance: float
    size: float
    restart: int


@dataclass(frozen=True)
class PGDRecord:
    """An example: what the model says of it, and what it says at the worst perturbation of each radius.

    ``index`` is the example's place in the data; ``confidence`` the probability of its label; ``gradient`` the norm of
    the loss's gradient at the clean embeddings; ``vector`` the clean features, of length 1.
    """

    index: int
    label: int
    prediction: int
    confidence: float
    loss: float
    gradient: float
    attacks: tuple[WorstPoint, ...] = ()
    vector: tuple[float, ...] = ()

    @property
    def attack(self) -> WorstPoint:
        """The worst point, where there is exactly one."""
        if len(self.attacks) != 1:
            raise ValueError(f"example {self.index} has {len(self.attacks)} radii; choose one of its attacks")
        return self.attacks[0]

    @property
    def flat(self) -> bool:
        """Whether the loss has no slope at the text as it is."""
        return self.gradient == 0

    @property
    def width(self) -> int:
        """Of the features; logs of earlier versions have none."""
        return len(self.vector)

    @property
    def radii(self) -> tuple[float, ...]:
        """At which it was attacked; the following have a number for each."""
        return tuple(point.eps for point in self.attacks)

    @property
    def attacked(self) -> tuple[int, ...]:
        """The predictions at the worst points."""
        return tuple(point.prediction for point in self.attacks)

    @property
    def cosines(self) -> tuple[float, ...]:
        """Of the features there and as they were."""
        return tuple(point.cosine for point in self.attacks)

    @property
    def distances(self) -> tuple[float, ...]:
        """Of the features there from where they were."""
        return tuple(point.distance for point in self.attacks)

    @property
    def paths(self) -> tuple[float, ...]:
        """The losses of the climbs from 0, one climb behind the other."""
        return tuple(loss for point in self.attacks for loss in point.losses)


@dataclass(frozen=True)
class AtRadius:
    """An example at the worst point of one radius, as numbers are read off it."""

    index: int
    label: int
    prediction: int
    attacked: int
    cosine: float
    distance: float


def radii(records: Sequence[PGDRecord]) -> tuple[float, ...]:
    """The radii at which these examples were attacked."""
    if not len(records):
        return ()
    first = tuple(brief(records)[0].radii)
    if not among(records, "radii", (first,)).all():
        raise BadInput("records of pgd were attacked in different ways; measure again into a new folder")
    return first


def by_radius(records: Sequence[PGDRecord], name: str) -> np.ndarray:
    """An attribute of every record that has as many numbers for each radius [n, radii, numbers]."""
    return numbers(records, name).reshape(len(records), len(radii(records)), -1)


def at(records: Sequence[PGDRecord], eps: float) -> RecordColumns:
    """The same examples at the worst point of this radius."""
    place = radii(records).index(eps)
    known = {name: numbers(records, name) for name in ("index", "label", "prediction")}
    there = {name: by_radius(records, f"{name}s")[:, place, 0] for name in ("cosine", "distance")}
    values = known | {"attacked": by_radius(records, "attacked")[:, place, 0]} | there
    return RecordColumns(AtRadius, {name: Column(own) for name, own in values.items()})


def with_features(records: Sequence[PGDRecord]) -> Sequence[PGDRecord]:
    """The records that keep their features, which are of one length; logs of earlier versions have none."""
    widths = numbers(records, "width")
    if len(np.unique(widths[widths > 0])) > 1:
        raise BadInput("features of pgd are of different lengths; measure again into a new folder")
    return some(records, widths > 0)
