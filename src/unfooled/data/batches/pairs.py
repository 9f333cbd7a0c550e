"""Pairs of lines in two languages, in batches by address that hold about as many padded tokens, not as many pairs.

Pairs are cut into batches by the longer of their sides, and pairs that are as long as each other change places in
every epoch: so batches differ between epochs, but never in number.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from unfooled.data.batches.address import SMALLEST_LAST, Batches
from unfooled.data.vocabulary import Marked
from unfooled.errors import BadInput
from unfooled.seeds import generator
from unfooled.types import NO_LABEL, Batch, Tokens


@dataclass(frozen=True)
class Pairs(Batches):
    """Tokenised pairs in batches of about ``batch_tokens`` tokens: the longest pair's longer side times the pairs."""

    source: Marked
    target: Marked
    batch_tokens: int
    paddings: tuple[int, int]
    start: int  # what the decoder reads first
    seed: int
    smoothing: float = 0.0
    accumulation: int = 1
    rank: int = 0
    processes: int = 1

    @cached_property
    def lengths(self) -> np.ndarray:
        """The longer side of each pair."""
        return np.maximum(self.source.lengths, self.target.lengths)

    @cached_property
    def cuts(self) -> list[tuple[int, int]]:
        """Where batches begin and end among the pairs in order of length."""
        ordered, spans, start = np.sort(self.lengths), [], 0
        for end in range(1, len(ordered) + 1):
            if end == len(ordered) or (end + 1 - start) * ordered[end] > self.batch_tokens:
                spans.append((start, end))
                start = end
        smallest = SMALLEST_LAST * self.processes
        if len(spans) > 1 and spans[-1][1] - spans[-1][0] < smallest:
            spans[-2:] = [(spans[-2][0], spans[-1][1])]
        if any(end - start < smallest for start, end in spans) and self.processes > 1:
            raise BadInput(
                f"a batch has fewer than {smallest} pairs for {self.processes} processes; raise plan.batch_tokens"
            )
        return spans

    @property
    def batches_per_epoch(self) -> int:
        """Global batches per epoch."""
        return len(self.cuts)

    def order(self, epoch: int) -> list[np.ndarray]:
        """The rows of every global batch of an epoch, each of pairs of similar length."""
        random = generator(self.seed, "order", epoch)
        shuffled = torch.randperm(len(self.lengths), generator=random).numpy()
        ordered = shuffled[np.argsort(self.lengths[shuffled], kind="stable")]
        turns = torch.randperm(len(self.cuts), generator=random).tolist()
        return [ordered[slice(*self.cuts[turn])] for turn in turns]

    def in_order(self) -> Iterator[Batch]:
        """This process's share of all pairs from short to long, for measuring: whole batches by turns."""
        ordered = np.argsort(self.lengths, kind="stable")
        for turn, cut in enumerate(self.cuts):
            if turn % self.processes == self.rank:
                yield self.tensors(ordered[slice(*cut)], -1)

    def tensors(self, rows: np.ndarray, epoch: int) -> Batch:
        """These pairs as tensors; ``targets["words"]`` marks complete words of the source."""
        read, mask, words = padded(self.source, rows, self.paddings[0])
        asked, real, _ = padded(self.target, rows, self.paddings[1])
        before = np.concatenate([np.full((len(rows), 1), self.start), asked[:, :-1]], axis=1)
        tokens = Tokens(torch.from_numpy(read), torch.from_numpy(mask), decoder=torch.from_numpy(before))
        return Batch(
            index=torch.from_numpy(rows.astype(np.int64)),
            label=torch.from_numpy(np.where(real, asked, NO_LABEL)),
            views={"original": tokens},
            key=(self.seed, epoch),
            counts={
                "examples": len(rows),
                "tokens": int(mask.sum()),
                "targets": int(real.sum()),
                "anchors": int(words.any(axis=1).sum()),
            },
            kind="tokens",
            smoothing=self.smoothing,
            targets={"words": torch.from_numpy(words)},
        )


def padded(text: Marked, rows: np.ndarray, padding: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lines as one rectangle: ids, which of them are real, which are complete words."""
    places, real = text.rectangle(rows)
    return np.where(real, text.ids[places], padding).astype(np.int64), real, text.words[places] & real
