"""What a trial is: what it is run on, how its records are made, and everything that is read off them.

A trial is one file: its settings, its record, its units, how it is run (torch is imported there and nowhere else), its
metrics, and what the verdict, the tests of differences and the page make of its records.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Literal, overload

import numpy as np

from unfooled.attacks.attack import Attack, Parts
from unfooled.scores.score import SHARE, Better, Score
from unfooled.settings import Settings
from unfooled.trials.groups import EachAlone
from unfooled.trials.inputs import Example, Inputs
from unfooled.trials.passages import Passages
from unfooled.types import Texts
from unfooled.victims.victim import Victim

Answers = Mapping[int, float]  # by example; the higher the better, and 1 or 0 where one is good or not
Axis = Literal["fickleness", "obstinacy"]
AXES: tuple[Axis, ...] = ("fickleness", "obstinacy")
Contradictions = Callable[[Sequence[Any], Sequence[Any], np.ndarray | None], Sequence[str]]
MakeParts = Callable[[Attack, str | None], Parts]


def remembering(make: MakeParts) -> MakeParts:
    """What makes attacks' parts, each once: encoders and tables of neighbours are slow to open."""
    known: dict[str, Parts] = {}

    def parts(attack: Attack, similarity: str | None) -> Parts:
        key = f"{type(attack).__name__} {attack.model_dump_json()} {similarity}"
        if key not in known:
            known[key] = make(attack, similarity)
        return known[key]

    return parts


class NoSettings(Settings):
    """Nothing to set."""


@dataclass(frozen=True)
class Row:
    """One number of a trial of a model: which metric, at which radius, of which part (a test, a layer).

    A detail is left out of short tables.
    """

    metric: str
    score: Score
    eps: float | None = None
    part: str | None = None
    detail: bool = False
    trial: str = ""
    model: str = ""


@dataclass(frozen=True)
class Metric:
    """How a number is read off records, and how it is printed: one line of a trial's table."""

    read: Callable[[Sequence[Any]], Score]
    title: str
    unit: str = SHARE
    better: Better = "more"
    detail: bool = False


def rows_of(
    metrics: Mapping[str, Metric], records: Sequence[Any], eps: float | None = None, part: str | None = None
) -> list[Row]:
    """Every number of a table of metrics."""
    return [
        Row(name, one.read(records).called(one.title, one.unit, one.better), eps, part, one.detail)
        for name, one in metrics.items()
    ]


@dataclass(frozen=True)
class Question:
    """What a trial answers for every example; ``tested`` where models are held against each other by it."""

    metric: str
    eps: float | None = None
    part: str | None = None
    title: str = field(default="", compare=False)
    tested: bool = field(default=True, compare=False)
    unit: str = field(default=SHARE, compare=False)


@dataclass(frozen=True)
class VerdictPart:
    """What a trial says of one axis; trials with an equal part are read together, their records by trial."""

    axis: Axis
    name: str
    score: Callable[[Mapping[str, Sequence[Any]]], Score]


def over_all(score: Callable[[Sequence[Any]], Score]) -> Callable[[Mapping[str, Sequence[Any]]], Score]:
    """A score of the records of all trials together, whichever they are of."""

    def read(trials: Mapping[str, Sequence[Any]]) -> Score:
        first, *others = trials.values()
        return score(first if not others else [record for records in trials.values() for record in records])

    return read


@dataclass(frozen=True)
class Curve:
    """A number over the size of a change: at each size the score, and the answers of each example where there are."""

    title: str  # {trial} stands for the trial's name
    across: str
    up: str
    says: str
    points: Callable[[Sequence[Any]], list[tuple[float, Score, Answers]]]


@dataclass(frozen=True)
class AskedAgain:
    """What became of a log's claims: which examples claim that the model was fooled, which of them it is fooled by.

    ``otherwise`` fool it, but into another class or with other probabilities than the log says.
    """

    claims: tuple[int, ...]
    disagreeing: tuple[int, ...]
    otherwise: tuple[int, ...]


class OfUnits(Sequence[Any]):
    """Something of every unit, read where it is asked for: a list would take memory for all of them."""

    def __init__(self, units: Sequence[Any], read: Callable[[Any], Any]) -> None:
        self.units, self.read = units, read

    def __len__(self) -> int:
        return len(self.units)

    def __iter__(self) -> Iterator[Any]:
        return map(self.read, self.units)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return [self.read(unit) for unit in self.units[place]]
        return self.read(self.units[place])


@dataclass
class TrialRun:
    """One trial of one model: who, on what, how; ``remarks`` are what is to be said of it afterwards.

    Where ``units`` are a part, ``places`` says which units of the whole they are, and ``first`` is the first of all.
    Trials count what they are given, and draw by ``place``.
    """

    victim: Victim
    units: Sequence[Any]
    settings: Any
    seed: int
    batch_size: int
    parts: MakeParts
    in_flight: int = 128
    task: str = "classification"
    names: tuple[str, ...] = ()
    temperature: float | None = None  # of the victim's logits, where the trial calibrates them
    remarks: list[str] = field(default_factory=list)
    places: Sequence[int] | None = None
    first: Any = None

    def place(self, index: int) -> int:
        """The place of a unit in the whole."""
        return index if self.places is None else self.places[index]

    @property
    def texts(self) -> Sequence[Texts]:
        """The examples' texts, where the units are examples."""
        return OfUnits(self.units, attrgetter("texts"))

    @property
    def labels(self) -> Sequence[Any]:
        """The examples' labels, where the units are examples."""
        return OfUnits(self.units, attrgetter("label"))


