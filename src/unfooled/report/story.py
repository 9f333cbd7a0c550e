"""What a page tells, as plain values: whoever has them can make a page, wherever they come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Piece = str | tuple[str, str]  # text as it was, or what it was and what it became


@dataclass(frozen=True)
class Number:
    """A value with its 95 % interval (None where there is none) and the number of examples behind it."""

    value: float
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Measure:
    """One row of the table: a number of a trial for each model, None where it was not measured."""

    trial: str
    name: str
    definition: str
    numbers: tuple[Number | None, ...]
    share: bool = True
    better: Literal["more", "less", ""] = "more"


@dataclass(frozen=True)
class Gap:
    """Second minus first in one measure, with its p and the p corrected for all questions asked."""

    measure: str
    first: str
    second: str
    difference: Number
    p: float
    corrected: float
    test: str
    only_first: int | None = None
    only_second: int | None = None


@dataclass(frozen=True)
class Standing:
    """Where a model stands: how often it moves though meaning holds, and holds though meaning moves.

    ``parts`` are (axis, what was done, number): what each coordinate is made of.
    """

    model: str
    fickleness: Number | None
    obstinacy: Number | None
    parts: tuple[tuple[str, str, Number], ...] = ()


@dataclass(frozen=True)
class Line:
    """One curve: (x, number) from left to right."""

    name: str
    points: tuple[tuple[float, Number], ...]


@dataclass(frozen=True)
class Plot:
    """Curves over one axis, and what they say in a sentence; a line without points keeps its colour from others."""

    title: str
    across: str
    up: str
    lines: tuple[Line, ...]
    says: str = ""
    share: bool = True


@dataclass(frozen=True)
class Matrix:
    """A square table: rows are true classes where it counts predictions."""

    title: str
    labels: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]
    counts: bool = True


@dataclass(frozen=True)
class Cloud:
    """Sentences as points on a plane, each of a group, with what it says when pointed at; links join two points."""

    title: str
    groups: tuple[str, ...]
    points: tuple[tuple[float, float, int, str], ...]
    says: str = ""
    links: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Attacked:
    """How an attack on a model went; what the page recomputes when a reader strikes out an adversary."""

    model: int
    trial: int
    examples: int
    right: int
    fooled: int
    safe: int


@dataclass(frozen=True)
class Case:
    """One fooled example: the texts as pieces, what the model said before and after, and how surely."""

    model: int
    trial: int
    index: int
    label: str
    before: str
    after: str
    sure_before: float
    sure_after: float
    texts: tuple[tuple[Piece, ...], ...]
    similarity: float | None = None

    @property
    def changed(self) -> int:
        """How many words were changed."""
        return sum(not isinstance(piece, str) for pieces in self.texts for piece in pieces)


@dataclass(frozen=True)
class Excerpt:
    """A text, its reference where there is one, and what each model wrote, one entry a column; pairs are marked."""

    text: tuple[Piece, ...]
    reference: str
    rows: tuple[tuple[str, tuple[tuple[Piece, ...], ...]], ...]


@dataclass(frozen=True)
class Excerpts:
    """Texts to be read, how to read them, the names of their columns, and how many there are in all."""

    title: str
    says: str
    columns: tuple[str, ...]
    texts: tuple[Excerpt, ...]
    whole: int


@dataclass(frozen=True)
class Check:
    """One behavioural test: its kind (INV, DIR, MFT), the failure rate of each model, and a failure or two."""

    kind: str
    name: str
    numbers: tuple[Number | None, ...]
    failures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cost:
    """What a way of training took, seconds and the peak of memory (None where it cannot be told), and what it gains.

    ``gains`` are differences from the first way of training, by what they are of.
    """

    method: str
    seconds: Number
    megabytes: Number | None
    gains: tuple[tuple[str, Number], ...] = ()


@dataclass(frozen=True)
class Facts:
    """Names and values: settings, versions, hashes."""

    title: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Story:
    """A whole page. Everything after ``measures`` may be empty, and its section is left out then."""

    title: str
    subtitle: str
    headline: tuple[str, ...]
    models: tuple[str, ...]
    measures: tuple[Measure, ...]
    standings: tuple[Standing, ...] = ()
    support: str = ""
    gaps: tuple[Gap, ...] = ()
    costs: tuple[Cost, ...] = ()
    plots: tuple[Plot, ...] = ()
    excerpts: tuple[Excerpts, ...] = ()
    checks: tuple[Check, ...] = ()
    matrices: tuple[Matrix, ...] = ()
    clouds: tuple[Cloud, ...] = ()
    training: tuple[Plot, ...] = ()
    trials: tuple[str, ...] = ()
    attacked: tuple[Attacked, ...] = ()
    cases: tuple[Case, ...] = ()
    repair: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    facts: tuple[Facts, ...] = ()
    members: tuple[str, ...] = ()  # the models that cases and attacks are of, where columns are methods
    intervals: str = "Intervals are 95 %: Wilson's for shares, Student's t for means."

    @property
    def attacked_models(self) -> tuple[str, ...]:
        """The names that the model numbers of cases and attacks stand for."""
        return self.members or self.models


def pieces(old: str, spans: Sequence[tuple[int, int]], new: Sequence[str]) -> tuple[Piece, ...]:
    """A text cut at its changed words: ``new[i]`` took the place of ``old`` from ``spans[i]``.

    >>> pieces("a good film", [(2, 6)], ["decent"])
    ('a ', ('good', 'decent'), ' film')
    """
    found: list[Piece] = []
    done = 0
    for (start, end), word in zip(spans, new, strict=True):
        found += [old[done:start], (old[start:end], word)]
        done = end
    return tuple(piece for piece in [*found, old[done:]] if piece)
