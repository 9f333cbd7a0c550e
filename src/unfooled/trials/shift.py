"""How far representations move under changes of words and k-PGD, in every layer, and how they lie.

Movement is told beside the room between classes too (``scores.separation``).
Alignment and uniformity as Wang and Isola (ICML 2020) define them, on vectors of length 1: the mean of
‖f(x) − f(x⁺)‖² over pairs that mean the same, and log of the mean of exp(−2‖f(x) − f(y)‖²) over pairs of different
texts. Both are better the lower they are.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from unfooled.scores.intervals import mean, student
from unfooled.scores.score import Score
from unfooled.scores.separation import class_cosines, other_label, over_separation, same_label
from unfooled.settings import Settings
from unfooled.text.changes import perturbed
from unfooled.trials.inputs import Example, Inputs
from unfooled.trials.trial import Row, Trial, TrialRun, in_batches, looks_inside
from unfooled.types import Texts

SYNONYMS = "synonyms"
REVISION = "revision"
TURNED = ("antonyms", "negation")  # what makes a contrast sentence where no contrast set has one, the better first
Vector = tuple[float, ...]


@dataclass(frozen=True)
class Move:
    """How far one text moved in one layer, by its first token's state and by the mean of all."""

    cls_cosine: float
    cls_distance: float
    mean_cosine: float
    mean_distance: float


@dataclass(frozen=True)
class Shift:
    """A text under one perturbation: its move in every layer from 1, and that of what the last layer reads."""

    cause: str
    layers: tuple[Move, ...]
    cosine: float
    distance: float


@dataclass(frozen=True)
class ContrastSentence:
    """A sentence like another that means something else: where it comes from, and its features of length 1.

    ``kind`` is "revision" where a contrast set has it, else the change of words that made it.
    """

    kind: str
    texts: tuple[str, ...]
    vector: Vector


@dataclass(frozen=True)
class ShiftRecord:
    """An example under each perturbation that could be made of it.

    ``vector`` are the features of the text, ``moved`` those of its synonym version, both of length 1; ``moved`` is
    None where no word of the text has a synonym. ``contrast`` is None where there is none.
    """

    index: int
    label: int
    texts: tuple[str, ...]
    shifts: tuple[Shift, ...]
    vector: Vector
    moved: Vector | None
    contrast: ContrastSentence | None = None


@dataclass(frozen=True)
class Contrasted:
    """An example with a revision of it that a contrast set gives another label."""

    texts: Texts
    label: int
    revision: Texts


class ShiftSettings(Settings):
    """What moves the texts: changes of words by name, and k-PGD of these radii; at most so many examples."""

    kinds: tuple[str, ...] = (SYNONYMS, "typos")
    eps: tuple[Annotated[float, Field(gt=0, allow_inf_nan=False)], ...] = (0.02, 0.075, 0.1)
    steps: int = Field(default=3, ge=1)
    most: int | None = Field(default=200, ge=1)


def units(inputs: Inputs, settings: ShiftSettings, seed: int) -> list[Example | Contrasted]:
    """As many examples as the settings allow; originals of a contrast set with their revision of another label."""
    members = inputs.contrast or ()
    originals = {member.group: Example(tuple(member.texts), member.label) for member in members if member.original}
    revisions: dict[Example, Texts] = {}
    for member in members:
        original = originals.get(member.group)
        if original is not None and member.label != original.label:
            revisions.setdefault(original, tuple(member.texts))
    some = inputs.some(settings.most, seed)
    return [Contrasted(*one, revisions[one]) if one in revisions else one for one in some]


