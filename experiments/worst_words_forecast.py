"""How well a gradient forecasts what exchanging a word does, layer by layer: docs/papers/worst_words.md.

Of validation texts every word that has candidates is exchanged, one at a time, for some of them; what the loss really
does is held against what gains say at the table of word vectors and behind each layer, read by the network itself or by
another one (an old copy). ``python experiments/worst_words_forecast.py MODEL DATA.jsonl [TEXTS [OTHER MODEL]]``; DATA
has rows of ``text`` and ``label``, none of which the model was trained on.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from grid import markdown

from unfooled.models.encoders.classifier import still
from unfooled.models.encoders.pretrained import TextModel, load
from unfooled.seeds import digest
from unfooled.substitution.alone import WordsAlone
from unfooled.substitution.gains import Exchange, gains
from unfooled.substitution.reading import WordReader, standing
from unfooled.substitution.sources import Candidates
from unfooled.text.document import Document, read
from unfooled.types import Tokens

SOURCES = ("any_sense", "typos")
EACH = 6  # candidates of a word


def exchanges_of(
    document: Document, source: str, candidates: Candidates, reader: WordReader, seed: int
) -> tuple[list[Exchange], list[Document]]:
    """The exchanges of one text, and the texts they make."""
    random = np.random.default_rng(seed)
    spans = reader.located([(document,)]).places[0][0]
    exchanges, texts = [], []
    for place, own in enumerate(candidates.lists(document, (source,), random)):
        some = [own[number] for number in random.permutation(len(own))[:EACH]]
        pieces = dict(zip(some, reader.pieces(some, standing(document, place)), strict=True))
        pieces = {word: ids for word, ids in pieces.items() if ids}
        if pieces and spans[place][1] > spans[place][0]:
            exchanges.append(Exchange(0, spans[place], list(pieces.values())))
            texts += [document.replace({place: word}) for word in pieces]
    return exchanges, texts


def losses(model: TextModel, reader: WordReader, documents: Sequence[Document], label: int) -> torch.Tensor:
    """What the network pays for each of these texts."""
    found = []
    for first in range(0, len(documents), 64):
        tokens = reader.located([(one,) for one in documents[first : first + 64]]).tokens
        with torch.no_grad():
            logits = model.classifier(tokens).logits
        found.append(F.cross_entropy(logits, torch.full((len(logits),), label), reduction="none"))
    return torch.cat(found)


def forecasts(
    model: TextModel,
    alone: Sequence[WordsAlone],
    tokens: Tokens,
    label: int,
    exchanges: Sequence[Exchange],
) -> tuple[list[np.ndarray], float]:
    """What gains say of every candidate: at the table, and behind each layer."""
    network = model.classifier
    delta = torch.zeros(*tokens.ids.shape, network.width, requires_grad=True)
    output = network(tokens, delta, layers=range(len(alone)))
    loss = F.cross_entropy(output.logits, torch.tensor([label]))
    at_table, *behind = torch.autograd.grad(loss, [delta, *output.layers])
    said = [gains(at_table, tokens.ids, network.table, exchanges)]
    said += [own.gains(gradient, tokens.ids, exchanges) for own, gradient in zip(alone, behind, strict=True)]
    return [np.concatenate(values) for values in said], float(loss.detach())


def measured(model: TextModel, other: TextModel, rows: Sequence[dict[str, str]], source: str) -> list[list[str]]:
    """Correlations with what really happens, and what the exchange is worth that each would choose in a text."""
    reader = WordReader(model.tokenizer, model.max_length)
    depth, names = model.classifier.depth, list(model.labels)
    alone = [WordsAlone(other.classifier, number, reader.frame) for number in range(1, depth)]
    candidates = Candidates.of((source,), None)
    truth, said, chosen = [], [], []
    for row in rows:
        document, label = read(row["text"]), names.index(row["label"])
        exchanges, texts = exchanges_of(document, source, candidates, reader, digest(row["text"]))
        if exchanges:
            guesses, before = forecasts(model, alone, reader.located([(document,)]).tokens, label, exchanges)
            really = (losses(model, reader, texts, label) - before).numpy()
            truth.append(really)
            said.append(guesses)
            chosen.append([really[np.argmax(guess)] for guess in guesses] + [really.max()])
    every = np.concatenate(truth)
    worth = np.sum(chosen, axis=0)
    lines = []
    for number in range(depth):
        own = np.concatenate([guesses[number] for guesses in said])
        where = f"behind layer {number}" if number else "at the table"
        figures = [f"{np.corrcoef(own, every)[0, 1]:.2f}", f"{worth[number] / worth[-1]:.2f}"]
        lines.append([source, where, *figures, f"{len(every):,}"])
    return lines


if __name__ == "__main__":
    torch.set_num_threads(1)
    model = load(sys.argv[1])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 100
    other = load(sys.argv[4]) if len(sys.argv) > 4 else model
    rows = [json.loads(line) for line in Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()[:count]]
    head = ["candidates", "compared", "correlation with what happens", "worth of the one it chooses", "exchanges"]
    with still(model.classifier):
        print(markdown(head, [line for source in SOURCES for line in measured(model, other, rows, source)]))
