"""Batches by address: what update u of epoch e holds is a function of the seed, not of what was drawn before.

Nothing is skipped on resume, nothing depends on the number of processes: the order is laid over the *global* batch
and each process takes its share of it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
import torch

from unfooled.seeds import generator
from unfooled.types import Batch

BUCKET = 50  # batches that are shuffled together, then cut by length: short batches waste no padding
SMALLEST_LAST = 4  # a last batch below a quarter of the batch size is folded into the one before


def count_batches(examples: int, batch_size: int) -> int:
    """How many global batches an epoch has.

    >>> [count_batches(n, 8) for n in (1, 8, 9, 10, 16)]
    [1, 1, 1, 2, 2]
    """
    whole, rest = divmod(examples, batch_size)
    return max(whole + (rest * SMALLEST_LAST >= batch_size), 1)


def global_batches(lengths: np.ndarray, batch_size: int, seed: int, epoch: int) -> list[np.ndarray]:
    """The rows of every global batch of an epoch, in order.

    Rows are shuffled, sorted by length inside buckets of 50 batches, cut, and the batches shuffled again. A small
    remainder joins the batch before it, so that no process is left without examples and no step stands
    on one or two of them.
    """
    random = generator(seed, "order", epoch)
    shuffled = torch.randperm(len(lengths), generator=random).numpy()
    batches: list[np.ndarray] = []
    for start in range(0, len(shuffled), BUCKET * batch_size):
        bucket = shuffled[start : start + BUCKET * batch_size]
        bucket = bucket[np.argsort(lengths[bucket], kind="stable")]
        batches += [bucket[cut : cut + batch_size] for cut in range(0, len(bucket), batch_size)]
    if len(batches) > count_batches(len(lengths), batch_size):
        batches[-2:] = [np.concatenate(batches[-2:])]
    return [batches[place] for place in torch.randperm(len(batches), generator=random).tolist()]


class Batches(ABC):
    """A training set as a function (epoch, update) → this process's batches; rows go into global batches by length."""

    seed: int
    batch_size: int  # rows per forward pass over all processes
    accumulation: int  # passes that make one update
    rank: int
    processes: int

    @property
    @abstractmethod
    def lengths(self) -> np.ndarray:
        """How long each row is."""

    @abstractmethod
    def tensors(self, rows: np.ndarray, epoch: int) -> Batch:
        """These rows as tensors."""

    @property
    def batches_per_epoch(self) -> int:
        """Global batches per epoch."""
        return count_batches(len(self.lengths), self.batch_size)

    def order(self, epoch: int) -> list[np.ndarray]:
        """The rows of every global batch of an epoch, in order."""
        return global_batches(self.lengths, self.batch_size, self.seed, epoch)

    def batch(self, rows: np.ndarray, epoch: int) -> Batch:
        """This process's share of a global batch."""
        return self.tensors(rows[self.rank :: self.processes], epoch)

    @property
    def updates_per_epoch(self) -> int:
        """Optimiser steps per epoch, the last perhaps of fewer passes."""
        return -(-self.batches_per_epoch // self.accumulation)

    def updates(self, epoch: int, start: int = 0) -> Iterator[list[Batch]]:
        """The updates of an epoch from the ``start``-th on, each a list of this process's batches."""
        order = self.order(epoch)
        for first in range(start * self.accumulation, len(order), self.accumulation):
            yield [self.batch(rows, epoch) for rows in order[first : first + self.accumulation]]

    def sweep(self) -> Iterator[Batch]:
        """Every row once; epoch -1, so that its draws are its own."""
        for rows in self.order(-1):
            yield self.batch(rows, -1)
