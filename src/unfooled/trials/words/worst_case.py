"""The worst case over attacks: an example holds only if it is right as it is and none of the attacks fools it.

Each attack leaves other examples standing, so the least of their accuracies flatters a model: whoever attacks it may
try them one after the other. Read off the records of all attacks on the same examples; nothing is run.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial, reduce
from typing import Any

import numpy as np

from unfooled.attacks.records import SAFE, AttackRecord
from unfooled.errors import BadInput
from unfooled.scores.intervals import proportion
from unfooled.scores.score import Score
from unfooled.trials.columns import among, answered
from unfooled.trials.gathering import Gathering
from unfooled.trials.inputs import Inputs
from unfooled.trials.trial import Answers, Joined, Metric, Question, Trial, TrialRun, rows_of
from unfooled.trials.words.attack_numbers import ended, index_of

NAME = "worst_case"


@dataclass(frozen=True)
class WorstCaseRecord:
    """An example that all attacks covered: which they are, which of them fool it, and whether it holds."""

    index: int
    attacks: tuple[str, ...]
    fooled_by: tuple[str, ...]
    holds: bool


def together(trials: Mapping[str, Sequence[AttackRecord]]) -> Sequence[WorstCaseRecord]:
    """A record for each example that every attack has one of, and none an error."""
    known = [index_of(records, ~ended(records, "error")) for records in trials.values()]
    shared = reduce(np.intersect1d, known) if known else np.zeros(0, dtype=int)
    fooled, safe = (
        {name: np.isin(shared, index_of(records, ended(records, *ends))) for name, records in trials.items()}
        for ends in (("fooled",), SAFE)
    )
    names = tuple(trials)
    found = Gathering(WorstCaseRecord, tuple(one.name for one in fields(WorstCaseRecord)))
    for place, index in enumerate(shared):
        fooled_by = tuple(name for name in names if fooled[name][place])
        found.add(WorstCaseRecord(int(index), names, fooled_by, all(bool(safe[name][place]) for name in names)))
    return found.columns()


def accuracy(records: Sequence[WorstCaseRecord]) -> Score:
    """How often the model is right and stays so, whatever the attack."""
    names = ", ".join(records[0].attacks) if len(records) else "the attacks"
    definition = (
        f"share of the examples that {names} were all run on without an error, answered rightly and fooled by none of "
        "them; what ran out of budget does not count as right"
    )
    return proportion(int(among(records, "holds", (True,)).sum()), len(records), definition)


METRICS = {"worst_case_accuracy": Metric(accuracy, "accuracy under the worst of the attacks")}


def questions(records: Sequence[WorstCaseRecord]) -> dict[Question, Answers]:
    """Whether each example holds against all attacks."""
    title = METRICS["worst_case_accuracy"].title
    return {Question("worst_case_accuracy", title=title): answered(records, among(records, "holds", (True,)))}


def no_units(inputs: Inputs, settings: Any, seed: int) -> Sequence[Any]:
    """Nothing is put to a model."""
    raise BadInput(f"{NAME} is read off the attacks that were run; name two or more of them instead")


def no_run(trial: TrialRun, done: Collection[int]) -> Iterator[WorstCaseRecord]:
    """Nothing is run."""
    return iter(())


WORST_CASE = Joined(
    NAME,
    together,
    Trial(
        WorstCaseRecord, no_units, no_run, partial(rows_of, METRICS),
        tasks=("classification", "multilabel"), unit="attacked example", questions=questions,
        says="counts a text as held where none of the attacks in words fools it",
    ),
)  # fmt: skip
