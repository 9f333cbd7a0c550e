"""Each trial's records and the numbers read off them; whoever only reads results needs nothing else, and no torch."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from pydantic import TypeAdapter

from unfooled.attacks.records import AttackRecord
from unfooled.errors import BadInput
from unfooled.evaluation.agreement import matthews
from unfooled.evaluation.answered import SCORES, Answered, parts, scored
from unfooled.evaluation.attack_summary import attack_scores, attack_warnings
from unfooled.evaluation.behaviour import CaseRecord, scores_by_kind, scores_by_test
from unfooled.evaluation.contrast import ContrastRecord, contrast_scores
from unfooled.evaluation.hit_scores import HitRecord, hits_by
from unfooled.evaluation.metrics import Score, confusion, health, scores
from unfooled.evaluation.records import Record
from unfooled.evaluation.shift_scores import (
    ShiftRecord,
    alignment,
    causes,
    cosine_score,
    distance_score,
    under,
    uniformity,
)
from unfooled.evaluation.transfer import TRANSFER_METRICS, TransferRecord


@dataclass(frozen=True)
class Measured:
    """One number of a trial: at which radius, of which part (a test, a layer); a detail is left out of short tables."""

    metric: str
    score: Score
    eps: float | None = None
    part: str | None = None
    detail: bool = False


@dataclass(frozen=True)
class Measure:
    """What a trial's records are, what they are of, which data that comes from, and what is read off them."""

    record: type
    scores: Callable[[Sequence[Any]], list[Measured]]
    warnings: Callable[[Sequence[Any]], list[str]] = lambda _: []
    unit: str = "example"
    source: str = "data"


def plain(records: Sequence[Record]) -> list[Measured]:
    """The numbers of clean and pgd."""
    return [Measured(name, score, eps) for eps, name, score in scores(records)]


def of_clean(records: Sequence[Record]) -> list[Measured]:
    """The numbers of clean; Matthews correlation is not flattered by classes of unequal size, as accuracy is."""
    if not records:
        return plain(records)
    classes = 1 + max(max(record.label, record.prediction) for record in records)
    return [*plain(records), Measured("matthews", matthews(confusion(records, classes)))]


def of_attack(records: Sequence[AttackRecord]) -> list[Measured]:
    """The numbers of an attack in words."""
    shown = ("accuracy_under_attack", "attack_success", "f1_under_attack", "words_changed", "similarity", "queries")
    return [Measured(name, score, detail=name not in shown) for name, score in attack_scores(records).items()]


def of_answers(problem: str, records: Sequence[Answered]) -> list[Measured]:
    """The task's own scores, where the answer is no class; of originals and versions apart."""
    return [
        Measured(name, score, part=part.name, detail=part.detail)
        for part in parts(records)
        for name, score in scored(problem, part).items()
    ]


def of_contrast(records: Sequence[ContrastRecord]) -> list[Measured]:
    """The numbers of a contrast set."""
    return [Measured(name, score) for name, score in contrast_scores(records).items()]


def of_transfer(records: Sequence[TransferRecord]) -> list[Measured]:
    """The numbers of stored adversaries."""
    return [Measured(name, metric(records)) for name, metric in TRANSFER_METRICS.items()]


def of_behaviour(records: Sequence[CaseRecord]) -> list[Measured]:
    """The failure rate of each kind of test, and of each test."""
    found = [Measured("failure_rate", score, part=kind) for kind, score in scores_by_kind(records).items()]
    for (kind, test), score in scores_by_test(records).items():
        # Tests of stored suites have the suite's name before their own, and are many.
        found.append(Measured("failure_rate", score, part=f"{kind} {test}", detail=": " in test))
    return found


def of_hits(records: Sequence[HitRecord]) -> list[Measured]:
    """Hits of the best layer, which its definition names and which differs from model to model, and of every layer."""
    found = {pooling: hits_by(records, pooling) for pooling in ("cls", "mean", "bertscore")}
    best = [Measured("hits", hits.best, part=pooling) for pooling, hits in found.items()]
    return best + [
        Measured("hits_by_layer", score, part=f"{pooling}, layer {layer}", detail=True)
        for pooling, hits in found.items()
        for layer, score in enumerate(hits.by_layer, start=1)
    ]


def of_shift(records: Sequence[ShiftRecord]) -> list[Measured]:
    """Moves of the features and of every layer under each perturbation; alignment and uniformity."""
    found = [
        Measured("alignment", alignment(records)),
        Measured("uniformity", uniformity([record.vector for record in records])),
    ]
    for cause in causes(records):
        own = under(records, cause)
        found.append(Measured("cosine", cosine_score([one.cosine for one in own], "features"), part=cause))
        found.append(Measured("distance", distance_score([one.distance for one in own], "features"), part=cause))
        for layer in range(len(own[0].layers)):
            for pooling in ("cls", "mean"):
                part, what = f"{cause}, {pooling} of layer {layer + 1}", f"the {pooling} of layer {layer + 1}"
                cosines = [getattr(one.layers[layer], f"{pooling}_cosine") for one in own]
                distances = [getattr(one.layers[layer], f"{pooling}_distance") for one in own]
                found.append(Measured("cosine", cosine_score(cosines, what), part=part, detail=True))
                found.append(Measured("distance", distance_score(distances, what), part=part, detail=True))
    return found


ATTACK = Measure(AttackRecord, of_attack, attack_warnings, unit="attacked example")
MEASURES: dict[str, Measure] = {
    "clean": Measure(Record, of_clean),
    "pgd": Measure(Record, plain, health),
    "pwws": ATTACK,
    "textfooler": ATTACK,
    "deepwordbug": ATTACK,
    "random": ATTACK,
    "transfer": Measure(TransferRecord, of_transfer, unit="adversary", source="adversaries"),
    "contrast": Measure(ContrastRecord, of_contrast, unit="text of a contrast set", source="contrast"),
    "invariance": Measure(CaseRecord, of_behaviour, unit="case"),
    "hits": Measure(HitRecord, of_hits, unit="triple"),
    "shift": Measure(ShiftRecord, of_shift, unit="shifted example"),
}


# Of models that are asked for something else than a class.
ANSWERS: dict[str, dict[str, Measure]] = {
    problem: {
        "clean": Measure(Answered, partial(of_answers, problem)),
        "invariance": Measure(Answered, partial(of_answers, problem), unit="version"),
    }
    for problem in SCORES
}


def measure_of(trial: str, problem: str = "class") -> Measure:
    """What is read off a trial of models that are asked for a class, or for something else."""
    table = MEASURES if problem == "class" else ANSWERS.get(problem, {})
    if trial not in table:
        asked = "" if problem == "class" else f" of a {problem}"
        raise BadInput(
            f"a log is of a trial called {trial}{asked}, which this unfooled does not know; "
            "use the unfooled that wrote it"
        )
    return table[trial]


@cache
def reader_of(trial: str, problem: str = "class") -> TypeAdapter[Any]:
    """What reads a trial's records."""
    return TypeAdapter(measure_of(trial, problem).record)
