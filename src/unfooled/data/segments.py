"""One long text in contiguous segments: what a language model reads, batch by address.

The stream is cut into segments of equal length; each token is asked for once, given those before it in its segment.
The first token of all is asked for behind the closing token, so that the whole text counts. The last segment is padded
on the right, and nothing is asked there.

Paper says / we do: streams are usually read in order, side by side; no state is carried from segment to segment here,
so segments are shuffled anew in each epoch.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from unfooled.data.loader import count_batches, global_batches
from unfooled.data.vocabulary import Marked
from unfooled.types import NO_LABEL, Batch, Tokens


@dataclass(frozen=True)
class Segments:
    """A stream as a function (epoch, update) → this process's batches; ``batch_size`` segments per pass over all."""

    text: Marked
    length: int
    ending: int  # the closing token, read before the first
    batch_size: int
    seed: int
    accumulation: int = 1
    rank: int = 0
    processes: int = 1

    def __len__(self) -> int:
        return -(-len(self.text.ids) // self.length)

    @property
    def updates_per_epoch(self) -> int:
        """Optimiser steps per epoch, the last perhaps of fewer passes."""
        return -(-count_batches(len(self), self.batch_size) // self.accumulation)

    def updates(self, epoch: int, start: int = 0) -> Iterator[list[Batch]]:
        """The updates of an epoch from the ``start``-th on, each a list of this process's batches."""
        order = global_batches(np.zeros(len(self)), self.batch_size, self.seed, epoch)
        for first in range(start * self.accumulation, len(order), self.accumulation):
            yield [self.batch(rows, epoch) for rows in order[first : first + self.accumulation]]

    def sweep(self) -> Iterator[Batch]:
        """Every segment once; epoch -1, so that its draws are its own."""
        for rows in global_batches(np.zeros(len(self)), self.batch_size, self.seed, -1):
            yield self.batch(rows, -1)

    def in_order(self) -> Iterator[Batch]:
        """This process's share of all segments from first to last, for measuring: whole batches by turns."""
        for turn, start in enumerate(range(0, len(self), self.batch_size)):
            if turn % self.processes == self.rank:
                yield self.segments(np.arange(start, min(start + self.batch_size, len(self))), -1)

    def batch(self, rows: np.ndarray, epoch: int) -> Batch:
        """This process's share of a global batch."""
        return self.segments(rows[self.rank :: self.processes], epoch)

    def segments(self, rows: np.ndarray, epoch: int) -> Batch:
        """These segments as tensors; ``targets["words"]`` marks complete words among what is read."""
        places = rows[:, None] * self.length + np.arange(self.length)  # of what is asked for
        real = places < len(self.text.ids)
        asked = np.where(real, self.text.ids[np.minimum(places, len(self.text.ids) - 1)], NO_LABEL)
        before = np.clip(places - 1, 0, len(self.text.ids) - 1)
        read = np.where((places > 0) & real, self.text.ids[before], self.ending)
        words = np.where((places > 0) & real, self.text.words[before], False)
        return Batch(
            index=torch.from_numpy(rows.astype(np.int64)),
            label=torch.from_numpy(asked.astype(np.int64)),
            views={"original": Tokens(torch.from_numpy(read.astype(np.int64)), torch.from_numpy(real))},
            key=(self.seed, epoch),
            counts={
                "examples": len(rows),
                "tokens": int(real.sum()),
                "targets": int(real.sum()),
                "anchors": int(words.any(axis=1).sum()),
            },
            kind="token",
            targets={"words": torch.from_numpy(words)},
        )
