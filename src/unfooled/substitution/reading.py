"""Texts with the tokens of their words: what a network reads, and where in it each word stands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import torch

from unfooled.errors import BadInput
from unfooled.text.document import Document
from unfooled.tokens import bounded
from unfooled.types import Texts, Tokens

REMEMBERED = 1 << 18  # words whose pieces are kept
# How a word is cut into pieces may depend on what stands before it: nothing, a space, or a sign without a space.
FIRST, SPACED, JOINED = "", "the ", "("
SPACE = re.compile(r"\s")
FURTHER = 200  # characters

Documents = tuple[Document, ...]  # one for each text of a row
Span = tuple[int, int]


@dataclass(frozen=True)
class Located:
    """Rows of texts as tokens, and of every row and text the tokens [first, last) of each of its words.

    A word that is cut off, wholly or in part, has no tokens: (0, 0).
    """

    tokens: Tokens
    places: list[tuple[list[Span], ...]]

    def at(self, rows: Sequence[int]) -> "Located":
        """Some of the rows."""
        chosen, tokens = list(rows), self.tokens
        segments = None if tokens.segments is None else tokens.segments[chosen]
        part = replace(tokens, ids=tokens.ids[chosen], mask=tokens.mask[chosen], segments=segments)
        return Located(part, [self.places[row] for row in chosen])


class WordReader:
    """A fast tokenizer that also says where words are; it remembers the pieces of words."""

    def __init__(self, tokenizer: Any, max_length: int) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise BadInput(
                f"{type(tokenizer).__name__} does not say which characters a token stands for; words can only be "
                "exchanged under a fast tokenizer (one with a tokenizer.json)"
            )
        self.tokenizer, self.max_length = tokenizer, max_length
        self.known: dict[tuple[str, str], tuple[int, ...]] = {}

    @property
    def mask(self) -> str | None:
        """The token that hides a word, where the tokenizer has one."""
        return self.tokenizer.mask_token

    @property
    def frame(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The signs that stand before and behind every single text."""
        encoding = self.tokenizer(["the"], verbose=False).encodings[0]
        own = [place for place, column in enumerate(encoding.sequence_ids) if column is not None]
        return tuple(encoding.ids[: own[0]]), tuple(encoding.ids[own[-1] + 1 :])

    def located(self, rows: Sequence[Documents]) -> Located:
        """The rows as one rectangle, and the tokens of their words."""
        columns = [[document.text for document in column] for column in zip(*rows, strict=True)]
        out = self.tokenizer(*columns, truncation=True, max_length=self.max_length, padding=False, verbose=False)
        lengths = [len(ids) for ids in out["input_ids"]]
        shape = len(rows), max(lengths)
        ids = np.full(shape, self.tokenizer.pad_token_id or 0, dtype=np.int64)
        segments = np.zeros(shape, dtype=np.int64)
        for row, length in enumerate(lengths):
            ids[row, :length] = out["input_ids"][row]
            if "token_type_ids" in out:
                segments[row, :length] = out["token_type_ids"][row]
        mask = np.arange(shape[1]) < np.array(lengths)[:, None]
        tokens = Tokens(
            torch.from_numpy(ids),
            torch.from_numpy(mask),
            torch.from_numpy(segments) if "token_type_ids" in out else None,
        )
        return Located(tokens, [places_of(out.encodings[row], documents) for row, documents in enumerate(rows)])

    def within(self, texts: Texts) -> Texts:
        """The texts up to the end of the last word that the network reads; the same tokens, and no more to search.

        Which text of a pair is cut by how much depends on which is longer, so one of them may have to stay longer.
        """
        if sum(map(len, texts)) <= self.max_length:
            return texts  # a token has at least a character
        texts = bounded(self.tokenizer, texts, self.max_length)
        whole = self._cut(texts)
        owner, offsets = whole.sequence_ids, whole.offsets
        ends = [
            max((end for one, (_, end) in zip(owner, offsets, strict=True) if one == column), default=0)
            for column in range(len(texts))
        ]
        for more in product((0, FURTHER), repeat=len(texts)):
            places = zip(texts, ends, more, strict=True)
            shorter = tuple(text[: end_of_word(text, end + further)] for text, end, further in places)
            if self._cut(shorter).ids == whole.ids:
                return shorter
        return texts

    def _cut(self, texts: Texts) -> Any:
        out = self.tokenizer(*([text] for text in texts), truncation=True, max_length=self.max_length, verbose=False)
        return out.encodings[0]

    def pieces(self, words: Sequence[str], before: str = SPACED) -> list[tuple[int, ...]]:
        """The token ids of each word as it stands inside a text, after what ``standing`` says."""
        new = [word for word in dict.fromkeys(words) if (before, word) not in self.known]
        if len(self.known) + len(new) > REMEMBERED:
            self.known.clear()
            new = list(dict.fromkeys(words))
        if new:
            cut = self.tokenizer([before + word for word in new], add_special_tokens=False, verbose=False)
            for word, encoding in zip(new, cut.encodings, strict=True):
                self.known[before, word] = own_pieces(encoding, len(before))
        return [self.known[before, word] for word in words]


def end_of_word(text: str, place: int) -> int:
    """Where what stands at a place ends, at a space or at the end of the text."""
    space = SPACE.search(text, place)
    return space.start() if space else len(text)


def own_pieces(encoding: Any, begins: int) -> tuple[int, ...]:
    """The tokens of what begins at a character."""
    return tuple([piece for piece, (_, end) in zip(encoding.ids, encoding.offsets, strict=True) if end > begins])


def standing(document: Document, place: int) -> str:
    """What stands for what is before a word: FIRST, SPACED or JOINED.

    >>> from unfooled.text.document import read
    >>> [standing(read("Good (very good)"), place) for place in range(3)]
    ['', '(', 'the ']
    """
    start = document.spans[place][0]
    if place == 0 and not document.text[:start].strip():
        return FIRST
    return SPACED if document.text[start - 1].isspace() else JOINED


def places_of(encoding: Any, documents: Documents) -> tuple[list[Span], ...]:
    """The tokens of every word of a row, by text."""
    owner = np.array([-1 if one is None else one for one in encoding.sequence_ids])
    offsets = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
    return tuple(
        word_places(offsets, np.flatnonzero(owner == column), document) for column, document in enumerate(documents)
    )


def word_places(offsets: np.ndarray, own: np.ndarray, document: Document) -> list[Span]:
    """The tokens, among its ``own``, of each word of one text."""
    if not len(own) or not len(document):
        return [(0, 0)] * len(document)
    starts, ends = np.array(document.spans, dtype=np.int64).T
    first = np.searchsorted(offsets[own, 1], starts, side="right")  # the first token that ends after the word begins
    last = np.searchsorted(offsets[own, 0], ends, side="left")  # the first that begins after the word ends
    whole = (last > first) & (offsets[own[np.maximum(last, 1) - 1], 1] >= ends) & (ends > starts)
    return [
        (int(own[begin]), int(own[end - 1]) + 1) if there else (0, 0)
        for begin, end, there in zip(first, last, whole, strict=True)
    ]


def texts_of(documents: Documents) -> Texts:
    """The texts of a row."""
    return tuple(document.text for document in documents)
