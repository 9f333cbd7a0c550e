"""Running text in blocks that each fill the longest input a model takes."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

WORD = re.compile(r"\S+")
AT_ONCE = 2000  # paragraphs tokenised in one call


@dataclass(frozen=True)
class Blocks:
    """Texts, and how many tokens each has as the model reads it."""

    texts: list[str]
    lengths: np.ndarray

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, rows: Sequence[int] | np.ndarray) -> "Blocks":
        """Some of the blocks."""
        return Blocks([self.texts[row] for row in rows], self.lengths[np.asarray(rows)])


def in_blocks(paragraphs: Sequence[str], tokenizer: Any, max_length: int) -> Blocks:
    """Consecutive words, across paragraphs, joined until the next would not fit; cut between words only."""
    special = tokenizer.num_special_tokens_to_add()
    room = max_length - special
    texts: list[str] = []
    lengths: list[int] = []
    pieces: list[str] = []
    used = 0
    for text, starts, ends, tokens in measured(paragraphs, tokenizer):
        before = np.concatenate([[0], np.cumsum(tokens)])
        word = 0
        while word < len(starts):
            last = int(np.searchsorted(before, before[word] + room - used, side="right")) - 1
            if last <= word and pieces:  # not even one word fits any more
                texts.append(" ".join(pieces))
                lengths.append(used + special)
                pieces, used = [], 0
                continue
            last = max(last, word + 1)  # a word longer than a whole block is cut when it is read
            pieces.append(text[starts[word] : ends[last - 1]])
            used += int(before[last] - before[word])
            word = last
    if pieces:
        texts.append(" ".join(pieces))
        lengths.append(used + special)
    return Blocks(texts, np.minimum(np.asarray(lengths, dtype=np.int64), max_length))


def measured(paragraphs: Sequence[str], tokenizer: Any) -> Iterator[tuple[str, np.ndarray, np.ndarray, np.ndarray]]:
    """Each paragraph with the starts and ends of its words and the number of tokens of each."""
    for start in range(0, len(paragraphs), AT_ONCE):
        some = list(paragraphs[start : start + AT_ONCE])
        tokens = tokenizer(some, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        for text, offsets in zip(some, tokens["offset_mapping"], strict=True):
            spans = np.array([match.span() for match in WORD.finditer(text)], dtype=np.int64).reshape(-1, 2)
            # By its last character a token belongs to one word, even where its first is the space before it.
            last = np.array([end for _, end in offsets], dtype=np.int64) - 1
            owner = np.searchsorted(spans[:, 0], last, side="right") - 1
            yield text, spans[:, 0], spans[:, 1], np.bincount(np.maximum(owner, 0), minlength=len(spans))
