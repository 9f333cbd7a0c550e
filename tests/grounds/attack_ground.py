"""A random classifier in a folder that small changes do fool, and reviews that it answers rightly; no training."""

import csv
from pathlib import Path

import torch
from tiny import reviews, save_encoder
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

from unfooled.models import Classifier, TextModel, probabilities, save

LABELS = ("negative", "positive")


def tiny_model(folder: Path, seed: int = 1) -> TextModel:
    """A two-layer BERT of wide random weights over the words of ``tiny``."""
    if not (folder / "encoder").is_dir():
        save_encoder(folder / "encoder")
    tokenizer = AutoTokenizer.from_pretrained(folder / "encoder")
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=32, initializer_range=0.5, id2label=dict(enumerate(LABELS)),
        label2id={label: number for number, label in enumerate(LABELS)},
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = BertForSequenceClassification(config).train(False)
    return TextModel(Classifier(network), tokenizer, LABELS, 32, "tiny")


def read_otherwise(folder: Path, how: str) -> None:
    """Have a saved model answer otherwise by the same weights and words: another activation, or capitals that stay."""
    path, old, new = {
        "activation": (folder / "config.json", '"hidden_act": "gelu"', '"hidden_act": "relu"'),
        "capitals": (folder / "tokenizer.json", '"normalizer": {\n    "type": "Lowercase"\n  }', '"normalizer": null'),
    }[how]
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def save_ground(folder: Path, count: int = 40) -> Path:
    """``model/``, ``encoder/`` and ``reviews.csv`` in a folder; the labels are the model's own answers."""
    model = tiny_model(folder)
    save(model, folder / "model", "# tiny")
    texts = [f"{text} {number}" for number, (text, _) in enumerate(reviews(count, seed=2))]
    answers = probabilities(model, texts).argmax(axis=1)
    with (folder / "reviews.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "label"])
        writer.writerows((text, LABELS[answer]) for text, answer in zip(texts, answers, strict=True))
    return folder
