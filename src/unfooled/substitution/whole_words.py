"""Candidates that a network reads whole, as what they may stand for.

A third of all candidates is cut into pieces that mean little ("und ##ec ##omp ##osed"), and no text teaches what they
mean together. What such a word may stand for is known, though: the words that it is a candidate of. With n_w the number
of times that w stands in the training texts with c among its candidates, and E the table of word vectors, c becomes a
whole word with the vector

    m(c) = Σ_w n_w · E[w] / Σ_w n_w,    at the mean length of the E[w], weighted alike

A candidate that is a whole word already keeps its vector, or with ``moved`` > 0 it is moved there too, the less the
more often it stands in the training texts itself (n_c times):

    E[c] ← ((n_c + 4) · E[c] + moved · m(c)) / (n_c + 4 + moved),    at its own length

All of it before training, from the training texts and the lists alone; then every vector learns as any other.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unfooled.models.encoders.classifier import Classifier
from unfooled.models.encoders.more_words import WORDS, takes_words, with_words
from unfooled.models.encoders.pretrained import TextModel
from unfooled.progress import Display
from unfooled.substitution.reading import Documents, WordReader
from unfooled.substitution.sources import STATIC, Candidates, usable
from unfooled.substitution.worst import without_shared
from unfooled.text.document import read
from unfooled.types import Texts

KEPT = 4.0  # times in the training texts, that what a network knows of a word beforehand counts as much as

Standing = Mapping[str, Counter[str]]  # of each candidate, how often it may stand for which words


def read_whole(
    model: TextModel, texts: Sequence[Texts], sources: Sequence[str], whole: bool = True, moved: float = 0.0
) -> TextModel:
    """The model with the candidates of the training texts' words as whole words, read as what they may stand for.

    Counted is what the network reads of the texts, and what may be exchanged there.
    """
    named = [name for name in dict.fromkeys(sources) if name in STATIC]
    lists = [name for name in usable(named, "mask", texts)[0] if name in STATIC] if named else []
    if not lists or not (whole or moved):
        return model
    if not takes_words(model):
        model.classifier.network.config.update({WORDS: 0})
        note = "candidates are not read whole: that needs a WordPiece tokenizer and a network without an adapter"
        return replace(model, notes=(*model.notes, note))
    rows = shown(texts, WordReader(model.tokenizer, model.max_length))
    standing, counts = stands_for(rows, lists, normal_form(model.tokenizer))
    known = {word: model.classifier.table[place].cpu() for word, place in model.tokenizer.get_vocab().items()}
    vectors = meanings(standing, counts, known, moved)
    vectors = {word: vector for word, vector in vectors.items() if whole or word in known}
    added = sum(word not in known for word in vectors)
    others = f", and {len(vectors) - added:,} others are moved to what they may stand for" if moved else ""
    note = f"{added:,} candidates of the training texts' words become whole words{others}"
    return replace(with_words(model, vectors), notes=(*model.notes, note))


def in_pieces(model: Classifier, sources: Sequence[str]) -> tuple[str, ...]:
    """What to say of a network whose words nobody has made whole: one of somebody's own loop."""
    asked = hasattr(getattr(getattr(model, "network", None), "config", None), WORDS)
    if asked or not set(sources) & set(STATIC):
        return ()
    return ("candidates are read in pieces: uf.prepare adds them to network and tokenizer as whole words first",)


def shown(texts: Sequence[Texts], reader: WordReader) -> Iterator[Documents]:
    """What the network reads of each row, one by one, before the eyes of whoever waits."""
    with Display("candidates, once", len(texts)) as display:
        for number, row in enumerate(texts, start=1):
            yield tuple(read(text) for text in reader.within(row))
            display.at(number)


def stands_for(
    rows: Iterable[Documents], lists: Sequence[str], normal: Callable[[str], str | None]
) -> tuple[Standing, Counter[str]]:
    """What each candidate may stand for and how often, and how often each word stands in the texts, in normal form."""
    candidates, nothing_drawn = Candidates.of(lists, None), np.random.default_rng(0)
    met: Counter[tuple[str, tuple[str, ...]]] = Counter()
    for documents in rows:
        found = tuple(candidates.lists(document, lists, nothing_drawn) for document in documents)
        for document, some in zip(documents, without_shared(documents, found), strict=True):
            met.update(zip(document.words, some, strict=True))
    standing: dict[str, Counter[str]] = {}
    counts: Counter[str] = Counter()
    for (word, own), times in met.items():
        if (formed := normal(word)) is not None:
            counts[formed] += times
            for other in {one for one in map(normal, own) if one not in (None, formed)}:
                standing.setdefault(other, Counter())[formed] += times
    return {word: standing[word] for word in sorted(standing)}, counts


def normal_form(tokenizer: Any) -> Callable[[str], str | None]:
    """How a word looks to the tokenizer before it is cut, where it is one word of letters then."""
    normalizer, cutter = tokenizer.backend_tokenizer.normalizer, tokenizer.backend_tokenizer.pre_tokenizer

    @cache
    def formed(word: str) -> str | None:
        normal = word if normalizer is None else normalizer.normalize_str(word)
        return normal if normal.isalpha() and (cutter is None or len(cutter.pre_tokenize_str(normal)) == 1) else None

    return formed


def meanings(
    standing: Standing, counts: Mapping[str, int], known: Mapping[str, Tensor], moved: float
) -> dict[str, Tensor]:
    """The new vectors: of words that are not known and, where they are ``moved``, of those that are.

    A candidate of words that are in pieces themselves gets its vector in a second round, by those of the first.
    """
    learnt: dict[str, Tensor] = {}
    for _ in range(2):
        source = {**known, **learnt}
        fresh = {word: mean(own, source) for word, own in standing.items() if word not in source}
        learnt |= {word: vector for word, vector in fresh.items() if vector is not None}
    for word, own in standing.items() if moved else ():
        if word in known and (others := mean(own, known)) is not None:
            vector = known[word].double()
            learnt[word] = at_length((counts.get(word, 0) + KEPT) * vector + moved * others, vector.norm())  # (0a)
    return learnt


def mean(own: Mapping[str, int], known: Mapping[str, Tensor]) -> Tensor | None:
    """m(c) of (0), by those of its words that are known; None where none is."""
    words = [word for word in own if word in known]
    if not words:
        return None
    vectors = torch.stack([known[word] for word in words]).double()  # so that no order of adding up is seen
    weights = torch.tensor([own[word] for word in words], dtype=torch.float64)
    weights /= weights.sum()
    return at_length(weights @ vectors, weights @ vectors.norm(dim=1))


def at_length(vector: Tensor, length: Tensor) -> Tensor:
    """A vector at another length."""
    return vector * (length / vector.norm().clamp(min=1e-12))