def nothing(records: Sequence[Any]) -> Any:
    """Neither warnings nor questions."""
    return {}


def agreeing(records: Sequence[Any], others: Sequence[Any], places: np.ndarray | None) -> Sequence[str]:
    """No other trial of the model can be at odds with this one."""
    return ()


def always(victim: Victim, units: Sequence[Any]) -> str | None:
    """Any model can be put through it."""
    return None


def each_alone(trial: TrialRun) -> EachAlone:
    """Every unit is computed by itself, or wherever its neighbours are."""
    return EachAlone(len(trial.units))


def in_batches(trial: TrialRun) -> list[list[int]]:
    """The batches of texts of similar length in which a network is looked into."""
    from unfooled.trials.inside.batch import together

    return together(trial.victim.model, trial.texts, trial.batch_size)


@dataclass(frozen=True)
class Trial:
    """A trial. ``units`` raises ``BadInput`` where what was given does not do, ``unable`` says why a model does not.

    ``run`` makes the records of units that are not done, a dataclass each with an ``index``; ``good`` says of a
    record whether it went well, for the bar. ``calibrate`` fits the temperature that the log's header keeps, before
    the first record; ``uncalibrated`` says what is doubtful of records that were made without one. ``questions``
    and ``families`` (records that are versions of one text) are what models are tested by; ``again`` asks a model
    once more for what its records claim; ``elsewhere`` is the trial of this name for models whose answer is no
    class. ``contradictions`` names what another trial of the same model says that cannot be if these records are
    right; the third argument is which of the other's units each unit is, None where they are not of the same texts.
    ``joined`` is what all trials that have it say together. ``says`` goes on from the trial's name and tells in
    plain words what it does. ``together`` are the places of units that are computed in one go: workers and shards
    are given such groups whole, and so compute what one process does, and nothing twice. ``among_all`` is whether a
    unit cannot be computed without all others at hand: workers are then sent all of them. ``brief`` names the
    attributes of a record that are kept of each in memory, by columns: what takes records here reads nothing else
    of them but from their log (``columns.whole_ones``), except ``again`` and ``contradictions``, which are given
    all of it. Without a ``brief`` many records are read from their log each time.
    """

    record: type
    units: Callable[[Inputs, Any, int], Sequence[Any]]
    run: Callable[[TrialRun, Collection[int]], Iterator[Any]]
    scores: Callable[[Sequence[Any]], list[Row]]
    settings: type[Settings] = NoSettings
    tasks: tuple[str, ...] = ("classification",)
    unit: str = "example"
    source: str = "data"
    also_reads: tuple[str, ...] = ()  # of what was given besides its source
    notes: Callable[[Inputs, Any], Sequence[str]] = field(default=lambda inputs, settings: ())
    unable: Callable[[Victim, Sequence[Any]], str | None] = always
    warnings: Callable[[Sequence[Any]], Sequence[str]] = nothing
    calibrate: Callable[[TrialRun], float | None] | None = None
    uncalibrated: Callable[[Sequence[Any]], Sequence[str]] = nothing
    good: Callable[[Any], bool] | None = None
    questions: Callable[[Sequence[Any]], Mapping[Question, Answers]] = nothing
    families: Callable[[Sequence[Any]], Mapping[int, str]] = nothing
    contradictions: Contradictions = agreeing
    verdict: tuple[VerdictPart, ...] = ()
    again: Callable[[Sequence[Any], Mapping[str, Any], Victim], AskedAgain] | None = None
    curve: Curve | None = None
    confusion: Callable[[Sequence[Any], int], list[list[int]]] | None = None
    passages: Passages | None = None
    facts: Callable[[Sequence[Any], Sequence[str]], Mapping[str, Any]] = field(default=lambda records, labels: {})
    elsewhere: "Trial | None" = None
    joined: "Joined | None" = None
    says: str = ""
    together: Callable[[TrialRun], Sequence[Sequence[int]]] = each_alone
    among_all: bool = False
    brief: tuple[str, ...] = ()


@dataclass(frozen=True)
class Joined:
    """What several trials on the same units say together: a trial that is not run, but read off the records of these.

    ``records`` makes its records from theirs, by trial; a model needs two of them, and all models the same ones.
    """

    name: str
    records: Callable[[Mapping[str, Sequence[Any]]], Sequence[Any]]
    form: Trial


def every_example(inputs: Inputs, settings: Any, seed: int) -> list[Example]:
    """All examples."""
    return inputs.examples


def looks_inside(victim: Victim, units: Sequence[Any]) -> str | None:
    """Why a model that is only asked cannot be looked into."""
    if victim.network is not None:
        return None
    return f"it looks into the network, and {victim.name} is only asked; leave it out for such models"
