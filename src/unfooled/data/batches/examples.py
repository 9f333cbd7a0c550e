"""Tokenised texts with their labels, in batches by address."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from unfooled.data.batches.address import Batches
from unfooled.tokens import Encoded
from unfooled.types import Batch


@dataclass(frozen=True)
class ExampleBatches(Batches):
    """A tokenised training set; ``labels`` hold one entry per text, of the ``kind`` that ``types.Batch`` tells of."""

    encoded: Encoded
    labels: Sequence[int] | Tensor
    batch_size: int
    seed: int
    accumulation: int = 1
    rank: int = 0
    processes: int = 1
    kind: str = "classification"

    @property
    def lengths(self) -> np.ndarray:
        """Tokens per text."""
        return self.encoded.lengths

    def tensors(self, rows: np.ndarray, epoch: int) -> Batch:
        """These texts as tensors."""
        tokens = self.encoded.pad(rows)
        index = torch.from_numpy(rows.astype(np.int64))
        labels = self.labels
        return Batch(
            index=index,
            label=labels[index] if isinstance(labels, Tensor) else torch.tensor([labels[row] for row in rows]),
            views={"original": tokens},
            key=(self.seed, epoch),
            counts={"examples": len(rows), "tokens": int(tokens.mask.sum())},
            kind=self.kind,
        )