def run(trial: TrialRun, done: Collection[int]) -> Iterator[ShiftRecord]:
    """How far each text moves under each perturbation, and where its contrast sentence lies."""
    from unfooled.models.encoders.classifier import still
    from unfooled.trials.inside import moves
    from unfooled.trials.inside.batch import batches, frozen

    model, texts, settings = trial.victim.model, trial.texts, trial.settings
    revisions = {place: unit.revision for place, unit in enumerate(trial.units) if isinstance(unit, Contrasted)}
    changed = {(one.index, one.kind): one.texts for one in perturbed(texts, settings.kinds, trial.seed, trial.places)}
    others = contrasts(texts, revisions, trial.seed, trial.places)
    for batch in batches(model, texts, trial.labels, trial.batch_size, done, trial.places):
        rows = batch.index.tolist()
        with still(model.classifier), frozen(model.classifier):
            before = moves.seen(model, batch.tokens)
            shifts: list[list[Shift]] = [[] for _ in rows]
            synonyms: dict[int, Vector] = {}
            for kind in settings.kinds:
                places = [place for place, row in enumerate(rows) if (row, kind) in changed]
                if places:
                    after = moves.seen(model, moves.read(model, [changed[rows[place], kind] for place in places]))
                    note(shifts, places, kind, moves.moved(places, before, after))
                    if kind == SYNONYMS:
                        synonyms = dict(zip(places, moves.unit(after.features), strict=True))
            for eps in settings.eps:
                after = moves.seen(model, batch.tokens, moves.climbed(batch, eps, settings.steps))
                note(shifts, range(len(rows)), f"pgd {eps:g}", moves.moved(range(len(rows)), before, after))
            contrary = placed(model, [others.get(row) for row in rows])
        facts = zip(rows, batch.label.tolist(), shifts, moves.unit(before.features), contrary, strict=True)
        for place, (row, label, own, vector, contrast) in enumerate(facts):
            if row not in done:
                yield ShiftRecord(row, label, tuple(texts[row]), tuple(own), vector, synonyms.get(place), contrast)


def note(shifts: Sequence[list[Shift]], places: Sequence[int], cause: str, moved: Sequence[Any]) -> None:
    """Add to each place's shifts what became of it."""
    for place, (by_layer, cosine, distance) in zip(places, moved, strict=True):
        shifts[place].append(Shift(cause, tuple(Move(*layer) for layer in by_layer), cosine, distance))


def contrasts(
    texts: Sequence[Texts], revisions: Mapping[int, Texts], seed: int, places: Sequence[int] | None = None
) -> dict[int, tuple[str, Texts]]:
    """The contrast sentence of each example that has one, and its kind: a revision before an antonym before a negation.

    >>> contrasts([("A good film.",), ("It rained.",), ("Rain",)], {}, 0)
    {0: ('antonyms', ('A bad film.',)), 1: ('negation', ('It did not rain.',))}
    """
    made = {(one.index, one.kind): one.texts for one in perturbed(texts, TURNED, seed, places)}
    known = made | {(index, REVISION): tuple(own) for index, own in revisions.items()}
    order = (REVISION, *TURNED)
    first = {index: next((kind for kind in order if (index, kind) in known), None) for index in range(len(texts))}
    return {index: (kind, known[index, kind]) for index, kind in first.items() if kind is not None}


def placed(model: Any, sentences: Sequence[tuple[str, Texts] | None]) -> list[ContrastSentence | None]:
    """Contrast sentences with what the network makes of them; None stays None."""
    from unfooled.trials.inside.moves import features_of

    own = [one for one in sentences if one is not None]
    if not own:
        return [None] * len(sentences)
    vectors = iter(features_of(model, [texts for _, texts in own]))
    return [None if one is None else ContrastSentence(one[0], tuple(one[1]), next(vectors)) for one in sentences]


def causes(records: Sequence[ShiftRecord]) -> list[str]:
    """The perturbations, in order of first occurrence."""
    return list(dict.fromkeys(shift.cause for record in records for shift in record.shifts))


def under(records: Sequence[ShiftRecord], cause: str) -> list[Shift]:
    """The shifts of one cause."""
    return [shift for record in records for shift in record.shifts if shift.cause == cause]


def cosines_under(records: Sequence[ShiftRecord], cause: str) -> list[float | None]:
    """The cosine of each example's features before and after; None where this cause did not move it."""
    return [next((one.cosine for one in record.shifts if one.cause == cause), None) for record in records]


