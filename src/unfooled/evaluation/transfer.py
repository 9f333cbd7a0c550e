"""Stored adversaries, made against some model, put to others: what fools one may fool another."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from unfooled.evaluation.asking import CHUNK, Answer, Texts, asked
from unfooled.evaluation.metrics import Score, proportion


@dataclass(frozen=True)
class Adversary:
    """A text and a version of it that means the same, and the label of both."""

    texts: Texts
    adversary: Texts
    label: int


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


def transfer(
    answer: Answer, adversaries: Sequence[Adversary], done: Collection[int] = (), chunk: int = CHUNK
) -> Iterator[TransferRecord]:
    """What the model says of each text and its adversary; those whose place is in ``done`` are left out."""
    for index, rows in asked(answer, [(one.texts, one.adversary) for one in adversaries], done, chunk):
        own = adversaries[index]
        first, second = (int(row.argmax()) for row in rows)
        before, after = (float(row[own.label]) for row in rows)
        yield TransferRecord(index, own.label, own.texts, own.adversary, first, before, second, after)


def clean_accuracy(records: Sequence[TransferRecord]) -> Score:
    """How often the model is right on the texts as they were."""
    right = sum(record.prediction == record.label for record in records)
    return proportion(right, len(records), "share of the stored set's original texts answered rightly")


def accuracy_under_attack(records: Sequence[TransferRecord]) -> Score:
    """How often the model is right on the adversaries."""
    right = sum(record.answer == record.label for record in records)
    return proportion(right, len(records), "share of the stored set's adversaries answered rightly")


def attack_success(records: Sequence[TransferRecord]) -> Score:
    """How often an adversary turns a right answer into a wrong one."""
    known = [record for record in records if record.prediction == record.label]
    fooled = sum(record.answer != record.label for record in known)
    return proportion(
        fooled, len(known), "share of stored adversaries answered wrongly, where the original was answered rightly"
    )


TRANSFER_METRICS: dict[str, Callable[[Sequence[TransferRecord]], Score]] = {
    "clean_accuracy": clean_accuracy,
    "accuracy_under_attack": accuracy_under_attack,
    "attack_success": attack_success,
}
