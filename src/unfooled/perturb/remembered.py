"""The perturbation of every training example, kept from one epoch to the next.

The rows take tokens · width · 2 bytes, in half precision: 4,000 reviews of 27 tokens under MiniLM's 384 are 83 MB, a
million of 60 tokens 46 GB. They are whole in every process and in every checkpoint.
"""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from unfooled.gather import gather

KEPT_IN = torch.float16


class Remembered(nn.Module):
    """Perturbations by example index, as many rows for each as it has tokens, the same in all processes.

    >>> memory = Remembered(torch.tensor([1, 2]), width=1)
    >>> delta, mask = torch.tensor([[[0.5], [0.25]]]), torch.ones(1, 2, dtype=torch.bool)
    >>> memory.write(torch.tensor([1]), mask, delta)
    >>> memory.read(torch.tensor([1]), mask, lambda: torch.zeros(1, 2, 1)).flatten().tolist(), memory.written.tolist()
    ([0.5, 0.25], [False, True])
    """

    rows: Tensor
    written: Tensor
    lengths: Tensor
    starts: Tensor

    def __init__(self, lengths: Tensor, width: int) -> None:
        super().__init__()
        self.register_buffer("rows", torch.zeros(int(lengths.sum()), width, dtype=KEPT_IN))
        self.register_buffer("written", torch.zeros(len(lengths), dtype=torch.bool))
        # Kept out of checkpoints: they follow from the texts.
        self.register_buffer("lengths", lengths.long(), persistent=False)
        self.register_buffer("starts", lengths.long().cumsum(0) - lengths, persistent=False)

    def read(self, index: Tensor, mask: Tensor, otherwise: Callable[[], Tensor]) -> Tensor:
        """The perturbations [B, T, d] of these examples; of one that has none yet, what there is ``otherwise``."""
        known = self.written[index]
        delta = otherwise() if not known.all() else torch.zeros(*mask.shape, self.rows.shape[1], device=mask.device)
        delta[mask & known[:, None]] = self.rows[self.places(index[known])].to(delta.dtype)
        return delta

    def write(self, index: Tensor, mask: Tensor, delta: Tensor) -> None:
        """Keep the perturbations [B, T, d] of the examples of all processes: every process writes every row."""
        index, rows = gather(index), gather(delta.detach()[mask].to(KEPT_IN))
        self.rows[self.places(index)] = rows
        self.written[index] = True

    def places(self, index: Tensor) -> Tensor:
        """The rows of these examples' tokens, one example behind the other."""
        lengths = self.lengths[index]
        before = lengths.cumsum(0) - lengths
        every = torch.arange(int(lengths.sum()), device=index.device)
        return every + (self.starts[index] - before).repeat_interleave(lengths)


def size_of(tokens: int, width: int) -> int:
    """The bytes that a memory of so many tokens takes.

    >>> size_of(4_000 * 27, 384)
    82944000
    """
    return tokens * width * KEPT_IN.itemsize
