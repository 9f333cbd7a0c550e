"""Stored adversaries, made against some model, put to others: what fools one may fool another."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from unfooled.data.adversaries import StoredAdversary
from unfooled.errors import BadInput, option
from unfooled.scores.intervals import proportion
from unfooled.scores.score import Score
from unfooled.trials.columns import answered, numbers
from unfooled.trials.inputs import Inputs
from unfooled.trials.trial import (
    Answers,
    AskedAgain,
    Metric,
    OfUnits,
    Question,
    Trial,
    TrialRun,
    VerdictPart,
    over_all,
    rows_of,
)
from unfooled.types import Texts
from unfooled.victims.asking import answering, asked, chunks
from unfooled.victims.victim import Victim

BATCH = 64
TOLERANCE = 1e-3  # of a probability: what another machine, batch or number of threads may make of it


@dataclass(frozen=True)
class TransferRecord:
    """An adversary, what the model says of the text (``prediction``) and of the adversary (``answer``).

    ``before`` and ``after`` are the probabilities of the label.
    """

    index: int
    label: int
    texts: Texts
    adversary: Texts
    prediction: int
    before: float
    answer: int
    after: float


def units(inputs: Inputs, settings: Any, seed: int) -> Sequence[StoredAdversary]:
    """The stored adversaries."""
    if not inputs.adversaries:
        raise BadInput(
            f"the transfer trial needs stored adversaries; name an attack's folder with {option('adversaries')}"
        )
    return inputs.adversaries


def run(trial: TrialRun, done: Collection[int]) -> Iterator[TransferRecord]:
    """What the model says of each text and its adversary."""
    for index, rows in asked(answering(trial.victim, trial.batch_size), questioned(trial), done):
        own = trial.units[index]
        first, second = (int(row.argmax()) for row in rows)
        before, after = (float(row[own.label]) for row in rows)
        yield TransferRecord(index, own.label, own.texts, own.adversary, first, before, second, after)


def questioned(trial: TrialRun) -> Sequence[tuple[Texts, Texts]]:
    """What the model is asked about each adversary."""
    return OfUnits(trial.units, lambda one: (one.texts, one.adversary))


def rightly(records: Sequence[TransferRecord], said: str) -> np.ndarray:
    """Of which records an answer is the label."""
    return numbers(records, said) == numbers(records, "label")


def clean_accuracy(records: Sequence[TransferRecord]) -> Score:
    """How often the model is right on the texts as they were."""
    right = int(rightly(records, "prediction").sum())
    return proportion(right, len(records), "share of the stored set's original texts answered rightly")


def accuracy_under_attack(records: Sequence[TransferRecord]) -> Score:
    """How often the model is right on the adversaries."""
    right = int(rightly(records, "answer").sum())
    return proportion(right, len(records), "share of the stored set's adversaries answered rightly")


def attack_success(records: Sequence[TransferRecord]) -> Score:
    """How often an adversary turns a right answer into a wrong one."""
    known = rightly(records, "prediction")
    fooled = int((known & ~rightly(records, "answer")).sum())
    definition = "share of stored adversaries answered wrongly, where the original was answered rightly"
    return proportion(fooled, int(known.sum()), definition)


METRICS = {
    "clean_accuracy": Metric(clean_accuracy, "clean accuracy"),
    "accuracy_under_attack": Metric(accuracy_under_attack, "accuracy under attack"),
    "attack_success": Metric(attack_success, "fooled", better="less"),
}
scores = partial(rows_of, METRICS)


def good(record: TransferRecord) -> bool:
    """Whether the adversary was answered rightly."""
    return record.answer == record.label


def questions(records: Sequence[TransferRecord]) -> dict[Question, Answers]:
    """Whether each stored adversary was answered rightly."""
    held = answered(records, rightly(records, "answer"))
    return {Question("accuracy_under_attack", title="accuracy under attack"): held}


def asked_again(records: Sequence[TransferRecord], settings: Mapping[str, Any], victim: Victim) -> AskedAgain:
    """Of stored adversaries, those that fool the model, and those whose answers are what the log says they are.

    Both up to what another machine may round otherwise; all answers are compared, not only those that fooled.
    """
    able = victim.tried(records[0].texts)
    claims = [record.index for record in records if record.prediction == record.label != record.answer]
    possible = [record for record in records if 0 <= record.label < able.classes]
    fooling, exact = set(), set()
    for start in range(0, len(possible), BATCH):
        some = possible[start : start + BATCH]
        before = able.answer([record.texts for record in some])
        after = able.answer([record.adversary for record in some])
        for record, clean, row in zip(some, before, after, strict=True):
            others = np.delete(row, record.label)
            if clean[record.label] >= clean.max() - TOLERANCE and others.max() >= row[record.label] - TOLERANCE:
                fooling.add(record.index)
            said = ((record.prediction, record.before, clean), (record.answer, record.after, row))
            if all(as_said(answer, chance, record.label, own) for answer, chance, own in said):
                exact.add(record.index)
    disagreeing = tuple(index for index in claims if index not in fooling)
    otherwise = {record.index for record in records} - exact - set(disagreeing)
    return AskedAgain(tuple(claims), disagreeing, tuple(sorted(otherwise)))


def as_said(answer: int, chance: float, label: int, row: np.ndarray) -> bool:
    """Whether a row of probabilities gives the logged answer, and the label the logged chance."""
    known = 0 <= answer < len(row) and row[answer] >= row.max() - TOLERANCE
    return bool(known and abs(row[label] - chance) <= TOLERANCE)


TRANSFER = Trial(
    TransferRecord,
    units,
    run,
    scores,
    unit="adversary",
    source="adversaries",
    together=lambda trial: list(chunks(questioned(trial))),
    good=good,
    questions=questions,
    verdict=(VerdictPart("fickleness", "stored adversaries", over_all(attack_success)),),
    again=asked_again,
    brief=("index", "label", "prediction", "answer"),
    says="asks about stored texts that fooled some other model",
)
