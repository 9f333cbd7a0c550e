"""worst_words reads, scores and trains any encoder and a TextCNN alike."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from exchange_ground import NAMES, batch_of, save_neighbours, task_of, tiny_model
from support import ARCHITECTURES, Lone, tiny_network
from tiny import reviews

from unfooled.methods import WorstWords
from unfooled.models.encoders.classifier import Classifier
from unfooled.models.encoders.pretrained import TextModel
from unfooled.models.encoders.text_cnn import TextCNN, TextCNNConfig
from unfooled.tokens import encode
from unfooled.types import Texts

ROWS = reviews(48)
TEXTS: list[Texts] = [(text,) for text, _ in ROWS]
LABELS = [NAMES.index(label) for _, label in ROWS]
PAIRS: list[Texts] = [(text, "a very good film") for text, _ in ROWS]
# One word is exchanged: of more, a first-order guess is no better than chance in networks this small.
SETTINGS: dict[str, Any] = {
    "sources": ("near",),
    "start": 0.0,
    "share": (0.01, 0.01),
    "turns": "off",
    "begin": 0.0,
    "warmup": 0.0,
}


@pytest.fixture(autouse=True)
def neighbours_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNFOOLED_DATA", str(save_neighbours(tmp_path)))


def learnt(kind: str, folder: Path) -> TextModel:
    """A network of a kind behind the tiny tokenizer, that has learnt to tell good from bad."""
    if kind == "textcnn":
        torch.manual_seed(0)
        sizes = {"vocab_size": 60, "embedding_width": 16, "filters": 8, "windows": (1, 2), "dropout": 0.0}
        network: Any = TextCNN(TextCNNConfig(**sizes))
    else:
        network = tiny_network(kind)
    model = replace(tiny_model(folder), classifier=Classifier(network))
    if kind in ("roberta", "mpnet"):
        model.tokenizer.pad_token = model.tokenizer.convert_ids_to_tokens(1)  # where these networks expect padding
    encoded = encode(model.tokenizer, TEXTS, 32)
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    for _ in range(60):
        optimizer.zero_grad()
        F.cross_entropy(model.classifier(encoded.pad(range(48))).logits, torch.tensor(LABELS)).backward()
        optimizer.step()
    optimizer.zero_grad()
    return model


def second_loss(model: TextModel, pick: str, epochs: int = 1) -> float:
    """The mean loss of the second pass, of the worst words or, epoch by epoch, of words drawn."""
    objective = WorstWords(**SETTINGS, pick=pick).build(model.classifier, task_of(model, TEXTS, LABELS))
    objective.eval()
    batches = [batch_of(model, TEXTS, LABELS, range(48), epoch) for epoch in range(epochs)]
    losses = [float(objective.step(Lone(), batch).terms["worst words"].sum) / 48 for batch in batches]
    model.classifier.zero_grad()
    return sum(losses) / epochs


@pytest.mark.parametrize("kind", [*ARCHITECTURES, "textcnn"])
def test_what_it_chooses_hurts_more_than_what_is_drawn(kind: str, tmp_path: Path) -> None:
    model = learnt(kind, tmp_path)
    assert second_loss(model, "worst") > 1.5 * second_loss(model, "blind", epochs=8)


@pytest.mark.parametrize("kind", ["distilbert", "roberta", "textcnn"])
def test_a_pair_is_trained_by_every_kind(kind: str, tmp_path: Path) -> None:
    model = learnt(kind, tmp_path)
    objective = WorstWords(**SETTINGS).build(model.classifier, task_of(model, PAIRS, LABELS))
    before = objective.step(Lone(), batch_of(model, PAIRS, LABELS, range(8)))
    assert float(before.terms["worst words"].sum) > 0
    still = [name for name, own in model.classifier.named_parameters() if own.grad is None]
    assert not [name for name in still if "pooler" not in name]
