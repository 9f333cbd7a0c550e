"""Batches of views by address, as ``loader.py`` gives batches of tokens: a function of (seed, epoch, update).

The next update's views are made in a second thread while this one's are trained on, and are the same as without it.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch

from unfooled.data.blocks import Blocks
from unfooled.data.loader import count_batches, global_batches
from unfooled.data.views import Reader, ViewSettings, make_views
from unfooled.seeds import digest
from unfooled.types import Batch


@dataclass(frozen=True)
class ViewLoader:
    """Texts as a function (epoch, update) → this process's batches, views made on the way.

    ``batch_size`` is the number of texts per forward pass over *all* processes; ``accumulation`` of them
    make one update.
    """

    blocks: Blocks
    reader: Reader
    views: ViewSettings
    batch_size: int
    seed: int
    accumulation: int = 1
    rank: int = 0
    processes: int = 1

    @property
    def updates_per_epoch(self) -> int:
        """Optimiser steps per epoch, the last perhaps of fewer passes."""
        return -(-count_batches(len(self.blocks), self.batch_size) // self.accumulation)

    def updates(self, epoch: int, start: int = 0) -> Iterator[list[Batch]]:
        """The updates of an epoch from the ``start``-th on, each a list of this process's batches."""
        order = global_batches(self.blocks.lengths, self.batch_size, self.seed, epoch)
        firsts = range(start * self.accumulation, len(order), self.accumulation)
        with ThreadPoolExecutor(1) as ahead:
            pending = None
            for first in firsts:
                rows = order[first : first + self.accumulation]
                following = ahead.submit(self._update, rows, epoch)
                if pending is not None:
                    yield pending.result()
                pending = following
            if pending is not None:
                yield pending.result()

    def sweep(self) -> Iterator[Batch]:
        """Every text once, in batches of similar length; epoch -1, so that its draws are its own."""
        for rows in global_batches(self.blocks.lengths, self.batch_size, self.seed, -1):
            yield self.batch(rows, -1)

    def _update(self, some: list[np.ndarray], epoch: int) -> list[Batch]:
        return [self.batch(rows, epoch) for rows in some]

    def batch(self, rows: np.ndarray, epoch: int) -> Batch:
        """This process's share of a global batch, as tensors."""
        mine = rows[self.rank :: self.processes].tolist()
        keys = [(self.seed, epoch, row) for row in mine]
        texts = [self.blocks.texts[row] for row in mine]
        others = [self.blocks.texts[self.other(row, epoch)] for row in mine]
        views = make_views(texts, others, keys, self.views, self.reader)
        return Batch(
            index=torch.tensor(mine),
            label=torch.zeros(len(mine), dtype=torch.int64),
            views=views.tokens,
            key=(self.seed, epoch),
            counts={"examples": len(mine), **views.counts},
            kind="masked",
            targets=views.targets,
        )

    def other(self, row: int, epoch: int) -> int:
        """The number of another text than this one, each as likely; a single text has no other than itself."""
        away = digest(self.seed, epoch, row, "other text") % max(len(self.blocks) - 1, 1)
        return (row + 1 + away) % len(self.blocks)
