"""The texts as they are: what the model says of each, and how sure it is."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields

import numpy as np

from unfooled.scores.agreement import matthews
from unfooled.scores.intervals import mean, proportion
from unfooled.scores.score import Score
from unfooled.trials.answers import ANSWERS
from unfooled.trials.columns import answered, numbers
from unfooled.trials.trial import (
    Answers,
    Metric,
    OfUnits,
    Question,
    Row,
    Trial,
    TrialRun,
    every_example,
    in_batches,
    rows_of,
)
from unfooled.types import Texts
from unfooled.victims.asking import answering, asked, chunks


@dataclass(frozen=True)
class CleanRecord:
    """An example, the class predicted for it, and the probability (``confidence``) and loss of its label."""

    index: int
    label: int
    prediction: int
    confidence: float
    loss: float


def run(trial: TrialRun, done: Collection[int]) -> Iterator[CleanRecord]:
    """What the model says of each text; a network's loss is that of its logits."""
    if trial.victim.network is None:
        for index, rows in asked(answering(trial.victim, trial.batch_size), questioned(trial), done):
            label, row = trial.units[index].label, rows[0]
            chance = float(row[label])
            yield CleanRecord(index, label, int(row.argmax()), chance, -float(np.log(max(chance, 1e-12))))
        return
    import torch

    from unfooled.models.encoders.classifier import still
    from unfooled.models.encoders.packed_training import passing, quick_pass
    from unfooled.trials.inside.batch import batches

    model = trial.victim.model
    way = quick_pass(model.classifier)  # that of pgd, so that its answers at radius 0 are these
    for batch in batches(model, trial.texts, trial.labels, trial.batch_size, done, trial.places):
        with still(model.classifier), passing(model.classifier, way), torch.inference_mode():
            output = batch.classifier(batch.tokens)
            facts = (batch.index.tolist(), batch.label.tolist(), *batch.answers(output), batch.losses(output).tolist())
        for fact in zip(*facts, strict=True):
            if fact[0] not in done:
                yield CleanRecord(*fact)


def questioned(trial: TrialRun) -> Sequence[tuple[Texts]]:
    """What the model is asked about each example."""
    return OfUnits(trial.units, lambda unit: (unit.texts,))


def together(trial: TrialRun) -> Sequence[Sequence[int]]:
    """The batches of a network, or the texts that another model is asked about at once."""
    return in_batches(trial) if trial.victim.network is not None else list(chunks(questioned(trial)))


def accuracy(records: Sequence[CleanRecord]) -> Score:
    """How often the model is right on the texts as they are."""
    right = int(right_ones(records).sum())
    return proportion(right, len(records), "share of examples whose predicted class is their label")


def mean_confidence(records: Sequence[CleanRecord]) -> Score:
    """How probable the model finds the right answer."""
    return mean(numbers(records, "confidence"), "mean probability of the label", 0.0, 1.0)


def matthews_correlation(records: Sequence[CleanRecord]) -> Score:
    """Matthews correlation, which classes of unequal size do not flatter as they do accuracy."""
    classes = 1 + int(max(numbers(records, "label").max(), numbers(records, "prediction").max()))
    return matthews(confusion(records, classes))


METRICS = {
    "accuracy": Metric(accuracy, "accuracy"),
    "mean_confidence": Metric(mean_confidence, "confidence", better=""),
    "matthews": Metric(matthews_correlation, "Matthews correlation", ""),
}


def scores(records: Sequence[CleanRecord]) -> list[Row]:
    """Every number of the texts as they are."""
    return rows_of(METRICS, records) if records else []


def confusion(records: Sequence[CleanRecord], classes: int) -> list[list[int]]:
    """How often each class (row) was predicted as each class (column)."""
    counts = np.zeros((classes, classes), dtype=np.int64)
    np.add.at(counts, (numbers(records, "label").astype(int), numbers(records, "prediction").astype(int)), 1)
    return [[int(count) for count in row] for row in counts]


def right_ones(records: Sequence[CleanRecord]) -> np.ndarray:
    """Which examples are answered rightly."""
    return numbers(records, "prediction") == numbers(records, "label")


def good(record: CleanRecord) -> bool:
    """Whether the label was predicted."""
    return record.prediction == record.label


def questions(records: Sequence[CleanRecord]) -> dict[Question, Answers]:
    """Whether each example is answered rightly."""
    return {Question("accuracy", title="accuracy"): answered(records, right_ones(records))}


CLEAN = Trial(
    CleanRecord,
    every_example,
    run,
    scores,
    good=good,
    questions=questions,
    confusion=confusion,
    facts=lambda records, labels: {"confusion": confusion(records, len(labels))},
    elsewhere=ANSWERS,
    says="asks about the texts as they are",
    together=together,
    brief=tuple(one.name for one in fields(CleanRecord)),
)