def alignment(records: Sequence[ShiftRecord]) -> Score:
    """How near texts and their synonym versions lie."""
    values = [
        math.fsum((one - other) ** 2 for one, other in zip(record.vector, record.moved, strict=True))
        for record in records
        if record.moved is not None
    ]
    definition = "mean squared distance of the features of a text and its synonym version, all of length 1"
    return mean(values, definition, 0.0, 4.0)


def uniformity(vectors: Sequence[Vector]) -> Score:
    """How evenly texts spread over the sphere: 0 if all are one point, lower the more evenly.

    Pairs share texts, so the interval is that of the jackknife over texts, Student's t on its pseudo-values, cut at
    what the number can be.

    >>> round(uniformity([(1.0, 0.0), (-1.0, 0.0)]).value, 9)
    -8.0
    """
    definition = "log of the mean of exp(-2 squared distance) over pairs of different texts, features of length 1"
    n, ends = len(vectors), (-8.0, 0.0)
    if n < 2:
        return Score(math.nan, *ends, n, definition, least=ends[0], most=ends[1])
    points = np.asarray(vectors, dtype=np.float64)
    squares = (points**2).sum(axis=1)
    distances = np.maximum(squares[:, None] + squares[None, :] - 2 * points @ points.T, 0.0)
    kernel = np.exp(-2 * distances)
    np.fill_diagonal(kernel, 0.0)
    rows = kernel.sum(axis=1)
    whole = float(rows.sum())
    value = math.log(whole / (n * (n - 1)))
    unknown = Score(value, *ends, n, definition, least=ends[0], most=ends[1])
    if n < 4:
        return unknown
    without = np.log((whole - 2 * rows) / ((n - 1) * (n - 2)))
    error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    half = student(n - 1) * error
    return unknown.between(value - half, value + half)


def cosine_score(values: Sequence[float], what: str) -> Score:
    """The mean cosine of representations before and after."""
    return mean(values, f"mean cosine of {what} before and after, not normalised", -1.0, 1.0)


def distance_score(values: Sequence[float], what: str) -> Score:
    """The mean distance of representations before and after."""
    return mean(values, f"mean Euclidean distance of {what} before and after, not normalised", 0.0)


def scores(records: Sequence[ShiftRecord]) -> list[Row]:
    """Moves of the features and of every layer under each perturbation; how texts and classes lie."""
    classes = class_cosines([record.vector for record in records], [record.label for record in records])
    rows = [
        Row("alignment", alignment(records).called("alignment", "", "less")),
        Row("uniformity", uniformity([record.vector for record in records]).called("uniformity", "", "less")),
        Row("same_label_cosine", same_label(classes)),
        Row("other_label_cosine", other_label(classes)),
    ]
    for cause in causes(records):
        own = under(records, cause)
        features = [one.cosine for one in own], [one.distance for one in own]
        rows += both_moves(*features, "features", cause)
        rows.append(
            Row("movement_over_separation", over_separation(classes, cosines_under(records, cause)), part=cause)
        )
        for layer in range(len(own[0].layers)):
            for pooling in ("cls", "mean"):
                cosines = [getattr(one.layers[layer], f"{pooling}_cosine") for one in own]
                distances = [getattr(one.layers[layer], f"{pooling}_distance") for one in own]
                what = f"{pooling} of layer {layer + 1}"
                rows += both_moves(cosines, distances, f"the {what}", f"{cause}, {what}", detail=True)
    return rows


def both_moves(
    cosines: Sequence[float], distances: Sequence[float], what: str, part: str, detail: bool = False
) -> list[Row]:
    """Cosine and distance of representations before and after."""
    return [
        Row("cosine", cosine_score(cosines, what).called("cosine", ""), part=part, detail=detail),
        Row("distance", distance_score(distances, what).called("distance", "", "less"), part=part, detail=detail),
    ]


SHIFT = Trial(
    ShiftRecord,
    units,
    run,
    scores,
    ShiftSettings,
    unit="shifted example",
    brief=tuple(one.name for one in fields(ShiftRecord)),
    also_reads=("contrast",),
    unable=looks_inside,
    together=in_batches,
    says="measures how far texts move inside the network when their words or vectors are changed",
)
