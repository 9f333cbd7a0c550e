"""Texts become padded tokens: tokenise once, pad per batch, group by length."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from unfooled.types import Texts, Tokens

LONG = 4  # times the tokens that are read: a text of a pair that has more of them is cut before it is tokenised


class FlatRows:
    """Token ids of many texts in one flat array; text i is ``ids[offsets[i]:offsets[i + 1]]``."""

    ids: np.ndarray
    offsets: np.ndarray

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Tokens per text."""
        return np.diff(self.offsets)

    def rectangle(self, rows: Sequence[int] | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Where the tokens of these texts stand, as wide as the longest of them, and which places are real."""
        starts, lengths = self.offsets[:-1][np.asarray(rows)], self.lengths[np.asarray(rows)]
        columns = np.arange(int(lengths.max()))
        return np.minimum(starts[:, None] + columns, len(self.ids) - 1), columns < lengths[:, None]


@dataclass(frozen=True)
class Encoded(FlatRows):
    """Tokenised texts; ``segments`` say of each token of a pair whose it is."""

    ids: np.ndarray
    segments: np.ndarray | None
    offsets: np.ndarray
    padding: int

    def pad(self, rows: Sequence[int] | np.ndarray) -> Tokens:
        """These texts as one rectangle."""
        places, mask = self.rectangle(rows)
        ids = np.where(mask, self.ids[places], self.padding).astype(np.int64)
        segments = None
        if self.segments is not None:
            segments = torch.from_numpy(np.where(mask, self.segments[places], 0).astype(np.int64))
        return Tokens(torch.from_numpy(ids), torch.from_numpy(mask), segments)


def encode(tokenizer: Any, texts: Sequence[str | Texts], max_length: int, chunk: int = 10_000) -> Encoded:
    """Tokenise texts, or pairs of them, cut at ``max_length``; special tokens included."""
    ids: list[np.ndarray] = []
    segments: list[np.ndarray] = []
    lengths: list[int] = []
    for start in range(0, len(texts), chunk):
        rows = [(text,) if isinstance(text, str) else text for text in texts[start : start + chunk]]
        some = [bounded(tokenizer, row, max_length) for row in rows]
        columns = [list(column) for column in zip(*some, strict=True)]
        out = tokenizer(*columns, truncation=True, max_length=max_length, verbose=False)
        lengths += [len(row) for row in out["input_ids"]]
        ids.append(np.concatenate([np.asarray(row, dtype=np.int32) for row in out["input_ids"]]))
        if "token_type_ids" in out:
            segments.append(np.concatenate([np.asarray(row, dtype=np.int8) for row in out["token_type_ids"]]))
    return Encoded(
        ids=np.concatenate(ids) if ids else np.zeros(0, dtype=np.int32),
        segments=np.concatenate(segments) if segments else None,
        offsets=np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64),
        padding=tokenizer.pad_token_id or 0,
    )


def bounded(tokenizer: Any, texts: Texts, max_length: int) -> Texts:
    """A row whose texts are not all endless: a fast tokenizer keeps every combination of what it cuts off of a pair.

    Of two texts of 100,000 characters that is millions, and more memory than there is. The longer one stays so.
    """
    most = LONG * max_length
    if len(texts) < 2 or min(map(len, texts)) <= most or not tokenizer.is_fast:
        return texts  # a token has at least a character
    out = tokenizer(list(texts), add_special_tokens=False, verbose=False)
    ends = [[end for _, end in encoding.offsets] for encoding in out.encodings]
    longer = max(len(places) for places in ends)
    limits = [2 * most if len(places) == longer else most for places in ends]
    rows = zip(texts, ends, limits, strict=True)
    return tuple(text[: places[limit - 1]] if len(places) > limit else text for text, places, limit in rows)


def by_length(encoded: Encoded, batch_size: int, rows: np.ndarray | None = None) -> Iterator[np.ndarray]:
    """Rows in batches of similar length, longest first (so that memory peaks at once)."""
    chosen = np.arange(len(encoded)) if rows is None else rows
    order = chosen[np.argsort(-encoded.lengths[chosen], kind="stable")]
    for start in range(0, len(order), batch_size):
        yield order[start : start + batch_size]
