"""Texts under the worst small move of their word vectors (k-PGD), at each of some radii."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import numpy as np
from pydantic import Field, field_validator

from unfooled.errors import BadInput
from unfooled.scores.intervals import mean, proportion
from unfooled.scores.score import Score
from unfooled.scores.separation import ClassCosines, class_cosines, other_label, over_separation, same_label
from unfooled.settings import Settings
from unfooled.trials.columns import answered, in_arrays, in_parts, numbers, some
from unfooled.trials.kept.climbs import BRIEF, AtRadius, PGDRecord, WorstPoint, at, by_radius, radii, with_features
from unfooled.trials.trial import (
    Answers,
    Curve,
    Metric,
    Question,
    Row,
    Trial,
    TrialRun,
    every_example,
    in_batches,
    looks_inside,
    rows_of,
)

MASKED_SHARE = 0.05  # of examples without a gradient, above which an attack by gradients proves little
DROP_SHARE = 0.1  # of the rise of the mean loss, that a single ascent step may lose again


class PGDSettings(Settings):
    """How k-PGD attacks: the radii, the ascent steps, and the climbs (all but the first begin at noise)."""

    eps: tuple[Annotated[float, Field(ge=0, allow_inf_nan=False)], ...] = (0.0, 0.02, 0.075, 0.1)
    steps: int = Field(default=3, ge=1)
    restarts: int = Field(default=1, ge=1)

    @field_validator("eps")
    @classmethod
    def different(cls, eps: tuple[float, ...]) -> tuple[float, ...]:
        """Refuse no radius at all, and the same radius twice."""
        if not eps or len(set(eps)) < len(eps):
            raise ValueError("give at least one radius, and none of them twice")
        return eps


def run(trial: TrialRun, done: Collection[int]) -> Iterator[PGDRecord]:
    """What the model says of each text at the worst perturbation k-PGD finds within each radius."""
    from unfooled.models.encoders.classifier import still
    from unfooled.models.encoders.packed_training import passing, quick_pass
    from unfooled.trials.inside.batch import batches, frozen

    model = trial.victim.model
    way = quick_pass(model.classifier)
    for batch in batches(model, trial.texts, trial.labels, trial.batch_size, done, trial.places):
        with still(model.classifier), frozen(model.classifier), passing(model.classifier, way):
            try:
                records = attacked(batch, trial.settings, trial.seed)
            except FloatingPointError as error:
                near = int(batch.key[0])
                raise BadInput(
                    f"example {near} or one near it cannot be attacked: {error}; retrain the model"
                ) from None
        yield from (record for record in records if record.index not in done)


def attacked(batch: Any, settings: PGDSettings, seed: int) -> list[PGDRecord]:
    """The records of one batch under attack."""
    from unfooled.trials.inside.climb import climbs, gradient_norms, grounded
    from unfooled.trials.inside.moves import unit

    ground, labels = grounded(batch), batch.label.tolist()
    by_radius = [
        worst(climbs(batch, ground, eps, settings.steps, settings.restarts, seed), labels) for eps in settings.eps
    ]
    facts = (
        batch.index.tolist(),
        labels,
        *batch.answers(ground.output),
        batch.losses(ground.output).tolist(),
        gradient_norms(batch, ground),
        list(zip(*by_radius, strict=True)),
        unit(ground.output.features.double()),
    )
    return [PGDRecord(*fact) for fact in zip(*facts, strict=True)]


def worst(climbs: Sequence[Sequence[Any]], labels: Sequence[int]) -> list[WorstPoint]:
    """Each example's worst outcome over all climbs within one radius, with the losses of the first climb."""
    tries = [[WorstPoint(*one) for one in climb] for climb in climbs]
    kept = [worse(some, label) for some, label in zip(zip(*tries, strict=True), labels, strict=True)]
    return [replace(one, losses=first.losses) for one, first in zip(kept, tries[0], strict=True)]


def worse(tries: Sequence[WorstPoint], label: int) -> WorstPoint:
    """The outcome to be reported: one that fools if there is any, and of those the highest loss."""
    return max(tries, key=lambda point: (point.prediction != label, point.loss))


def accuracy_under_attack(records: Sequence[AtRadius]) -> Score:
    """How often the model is right at the worst perturbation found."""
    right = int((numbers(records, "attacked") == numbers(records, "label")).sum())
    return proportion(right, len(records), "share of examples whose predicted class under attack is their label")


def attack_success(records: Sequence[AtRadius]) -> Score:
    """How often the attack turns a right answer into a wrong one."""
    known = some(records, numbers(records, "prediction") == numbers(records, "label"))
    fooled = int((numbers(known, "attacked") != numbers(known, "label")).sum())
    return proportion(fooled, len(known), "share of rightly predicted examples that are wrongly predicted under attack")


def mean_cosine(records: Sequence[AtRadius]) -> Score:
    """How well the representation keeps its direction under attack."""
    cosines = numbers(records, "cosine")
    return mean(cosines, "mean cosine of the features before and under attack, not normalised", -1.0, 1.0)


