"""Texts with the tokens of their words: what a network reads, and where in it each word stands."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from unfooled.errors import BadInput
from unfooled.text.document import Document
from unfooled.types import Texts, Tokens

CARRIER = "the"  # what a word stands behind when it is cut into pieces: its pieces may depend on the space before it
REMEMBERED = 1 << 18  # words whose pieces are kept

Documents = tuple[Document, ...]  # one for each text of a row
Span = tuple[int, int]


@dataclass(frozen=True)
class Located:
    """Rows of texts as tokens, and of every row and text the tokens [first, last) of each of its words.

    A word that is cut off, wholly or in part, has no tokens: (0, 0).
    """

    tokens: Tokens
    places: list[tuple[list[Span], ...]]


class WordReader:
    """A fast tokenizer that also says where words are; it remembers the pieces of words."""

    def __init__(self, tokenizer: Any, max_length: int) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise BadInput(
                f"{type(tokenizer).__name__} does not say which characters a token stands for; words can only be "
                "exchanged under a fast tokenizer (one with a tokenizer.json)"
            )
        self.tokenizer, self.max_length = tokenizer, max_length
        self.known: dict[str, tuple[int, ...]] = {}
        self.before = len(self._ids([CARRIER])[0])

    @property
    def mask(self) -> str | None:
        """The token that hides a word, where the tokenizer has one."""
        return self.tokenizer.mask_token

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
        """The texts up to the end of the last word that the network reads; the same tokens, and no more to search."""
        if sum(map(len, texts)) <= self.max_length:
            return texts  # a token has at least a character
        out = self.tokenizer(*([text] for text in texts), truncation=True, max_length=self.max_length, verbose=False)
        encoding = out.encodings[0]
        owner, offsets = encoding.sequence_ids, encoding.offsets
        cut = []
        for column, text in enumerate(texts):
            last = max((end for one, (_, end) in zip(owner, offsets, strict=True) if one == column), default=0)
            rest = re.match(r"\S*", text[last:])
            cut.append(text[: last + (rest.end() if rest else 0)])
        return tuple(cut)

    def pieces(self, words: Sequence[str]) -> list[tuple[int, ...]]:
        """The token ids of each word as it stands inside a text."""
        new = [word for word in dict.fromkeys(words) if word not in self.known]
        if len(self.known) + len(new) > REMEMBERED:
            self.known.clear()
            new = list(dict.fromkeys(words))
        if new:
            special = self.mask
            whole = self._ids([f"{CARRIER} {word}" for word in new if word != special])
            plain = iter(whole)
            for word in new:
                own = (self.tokenizer.mask_token_id,) if word == special else tuple(next(plain)[self.before :])
                self.known[word] = own
        return [self.known[word] for word in words]

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        if not texts:
            return []
        return self.tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]


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
