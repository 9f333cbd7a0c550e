"""Hits (CLINE 4.6): how often a text is nearer to its synonym version than to its antonym version."""

from collections.abc import Sequence
from dataclasses import dataclass

from unfooled.evaluation.metrics import Score, proportion

Near = tuple[tuple[float, float], ...]  # of every layer from 1: likeness to the synonym and to the antonym version


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


@dataclass(frozen=True)
class Hits:
    """The share of triples that are hits, by layer from 1, and the layer where it is highest."""

    by_layer: tuple[Score, ...]
    best: Score
    layer: int


def hits_by(records: Sequence[HitRecord], pooling: str) -> Hits:
    """Hits by one comparison; a tie is no hit.

    The best layer is chosen on the same triples, as in the paper, so its share is a little too high.
    """
    near: list[Near] = [getattr(record, pooling) for record in records]
    depth = len(near[0]) if near else 0
    scores = tuple(
        proportion(
            sum(own[layer][0] > own[layer][1] for own in near),
            len(near),
            f"share of triples whose original is nearer to its synonym version than to its antonym version, by "
            f"{pooling} of layer {layer + 1}",
        )
        for layer in range(depth)
    )
    if not scores:
        return Hits((), proportion(0, 0, "no triples"), 0)
    layer = max(range(depth), key=lambda place: (scores[place].value, -place))
    found = scores[layer]
    definition = f"{found.definition}, the best of {depth} layers on these triples"
    return Hits(scores, Score(found.value, found.low, found.high, found.n, definition), layer + 1)