def mean_distance(records: Sequence[AtRadius]) -> Score:
    """How far the representation moves under attack."""
    distances = numbers(records, "distance")
    return mean(distances, "mean Euclidean distance of the features before and under attack, not normalised", 0.0)


METRICS = {
    "accuracy_under_attack": Metric(accuracy_under_attack, "accuracy under attack"),
    "attack_success": Metric(attack_success, "fooled", better="less"),
    "mean_cosine": Metric(mean_cosine, "cosine", ""),
    "mean_distance": Metric(mean_distance, "distance", "", "less"),
}


def scores(records: Sequence[PGDRecord]) -> list[Row]:
    """Every number at every radius, and how the classes lie."""
    rows = [row for eps in radii(records) for row in rows_of(METRICS, at(records, eps), eps)]
    known = with_features(records)
    if not len(known):
        return rows
    classes = class_cosines(partial(in_parts, known, "vector"), numbers(known, "label").tolist())
    rows += [Row("same_label_cosine", same_label(classes)), Row("other_label_cosine", other_label(classes))]
    return rows + [Row("movement_over_separation", moved_beside(classes, known, eps), eps) for eps in radii(known)]


def moved_beside(classes: ClassCosines, records: Sequence[PGDRecord], eps: float) -> Score:
    """How far the representation moves under attack beside how far classes lie apart."""
    return over_separation(classes, numbers(at(records, eps), "cosine"))


def health(records: Sequence[PGDRecord]) -> list[str]:
    """What makes an attack by gradients untrustworthy on these records; nothing where it looks sound."""
    climbed = [(place, eps) for place, eps in enumerate(radii(records)) if eps > 0]
    warnings = [found for place, eps in climbed for found in masking(by_radius(records, "paths")[:, place], eps)]
    flat = int(numbers(records, "flat").sum())
    if flat and flat / len(records) > MASKED_SHARE:
        warnings.append(
            f"zero gradient: the loss of {flat} of {len(records)} examples gives the attack no direction; "
            "it left them as they were, so their accuracy under attack proves nothing. "
            "Try attacks that need no gradient, or transfer attacks from another model."
        )
    return warnings


def masking(losses: np.ndarray, eps: float) -> list[str]:
    """A warning if the mean of the losses [n, steps + 1] does not grow from ascent step to ascent step."""
    path = losses.mean(axis=0)
    drop = float(np.max(np.maximum.accumulate(path) - path))
    rise = float(path[-1] - path[0])
    if rise > 0 and drop <= DROP_SHARE * rise:
        return []
    return [
        f"gradient masking at eps {eps:g}: the mean loss does not grow with the ascent steps "
        f"({' → '.join(f'{loss:.4g}' for loss in path)}), so the gradients mislead the attack and the "
        "accuracy under attack is likely too good. "
        "Try more steps and restarts, and transfer attacks from another model."
    ]


def right_at(records: Sequence[PGDRecord]) -> dict[float, Answers]:
    """Whether each example is answered rightly, at each radius."""
    there = {eps: at(records, eps) for eps in radii(records)}
    return {eps: answered(own, numbers(own, "attacked") == numbers(own, "label")) for eps, own in there.items()}


def questions(records: Sequence[PGDRecord]) -> dict[Question, Answers]:
    """Whether each example is answered rightly, by radius; none at all is no attack."""
    return {
        Question("accuracy_under_attack", eps, title="accuracy under attack", tested=eps > 0): answers
        for eps, answers in right_at(records).items()
    }


def points(records: Sequence[PGDRecord]) -> list[tuple[float, Score, Answers]]:
    """Accuracy over the radius, from the texts as they are on."""
    as_it_is = answered(records, numbers(records, "prediction") == numbers(records, "label"))
    answers: dict[float, Answers] = {0.0: as_it_is, **right_at(records)}
    right = {eps: int(in_arrays(own).array.sum()) for eps, own in answers.items()}
    return [(eps, proportion(right[eps], len(own), ""), own) for eps, own in sorted(answers.items())]


def good(record: PGDRecord) -> bool:
    """Whether the answer is right at every radius."""
    return all(point.prediction == record.label for point in record.attacks)


PGD = Trial(
    PGDRecord,
    every_example,
    run,
    scores,
    PGDSettings,
    unable=looks_inside,
    together=in_batches,
    warnings=health,
    good=good,
    brief=BRIEF,
    questions=questions,
    curve=Curve(
        "Accuracy over the size of a change in embedding space (k-PGD)",
        "radius eps",
        "accuracy",
        "The further a curve stays up, the larger a change of its word vectors the model withstands.",
        points,
    ),
    says=(
        "moves the vectors that stand for the words inside the network, in the direction that harms the answer most; "
        "eps is how far they may move. It changes no letter: it tests the network, not what a person could write"
    ),
)
