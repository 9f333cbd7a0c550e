"""Moves representations about, by words and inside the embeddings, and says how far they went in every layer."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any

import torch
import torch.nn.functional as F
from pydantic import Field
from torch import Tensor

from unfooled.evaluation.representations import has_layers, layers, pooled
from unfooled.evaluation.shift_scores import Contrast, Move, Shift, ShiftRecord, Vector
from unfooled.evaluation.trials import Victims, batches, frozen
from unfooled.models import TextModel, still
from unfooled.perturb import k_pgd, worst_case
from unfooled.settings import Settings
from unfooled.text.changes import perturbed
from unfooled.tokens import encode
from unfooled.types import Texts, Tokens

SYNONYMS = "synonyms"
REVISION = "revision"
TURNED = ("antonyms", "negation")  # what makes a contrast sentence where no contrast set has one, the better first
PLACES = 5  # of a stored vector's entries


class ShiftSettings(Settings):
    """What moves the texts: changes of words by name, and k-PGD of these radii; at most so many examples."""

    kinds: tuple[str, ...] = (SYNONYMS, "typos")
    eps: tuple[Annotated[float, Field(gt=0, allow_inf_nan=False)], ...] = (0.02, 0.075, 0.1)
    steps: int = Field(default=3, ge=1)
    most: int | None = Field(default=200, ge=1)


@dataclass(frozen=True)
class Seen:
    """What a network makes of texts: the features of each [n, H] and its pooled states in every layer, by pooling."""

    features: Tensor
    cls: tuple[Tensor, ...]
    mean: tuple[Tensor, ...]


def shift(
    model: TextModel,
    texts: Sequence[Texts],
    labels: Sequence[int],
    settings: ShiftSettings,
    batch_size: int = 64,
    seed: int = 0,
    done: Collection[int] = (),
    revisions: Mapping[int, Texts] = MappingProxyType({}),
) -> Iterator[ShiftRecord]:
    """How far each text moves under each perturbation; examples in ``done`` are left out.

    ``revisions`` are the contrast sentences of examples that a contrast set has one of; others are made here.
    """
    changed = {(one.index, one.kind): one.texts for one in perturbed(texts, settings.kinds, seed)}
    others = contrasts(texts, revisions, seed)
    for victims in batches(model, texts, labels, batch_size, done):
        rows = victims.index.tolist()
        with still(model.classifier), frozen(model.classifier):
            before = seen(model, victims.tokens)
            found: list[list[Shift]] = [[] for _ in rows]
            moved: list[Vector | None] = [None] * len(rows)
            for kind in settings.kinds:
                places = [place for place, row in enumerate(rows) if (row, kind) in changed]
                if places:
                    after = seen(model, read(model, [changed[rows[place], kind] for place in places]))
                    note(found, places, kind, before, after)
                    if kind == SYNONYMS:
                        for place, vector in zip(places, unit(after.features), strict=True):
                            moved[place] = vector
            for eps in settings.eps:
                after = seen(model, victims.tokens, climbed(victims, eps, settings.steps))
                note(found, range(len(rows)), f"pgd {eps:g}", before, after)
            contrary = placed(model, [others.get(row) for row in rows])
        facts = zip(rows, victims.label.tolist(), found, unit(before.features), moved, contrary, strict=True)
        for row, label, shifts, vector, *rest in facts:
            if row not in done:
                yield ShiftRecord(row, label, tuple(texts[row]), tuple(shifts), vector, *rest)


def contrasts(texts: Sequence[Texts], revisions: Mapping[int, Texts], seed: int) -> dict[int, tuple[str, Texts]]:
    """The contrast sentence of each example that has one, and its kind: a revision before an antonym before a negation.

    >>> contrasts([("A good film.",), ("It rained.",), ("Rain",)], {}, 0)
    {0: ('antonyms', ('A bad film.',)), 1: ('negation', ('It did not rain.',))}
    """
    made = {(one.index, one.kind): one.texts for one in perturbed(texts, TURNED, seed)}
    known = made | {(index, REVISION): tuple(own) for index, own in revisions.items()}
    order = (REVISION, *TURNED)
    first = {index: next((kind for kind in order if (index, kind) in known), None) for index in range(len(texts))}
    return {index: (kind, known[index, kind]) for index, kind in first.items() if kind is not None}


def placed(model: TextModel, found: Sequence[tuple[str, Texts] | None]) -> list[Contrast | None]:
    """Contrast sentences with what the network makes of them; None stays None."""
    own = [one for one in found if one is not None]
    if not own:
        return [None] * len(found)
    with torch.no_grad():
        features = model.classifier(read(model, [texts for _, texts in own])).features.double()
    vectors = iter(unit(features))
    return [None if one is None else Contrast(one[0], tuple(one[1]), next(vectors)) for one in found]


def read(model: TextModel, texts: Sequence[Texts]) -> Tokens:
    """Texts as one batch on the model's device."""
    where = next(model.classifier.parameters()).device
    return encode(model.tokenizer, texts, model.max_length).pad(range(len(texts))).to(where)


def seen(model: TextModel, tokens: Tokens, delta: Tensor | None = None) -> Seen:
    """What the network makes of these tokens."""
    with torch.no_grad():
        features = model.classifier(tokens, delta).features.double()
        network: Any = model.classifier.network
        states = layers(network, tokens, delta)[1:] if has_layers(network) else ()
    by_pooling = [tuple(pooled(one.double(), tokens.mask, pooling) for one in states) for pooling in ("cls", "mean")]
    return Seen(features, *by_pooling)


def climbed(victims: Victims, eps: float, steps: int) -> Tensor:
    """The perturbation k-PGD ends at, from none."""
    mask = victims.tokens.mask
    none = torch.zeros(*mask.shape, victims.classifier.width, device=mask.device)
    return worst_case(
        k_pgd(eps, steps), none, mask, lambda delta: victims.losses(victims.classifier(victims.tokens, delta)).sum()
    )


def note(found: Sequence[list[Shift]], places: Sequence[int], cause: str, before: Seen, after: Seen) -> None:
    """Add to each place's shifts what became of it; row i of ``after`` is that of ``places[i]``."""
    rows = torch.tensor(list(places), device=before.features.device)

    def gaps(one: Tensor, other: Tensor) -> tuple[list[float], list[float]]:
        cosines = F.cosine_similarity(one[rows], other, dim=-1).clamp(-1, 1)
        return cosines.tolist(), torch.linalg.vector_norm(other - one[rows], dim=-1).tolist()

    by_layer = [
        list(zip(*gaps(cls, new_cls), *gaps(mean, new_mean), strict=True))
        for cls, new_cls, mean, new_mean in zip(before.cls, after.cls, before.mean, after.mean, strict=True)
    ]
    cosines, distances = gaps(before.features, after.features)
    for row, place in enumerate(places):
        moves = tuple(Move(*layer[row]) for layer in by_layer)
        found[place].append(Shift(cause, moves, cosines[row], distances[row]))


def unit(features: Tensor) -> list[Vector]:
    """Vectors of length 1, as a log keeps them."""
    rows = F.normalize(features, dim=-1).cpu().tolist()
    return [tuple(round(value, PLACES) for value in row) for row in rows]
