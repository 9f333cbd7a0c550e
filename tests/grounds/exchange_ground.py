"""Words to be exchanged: a table of neighbours on disk, a tiny network that has learnt what is good, rows of texts."""

import gzip
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import torch
import torch.nn.functional as F
from tiny import BAD, GOOD, OTHER, reviews, save_encoder

from unfooled.methods.objective import TrainingTask
from unfooled.models import ModelSettings, build
from unfooled.models.encoders.pretrained import TextModel
from unfooled.substitution.reading import WordReader
from unfooled.substitution.worst import WordRow
from unfooled.text.document import read
from unfooled.tokens import encode
from unfooled.types import Batch, Texts

NAMES = ("negative", "positive")
# Words that the tiny encoder knows, each with the others of its kind; some opinions are near ones of the other kind.
NEAR: dict[str, tuple[str, ...]] = {
    **{word: tuple(other for other in OTHER if other != word) for word in OTHER},
    **{word: (*GOOD[:place], *GOOD[place + 1 :], BAD[place - 1]) for place, word in enumerate(GOOD)},
    **{word: (*BAD[:place], *BAD[place + 1 :], GOOD[place - 1]) for place, word in enumerate(BAD)},
}


def save_neighbours(folder: Path, table: Mapping[str, Sequence[str]] = NEAR) -> Path:
    """A table as the counter-fitted one lies below a data folder."""
    own = folder / "counterfitted_neighbors"
    own.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps({"word": word, "neighbors": list(near)}) + "\n" for word, near in table.items())
    packed = gzip.compress(lines.encode())
    (own / "neighbors.jsonl.gz").write_bytes(packed)
    files = {"neighbors.jsonl.gz": {"sha256": hashlib.sha256(packed).hexdigest()}}
    (own / "meta.json").write_text(json.dumps({"files": files}))
    return folder


def tiny_model(folder: Path, dropout: float = 0.0) -> TextModel:
    """A new classifier over the tiny encoder."""
    encoder = folder / "encoder"
    if not encoder.exists():
        save_encoder(encoder, dropout)
    return build(ModelSettings(name=str(encoder), dropout=dropout), NAMES, seed=0)


def learnt_model(folder: Path, dropout: float = 0.0) -> TextModel:
    """A tiny classifier that has learnt, without dropout, to tell good from bad."""
    model = tiny_model(folder, dropout)
    model.classifier.eval()
    rows = reviews(64)
    encoded = encode(model.tokenizer, [(text,) for text, _ in rows], 32)
    labels = torch.tensor([NAMES.index(label) for _, label in rows])
    optimizer = torch.optim.Adam(model.classifier.parameters(), lr=3e-3)
    for _ in range(30):
        optimizer.zero_grad()
        F.cross_entropy(model.classifier(encoded.pad(range(64))).logits, labels).backward()
        optimizer.step()
    optimizer.zero_grad()
    return model


def task_of(model: TextModel, texts: Sequence[Texts], labels: Sequence[int], steps: int = 10) -> TrainingTask:
    """A task of these texts, as a method is told of it."""
    reader = WordReader(model.tokenizer, model.max_length)
    known = {"names": NAMES, "texts": texts, "reader": reader}
    return TrainingTask(classes=2, labels=torch.tensor(labels), steps=steps, seed=0, **known)


def batch_of(
    model: TextModel, texts: Sequence[Texts], labels: Sequence[int], places: Sequence[int], epoch: int = 0
) -> Batch:
    """Some of the texts as one batch."""
    tokens = encode(model.tokenizer, texts, model.max_length).pad(list(places))
    chosen = torch.tensor([labels[place] for place in places])
    return Batch(torch.tensor(list(places)), chosen, {"original": tokens}, (0, epoch), {"examples": len(places)})


def row_of(texts: Texts, candidates: Mapping[str, tuple[str, ...]], share: float = 1.0) -> WordRow:
    """A row whose words have these candidates, whatever their case."""
    documents = tuple(read(text) for text in texts)
    lists = tuple([candidates.get(word.lower(), ()) for word in document.words] for document in documents)
    return WordRow(documents, lists, {}, share)
