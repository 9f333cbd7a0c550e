"""How far representations move under changes of words and k-PGD, in every layer, and how they lie.

Movement is told beside the room between classes too (``scores.separation``).
Alignment and uniformity as Wang and Isola (ICML 2020) define them, on vectors of length 1: the mean of
‖f(x) − f(x⁺)‖² over pairs that mean the same, and log of the mean of exp(−2‖f(x) − f(y)‖²) over pairs of different
texts. Both are better the lower they are.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from unfooled.scores.intervals import mean, student
from unfooled.scores.score import Score
from unfooled.scores.separation import class_cosines, other_label, over_separation, same_label
from unfooled.settings import Settings
from unfooled.text.changes import perturbed
from unfooled.trials.columns import in_parts
from unfooled.trials.inputs import Example, Inputs
from unfooled.trials.kept.shifts import ContrastSentence, Move, Shift, ShiftRecord, Vector, gathered
from unfooled.trials.trial import Row, Trial, TrialRun, in_batches, looks_inside
from unfooled.types import Texts

SYNONYMS = "synonyms"
REVISION = "revision"
TURNED = ("antonyms", "negation")  # what makes a contrast sentence where no contrast set has one, the better first


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


def alignment(distances: Sequence[float]) -> Score:
    """How near texts and their synonym versions lie, from the squared distances of their features."""
    definition = "mean squared distance of the features of a text and its synonym version, all of length 1"
    return mean(distances, definition, 0.0, 4.0)


def uniformity(vectors: Sequence[Vector], count: int | None = None) -> Score:
    """How evenly texts spread over the sphere: 0 if all are one point, lower the more evenly.

    ``count`` is how many texts these were drawn from, where they are not all.

    Pairs share texts, so the interval is that of the jackknife over texts, Student's t on its pseudo-values, cut at
    what the number can be.

    >>> round(uniformity([(1.0, 0.0), (-1.0, 0.0)]).value, 9)
    -8.0
    """
    definition = "log of the mean of exp(-2 squared distance) over pairs of different texts, features of length 1"
    n, ends = len(vectors), (-8.0, 0.0)
    definition += f"; {n:,} of the {count:,} texts, drawn" if count is not None and count > n else ""
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


def cosine_score(values: Sequence[float] | np.ndarray, what: str) -> Score:
    """The mean cosine of representations before and after."""
    return mean(values, f"mean cosine of {what} before and after, not normalised", -1.0, 1.0)


def distance_score(values: Sequence[float] | np.ndarray, what: str) -> Score:
    """The mean distance of representations before and after."""
    return mean(values, f"mean Euclidean distance of {what} before and after, not normalised", 0.0)


def scores(records: Sequence[ShiftRecord]) -> list[Row]:
    """Moves of the features and of every layer under each perturbation; how texts and classes lie."""
    own = gathered(records)
    classes = class_cosines(partial(in_parts, records, "vector"), own.labels)
    rows = [
        Row("alignment", alignment(own.distances).called("alignment", "", "less")),
        Row("uniformity", uniformity(own.drawn, len(records)).called("uniformity", "", "less")),
        Row("same_label_cosine", same_label(classes)),
        Row("other_label_cosine", other_label(classes)),
    ]
    for cause, moves in own.causes.items():
        table = moves.table
        rows += both_moves(table[:, :2], "features", cause)
        beside = over_separation(classes, moves.cosines(len(records)))
        rows.append(Row("movement_over_separation", beside, part=cause))
        for place in range(2, table.shape[1], 2):
            what = f"{'mean' if place % 4 == 0 else 'cls'} of layer {(place + 2) // 4}"
            rows += both_moves(table[:, place : place + 2], f"the {what}", f"{cause}, {what}", detail=True)
    return rows


def both_moves(table: np.ndarray, what: str, part: str, detail: bool = False) -> list[Row]:
    """Cosine and distance of representations before and after, the two columns of a table."""
    cosines, distances = table[:, 0], table[:, 1]
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
    also_reads=("contrast",),
    unable=looks_inside,
    together=in_batches,
    says="measures how far texts move inside the network when their words or vectors are changed",
)
