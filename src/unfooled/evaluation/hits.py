"""Runs triples through an encoder and compares what it makes of their texts, layer by layer."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from unfooled.evaluation.hit_scores import HitRecord, Near
from unfooled.evaluation.representations import POOLINGS, alikeness, content, layers
from unfooled.models.encoders.classifier import still
from unfooled.text.triples import Triple
from unfooled.tokens import encode
from unfooled.types import Tokens

TRIPLES = 24  # in one batch


def hits(
    network: Any, tokenizer: Any, triples: Sequence[Triple], max_length: int = 128, done: Collection[int] = ()
) -> Iterator[HitRecord]:
    """A record of each triple that is not done; ``network`` is any Hugging Face model with an encoder.

    A batch holds triples of like length, and every text of it once: equal texts are equally near.
    """
    where = next(network.parameters()).device
    order = sorted(range(len(triples)), key=lambda place: -len(triples[place].original))
    for start in range(0, len(order), TRIPLES):
        places = order[start : start + TRIPLES]
        if all(place in done for place in places):
            continue
        some = [triples[place] for place in places]
        texts = [text for triple in some for text in (triple.original, triple.synonym, triple.antonym)]
        rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
        encoded = encode(tokenizer, list(rows), max_length)
        tokens = encoded.pad(range(len(rows))).to(where)
        index = torch.tensor([rows[text] for text in texts], device=where).view(-1, 3)
        with still(network), torch.inference_mode():
            near = nearness(layers(network, tokens)[1:], tokens, content(tokens, tokenizer.all_special_ids), index)
        for place, triple, own in zip(places, some, near, strict=True):
            if place not in done:
                yield HitRecord(place, triple.index, triple.original, triple.synonym, triple.antonym, *own)


def nearness(states: Sequence[Tensor], tokens: Tokens, words: Tensor, index: Tensor) -> list[tuple[Near, Near, Near]]:
    """Of each triple (a row of ``index``), by each comparison, its two likenesses in every layer."""
    found = []
    for pooling in POOLINGS:
        sides = [
            torch.stack(
                [alikeness(pooling, layer, tokens.mask, words, index[:, 0], index[:, side]) for layer in states]
            )
            for side in (1, 2)
        ]
        found.append(torch.stack(sides, dim=-1).transpose(0, 1).tolist())  # [triples, layers, 2]
    return [
        tuple(tuple((pair[0], pair[1]) for pair in by_layer) for by_layer in own)  # type: ignore[misc]
        for own in zip(*found, strict=True)
    ]
