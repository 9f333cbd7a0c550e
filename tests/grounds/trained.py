"""Tiny networks that were really trained, and the same ones with their logits multiplied."""

from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tiny import BAD, GOOD, OTHER, save_encoder

from unfooled.attacks import Parts
from unfooled.heads import HEADS
from unfooled.models import ModelSettings, TextModel, build
from unfooled.models.encoders.classifier import last_linear
from unfooled.tokens import encode
from unfooled.types import Texts

SCALES = (0.01, 0.1, 10.0, 100.0, 1000.0)
NEAR = {
    word: tuple(words[(place + step) % len(words)] for step in (1, 2))
    for words in ([*GOOD[:3], *BAD[:3]], [*GOOD[3:], *BAD[3:]], OTHER)
    for place, word in enumerate(words)
}


def sentences(count: int, seed: int) -> tuple[list[str], np.ndarray]:
    """Sentences of good, bad and other words, and how many of the first two each has."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        words = [*random.choice(GOOD, random.integers(0, 4)), *random.choice(BAD, random.integers(0, 4))]
        words += [*random.choice(OTHER, random.integers(1, 7))]
        found.append(" ".join(random.permutation(words)))
    counts = [[sum(word in words for word in text.split()) for words in (GOOD, BAD)] for text in found]
    return found, np.array(counts)


def two(texts: list[str], counts: np.ndarray) -> tuple[list[Texts], list[Any]]:
    return [(text,) for text in texts], [int(good > bad) for good, bad in counts]


def trained(folder: Path, names: Sequence[str], texts: Sequence[Texts], labels: Sequence[Any]) -> TextModel:
    """A two-layer BERT after forty full steps; one that says sets of labels where the labels are tuples."""
    if not (folder / "encoder").is_dir():
        save_encoder(folder / "encoder", dropout=0.0)
    sets = isinstance(labels[0], tuple)
    head = HEADS["multilabel" if sets else "classification"]
    model = build(ModelSettings(name=str(folder / "encoder"), max_length=32), tuple(names), 0, head)
    tokens = encode(model.tokenizer, list(texts), 32).pad(range(len(texts)))
    gold = torch.tensor([[float(place in own) for place in range(len(names))] for own in labels] if sets else labels)
    loss_of = torch.nn.BCEWithLogitsLoss() if sets else torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.classifier.parameters(), lr=1e-2)
    for _ in range(40):
        optimizer.zero_grad()
        loss_of(model.classifier(tokens).logits, gold).backward()
        optimizer.step()
    model.classifier.train(False)
    return model


def multiplied(model: TextModel, scale: float) -> TextModel:
    """The model with its last layer, and so its logits, that many times as large; it decides as before."""
    copy = deepcopy(model)
    with torch.no_grad():
        last_linear(copy.classifier.network).weight.mul_(scale)
        last_linear(copy.classifier.network).bias.mul_(scale)
    return copy


def all_parts() -> Parts:
    """What any attack may need: substitutes of another meaning now and then, a likeness, a tagger."""
    return Parts(
        lambda document: [NEAR.get(word.lower(), ()) for word in document.words],
        lambda reference, texts: [0.9 + 0.1 / (1 + abs(len(reference) - len(text))) for text in texts],
        lambda words: ["NN"] * len(words),
    )
