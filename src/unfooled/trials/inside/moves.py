"""What a network makes of texts, and how far that moves under a change: tensors, for the trial ``shift``."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from unfooled.models.encoders.pretrained import TextModel
from unfooled.models.encoders.representations import has_layers, layers, pooled
from unfooled.perturb import k_pgd, worst_case
from unfooled.tokens import encode
from unfooled.trials.inside.batch import VictimBatch
from unfooled.types import Texts, Tokens

PLACES = 5  # of a stored vector's entries


@dataclass(frozen=True)
class Seen:
    """What a network makes of texts: the features of each [n, H] and its pooled states in every layer, by pooling."""

    features: Tensor
    cls: tuple[Tensor, ...]
    mean: tuple[Tensor, ...]


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


def features_of(model: TextModel, texts: Sequence[Texts]) -> list[tuple[float, ...]]:
    """The features of texts, of length 1."""
    with torch.no_grad():
        return unit(model.classifier(read(model, texts)).features.double())


def climbed(batch: VictimBatch, eps: float, steps: int) -> Tensor:
    """The perturbation k-PGD ends at, from none."""
    mask = batch.tokens.mask
    none = torch.zeros(*mask.shape, batch.classifier.width, device=mask.device)
    return worst_case(
        k_pgd(eps, steps), none, mask, lambda delta: batch.losses(batch.classifier(batch.tokens, delta)).sum()
    )


def moved(places: Sequence[int], before: Seen, after: Seen) -> list[tuple[list[tuple[float, ...]], float, float]]:
    """How far each place moved: by layer (cosine and distance by both poolings), and cosine and distance of features.

    Row i of ``after`` is that of ``places[i]``.
    """
    rows = torch.tensor(list(places), device=before.features.device)

    def gaps(one: Tensor, other: Tensor) -> tuple[list[float], list[float]]:
        cosines = F.cosine_similarity(one[rows], other, dim=-1).clamp(-1, 1)
        return cosines.tolist(), torch.linalg.vector_norm(other - one[rows], dim=-1).tolist()

    by_layer = [
        list(zip(*gaps(cls, new_cls), *gaps(mean, new_mean), strict=True))
        for cls, new_cls, mean, new_mean in zip(before.cls, after.cls, before.mean, after.mean, strict=True)
    ]
    cosines, distances = gaps(before.features, after.features)
    return [([layer[row] for layer in by_layer], cosines[row], distances[row]) for row in range(len(places))]


def unit(features: Tensor) -> list[tuple[float, ...]]:
    """Vectors of length 1, as a log keeps them."""
    rows = F.normalize(features, dim=-1).cpu().tolist()
    return [tuple(round(value, PLACES) for value in row) for row in rows]
