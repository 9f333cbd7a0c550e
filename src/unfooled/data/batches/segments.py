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

from unfooled.data.batches.address import Batches
from unfooled.data.vocabulary import Marked
from unfooled.types import NO_LABEL, Batch, Tokens


@dataclass(frozen=True)
class Segments(Batches):
    """A stream in batches of so many segments."""

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
    def lengths(self) -> np.ndarray:
        """No segment counts as longer than another: they are only shuffled."""
        return np.zeros(len(self))

    def in_order(self) -> Iterator[Batch]:
        """This process's share of all segments from first to last, for measuring: whole batches by turns."""
        for turn, start in enumerate(range(0, len(self), self.batch_size)):
            if turn % self.processes == self.rank:
                yield self.tensors(np.arange(start, min(start + self.batch_size, len(self))), -1)

    def tensors(self, rows: np.ndarray, epoch: int) -> Batch:
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
            kind="tokens",
            targets={"words": torch.from_numpy(words)},
        )
