"""Tiny models of numbers, sets of labels and spans in folders, untrained but decided, and data to ask them about."""

from collections.abc import Sequence
from pathlib import Path

import torch
from task_ground import numbers, questions, sets, written
from tiny import save_encoder
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from unfooled.heads import AT_LEAST_ONE, HEADS
from unfooled.models import ModelSettings, TextModel, build, save
from unfooled.models.encoders.classifier import last_linear

LABELS = {"regression": ("score",), "multilabel": ("bad", "good"), "span": ("start", "end")}


def save_head(
    folder: Path, task: str, seed: int = 0, name: str = "", labels: Sequence[str] = (), bias: float = 0.0
) -> str:
    """A model with a last layer so wide that its answers differ from text to text; all logits are moved by ``bias``."""
    if not (folder / "encoder").is_dir():
        save_encoder(folder / "encoder", dropout=0.0)
    model: TextModel = build(
        ModelSettings(name=str(folder / "encoder"), max_length=32), labels or LABELS[task], seed, HEADS[task]
    )
    with torch.no_grad():
        last_linear(model.classifier.network).weight.mul_(60)
        last_linear(model.classifier.network).bias.add_(bias)
    place = folder / (name or task)
    save(model, place, "# tiny")
    return str(place)


def says_at_least_one(folder: str) -> None:
    """Mark a saved model as one that never says nothing."""
    network = AutoModelForSequenceClassification.from_pretrained(folder)
    network.config.update({AT_LEAST_ONE: True})
    network.save_pretrained(folder)


def save_data(folder: Path) -> dict[str, str]:
    """A file for each task, by its name."""
    return {
        "regression": numbers(folder / "numbers.jsonl", 40),
        "multilabel": sets(folder / "sets.jsonl", 40),
        "span": questions(folder / "questions.jsonl", 24, longest=20),
    }


def dialogues(path: Path, relations: Sequence[Sequence[str]], count: int = 20) -> str:
    """Dialogues of DialogRE's form, whose pair is spoken of in them; the sets go round."""
    films = ["a fine film", "a bad film", "a lovely story", "an awful plot", "a great scene", "a cold actor"]
    rows = [
        {
            "dialogue": [
                f"Speaker 1: It was {films[number % 6]}, and the actor was {'good' if number % 4 else 'poor'}.",
                f"Speaker 2: Monica's film? It is {'very' if number % 3 else 'quite'} warm, it was great {number}!",
            ],
            "relations": [{"x": "Speaker 1", "y": "Monica Film", "r": list(relations[number % len(relations)])}],
        }
        for number in range(count)
    ]
    return written(path, rows)


def logits(folder: str, texts: Sequence[Sequence[str]]) -> list[list[float]]:
    """What plain transformers says of each text, one by one."""
    network = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    found = []
    with torch.no_grad():
        for text in texts:
            given = tokenizer(*text, return_tensors="pt", truncation=True, max_length=32)
            found.append(network(**given).logits[0].tolist())
    return found
