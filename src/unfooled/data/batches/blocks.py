"""Running text in blocks that each fill the longest input a model takes."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

WORD = re.compile(r"\S+")
AT_ONCE = 2000  # paragraphs tokenised in one call
LETTERS_AT_ONCE = 2**20  # and no more letters, for each token's place is a Python object while its words are counted


class TextRows(Protocol):
    """Texts by number, held or read as they are asked for."""

    def __len__(self) -> int: ...

    def __getitem__(self, row: int, /) -> str: ...


@dataclass(frozen=True)
class Chosen:
    """Some of many texts, none of them read before it is asked for."""

    texts: TextRows
    rows: np.ndarray

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, row: int, /) -> str:
        return self.texts[int(self.rows[row])]


@dataclass(frozen=True)
class Blocks:
    """Texts, and how many tokens each has as the model reads it."""

    texts: TextRows
    lengths: np.ndarray

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, rows: Sequence[int] | np.ndarray) -> "Blocks":
        """Some of the blocks."""
        return Blocks(Chosen(self.texts, np.asarray(rows)), self.lengths[np.asarray(rows)])

    def first(self, count: int) -> list[str]:
        """The texts of the first blocks."""
        return [self.texts[row] for row in range(min(count, len(self)))]


def in_blocks(paragraphs: Iterable[str], tokenizer: Any, max_length: int) -> Blocks:
    """The blocks of paragraphs, all held."""
    found = list(blocks_of(paragraphs, tokenizer, max_length))
    return Blocks([text for text, _ in found], np.array([length for _, length in found], dtype=np.int64))


def blocks_of(paragraphs: Iterable[str], tokenizer: Any, max_length: int) -> Iterator[tuple[str, int]]:
    """Consecutive words, across paragraphs, joined until the next would not fit; cut between words only.

    Each block comes with its tokens, special ones included.
    """
    special = tokenizer.num_special_tokens_to_add()
    room = max_length - special
    pieces: list[str] = []
    used = 0
    for text, starts, ends, tokens in measured(paragraphs, tokenizer):
        before = np.concatenate([[0], np.cumsum(tokens)])
        word = 0
        while word < len(starts):
            last = int(np.searchsorted(before, before[word] + room - used, side="right")) - 1
            if last <= word and pieces:  # not even one word fits any more
                yield " ".join(pieces), min(used + special, max_length)
                pieces, used = [], 0
                continue
            last = max(last, word + 1)  # a word longer than a whole block is cut when it is read
            pieces.append(text[starts[word] : ends[last - 1]])
            used += int(before[last] - before[word])
            word = last
    if pieces:
        yield " ".join(pieces), min(used + special, max_length)


def measured(paragraphs: Iterable[str], tokenizer: Any) -> Iterator[tuple[str, np.ndarray, np.ndarray, np.ndarray]]:
    """Each paragraph with the starts and ends of its words and the number of tokens of each."""
    for some in by_size(paragraphs):
        tokens = tokenizer(some, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        for text, offsets in zip(some, tokens["offset_mapping"], strict=True):
            spans = np.array([match.span() for match in WORD.finditer(text)], dtype=np.int64).reshape(-1, 2)
            # By its last character a token belongs to one word, even where its first is the space before it.
            last = np.array([end for _, end in offsets], dtype=np.int64) - 1
            owner = np.searchsorted(spans[:, 0], last, side="right") - 1
            yield text, spans[:, 0], spans[:, 1], np.bincount(np.maximum(owner, 0), minlength=len(spans))


def by_size(paragraphs: Iterable[str]) -> Iterator[list[str]]:
    """Paragraphs in lists that are tokenised in one call."""
    some: list[str] = []
    letters = 0
    for paragraph in paragraphs:
        if some and (len(some) == AT_ONCE or letters + len(paragraph) > LETTERS_AT_ONCE):
            yield some
            some, letters = [], 0
        some.append(paragraph)
        letters += len(paragraph)
    if some:
        yield some
