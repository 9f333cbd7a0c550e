"""What became of each example in each measure, so that models can be compared example by example."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from unfooled.attacks.records import AttackRecord
from unfooled.commands.gathering import Told
from unfooled.evaluation.behaviour import CaseRecord
from unfooled.evaluation.contrast import ContrastRecord, pairs
from unfooled.evaluation.records import Record
from unfooled.evaluation.transfer import TransferRecord


@dataclass(frozen=True)
class Question:
    """A measure of a trial that is answered, well or not, for every example."""

    trial: str
    metric: str
    eps: float | None = None
    part: str | None = None

    @property
    def said(self) -> str:
        """The question as a page prints it."""
        place = self.trial if self.eps is None else f"{self.trial} {self.eps:g}"
        known = {"failure_rate": f"passed {self.part} tests", "con_pair": "right on both of a pair"}
        what = known.get(self.metric, self.metric.replace("_", " "))
        return f"{place}: {what}"


Answers = dict[int, bool]  # by example: True is good


def outcomes(told: Told) -> dict[Question, Answers]:
    """Every question a trial answers example by example."""
    first = told.records[0] if told.records else None
    for kind, read in READERS.items():
        if isinstance(first, kind):
            return read(told.trial, told.records)
    return {}


def families(told: Told) -> dict[int, str]:
    """Which records of a trial belong together, because they are versions of one text; none where each stands alone."""
    if told.records and isinstance(told.records[0], CaseRecord):
        return {one.index: "\n".join(one.texts[0]) for one in told.records}
    if told.records and isinstance(told.records[0], ContrastRecord):
        return {one.index: one.group for one in told.records}
    return {}


def plain(trial: str, records: tuple[Record, ...]) -> dict[Question, Answers]:
    """Clean answers, or answers under each radius."""
    if not records[0].attacks:
        return {Question(trial, "accuracy"): {one.index: one.prediction == one.label for one in records}}
    return {
        Question(trial, "accuracy_under_attack", eps): {
            one.index: one.attacks[place].prediction == one.label for one in records
        }
        for place, eps in enumerate(attack.eps for attack in records[0].attacks)
    }


def of_words(trial: str, records: tuple[AttackRecord, ...]) -> dict[Question, Answers]:
    """Whether an example was right and held."""
    safe = ("held", "no candidates")
    return {Question(trial, "accuracy_under_attack"): {one.index: one.outcome in safe for one in records}}


def of_transfer(trial: str, records: tuple[TransferRecord, ...]) -> dict[Question, Answers]:
    """Whether a stored adversary was answered rightly."""
    return {Question(trial, "accuracy_under_attack"): {one.index: one.answer == one.label for one in records}}


def of_contrast(trial: str, records: tuple[ContrastRecord, ...]) -> dict[Question, Answers]:
    """Whether a revision was answered rightly, alone and together with its original."""
    return {
        Question(trial, "rev"): {one.index: one.right for one in records if not one.original},
        Question(trial, "con_pair"): {other.index: one.right and other.right for one, other in pairs(records)},
    }


def of_cases(trial: str, records: tuple[CaseRecord, ...]) -> dict[Question, Answers]:
    """Whether a case passed, by kind of test."""
    found: dict[Question, Answers] = {}
    for one in records:
        found.setdefault(Question(trial, "failure_rate", part=one.kind), {})[one.index] = not one.failures
    return found


READERS: dict[type, Callable[[str, Any], dict[Question, Answers]]] = {
    Record: plain,
    AttackRecord: of_words,
    TransferRecord: of_transfer,
    ContrastRecord: of_contrast,
    CaseRecord: of_cases,
}
