"""Hits (CLINE 4.6): how often a text is nearer to its synonym version than to its antonym version, layer by layer."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import add

from pydantic import Field

from unfooled.errors import BadInput
from unfooled.scores.intervals import proportion
from unfooled.scores.score import Score
from unfooled.settings import Settings
from unfooled.text.triples import Triple, triples
from unfooled.trials.inputs import Inputs
from unfooled.trials.trial import Row, Trial, TrialRun, looks_inside
from unfooled.victims.victim import Victim

TRIPLES = 24  # in one batch
COMPARISONS = ("cls", "mean", "bertscore")
Near = tuple[tuple[float, float], ...]  # of every layer from 1: likeness to the synonym and to the antonym version


class HitsSettings(Settings):
    """How many texts at most triples are made of."""

    most: int | None = Field(default=500, ge=1)


@dataclass(frozen=True)
class HitRecord:
    """A triple and how alike its texts are in every layer, by three comparisons; ``text`` is its place in the data."""

    index: int
    text: int
    original: str
    synonym: str
    antonym: str
    cls: Near
    mean: Near
    bertscore: Near


def units(inputs: Inputs, settings: HitsSettings, seed: int) -> list[Triple]:
    """Triples of the texts."""
    every = triples([one.texts for one in inputs.some(settings.most, seed)], seed)
    if not every:
        raise BadInput(
            "no text has a word with a synonym and one with an antonym, so there are no triples; leave hits out"
        )
    return every


def unable(victim: Victim, units: Sequence[Triple]) -> str | None:
    """Why a model has no layers to compare texts in."""
    reason = looks_inside(victim, units)
    if reason is not None:
        return reason
    from unfooled.models.encoders.representations import has_layers

    if has_layers(victim.model.classifier.network):
        return None
    return f"it looks into layers of token states, and {victim.name} has none; leave it out for such models"


def run(trial: TrialRun, done: Collection[int]) -> Iterator[HitRecord]:
    """How alike the texts of each triple are; a batch holds triples of like length."""
    from unfooled.models.encoders.representations import triple_likeness

    model, every = trial.victim.model, trial.units
    for places in together(trial):
        if all(place in done for place in places):
            continue
        texts = [(every[place].original, every[place].synonym, every[place].antonym) for place in places]
        likeness = triple_likeness(model.classifier.network, model.tokenizer, texts, model.max_length)
        for place, own in zip(places, likeness, strict=True):
            if place not in done:
                near = [tuple((pair[0], pair[1]) for pair in by_layer) for by_layer in own]
                yield HitRecord(place, every[place].index, *texts[places.index(place)], *near)


def together(trial: TrialRun) -> list[list[int]]:
    """Triples of like length."""
    order = sorted(range(len(trial.units)), key=lambda place: -len(trial.units[place].original))
    return [order[start : start + TRIPLES] for start in range(0, len(order), TRIPLES)]


def hits_by_layer(records: Sequence[HitRecord], comparison: str) -> list[Score]:
    """The share of triples that are hits by one comparison, by layer from 1; a tie is no hit."""
    hits: list[int] = []
    for record in records:
        near: Near = getattr(record, comparison)
        hits = list(map(add, hits or [0] * len(near), map(is_hit, near)))
    return [share_of(count, len(records), f"{comparison} of layer {layer}") for layer, count in enumerate(hits, 1)]


def is_hit(near: tuple[float, float]) -> bool:
    """Whether a text is more like its synonym version than like its antonym version."""
    alike, contrary = near
    return alike > contrary


def share_of_hits(near: Sequence[tuple[float, float]], by: str) -> Score:
    """The share of triples that are more like their synonym version than like their antonym version."""
    return share_of(sum(map(is_hit, near)), len(near), by)


def share_of(hits: int, count: int, by: str) -> Score:
    """The share of so many triples that are hits."""
    return proportion(
        hits,
        count,
        f"share of triples whose original is nearer to its synonym version than to its antonym version, by {by}",
    ).called("hits")


def best_hits(by_layer: Sequence[Score]) -> Score:
    """The highest share of all layers, which its definition names and which differs from model to model.

    The best layer is chosen on the same triples, as in the paper, so its share is a little too high.
    """
    if not by_layer:
        return proportion(0, 0, "no triples").called("hits")
    best = max(by_layer, key=lambda score: score.value)  # the first of equals
    return replace(best, definition=f"{best.definition}, the best of {len(by_layer)} layers on these triples")


def scores(records: Sequence[HitRecord]) -> list[Row]:
    """Hits of the best layer and of every layer, by each comparison."""
    every = {comparison: hits_by_layer(records, comparison) for comparison in COMPARISONS}
    best = [Row("hits", best_hits(by_layer), part=comparison) for comparison, by_layer in every.items()]
    return best + [
        Row("hits_by_layer", score, part=f"{comparison}, layer {layer}", detail=True)
        for comparison, by_layer in every.items()
        for layer, score in enumerate(by_layer, start=1)
    ]


HITS = Trial(
    HitRecord,
    units,
    run,
    scores,
    HitsSettings,
    unit="triple",
    together=together,
    unable=unable,
    says="looks whether a text with a synonym lies nearer to the text, inside the network, than one with an antonym",
)
