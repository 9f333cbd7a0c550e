"""What exchanging a word would do to the loss, to first order, for all candidates at once.

Symbols: E the embedding table, G the gradient of the loss at the looked-up vectors, i_1 … i_n the pieces of a word,
c_1 … c_m those of a candidate.

    n = m    gain = Σ_k G_k · (E[c_k] − E[i_k])
    n ≠ m    gain = Σ_k G_k · (mean_j E[c_j] − E[i_k])

which is the derivative of the loss along the delta that moves each piece of the word to the candidate's piece, or to
the mean of its pieces.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

Span = tuple[int, int]

TOGETHER = 1024  # products at a time: what stays in a processor's cache takes two fifths of the time


@dataclass(frozen=True)
class Exchange:
    """A word of a batch, the tokens [first, last) of one row, and the pieces of each of its candidates."""

    row: int
    span: Span
    candidates: Sequence[tuple[int, ...]]
    lasting: bool = True  # whether the same candidates will be met again; misspellings are drawn anew each time


def gains(gradient: Tensor, ids: Tensor, table: Tensor, exchanges: Sequence[Exchange]) -> list[np.ndarray]:
    """The gain of each candidate of each exchange, from the gradient [B, T, d] at tokens ``ids`` [B, T]."""
    if not exchanges:
        return []
    ids = ids.to(gradient.device)
    flat = gradient.reshape(-1, gradient.shape[-1])
    owner, places = tokens_of(gradient, exchanges)
    own = flat[places]  # G_k of every piece of every word
    at_place = (own * table[ids.reshape(-1)[places]]).sum(dim=-1).cpu()
    stays = torch.zeros(len(exchanges)).to(at_place).index_add_(0, owner, at_place)  # Σ_k G_k · E[i_k]
    reached = along(torch.cat([own, summed(gradient, exchanges)]), table, exchanges, len(owner))
    counts = torch.tensor([len(one.candidates) for one in exchanges])
    return spread_over(reached - torch.repeat_interleave(stays, counts), counts)


def tokens_of(gradient: Tensor, exchanges: Sequence[Exchange]) -> tuple[Tensor, Tensor]:
    """For every piece of every word, which word it is of, and its place among all tokens of the batch."""
    starts = torch.tensor([one.row * gradient.shape[1] + one.span[0] for one in exchanges])
    sizes = torch.tensor([one.span[1] - one.span[0] for one in exchanges])
    owner = torch.repeat_interleave(torch.arange(len(exchanges)), sizes)
    within = torch.arange(len(owner)) - torch.repeat_interleave(sizes.cumsum(0) - sizes, sizes)
    return owner, (starts[owner] + within).to(gradient.device)


def summed(gradient: Tensor, exchanges: Sequence[Exchange]) -> Tensor:
    """Σ_k G_k of every word [words, d]."""
    flat = gradient.reshape(-1, gradient.shape[-1])
    owner, places = tokens_of(gradient, exchanges)
    return flat.new_zeros(len(exchanges), flat.shape[1]).index_add_(0, owner.to(flat.device), flat[places])


def spread_over(values: Tensor, counts: Tensor) -> list[np.ndarray]:
    """Values of all candidates in turn as those of each word."""
    return np.split(values.cpu().double().numpy(), counts.cumsum(0)[:-1].numpy())


def along(vectors: Tensor, table: Tensor, exchanges: Sequence[Exchange], sums_from: int) -> Tensor:
    """Σ_k G_k · E[c_k] of (1), or Σ_k G_k · mean_j E[c_j] of (2), of every candidate in turn."""
    rows: list[int] = []  # of ``vectors``, for each piece of each candidate
    pieces: list[int] = []
    shares: list[float] = []
    owners: list[int] = []
    number = first = 0
    for place, one in enumerate(exchanges):
        size = one.span[1] - one.span[0]
        for candidate in one.candidates:
            count = len(candidate)
            rows += range(first, first + size) if count == size else [sums_from + place] * count
            shares += [1.0 if count == size else 1 / max(count, 1)] * count
            pieces += candidate
            owners += [number] * count
            number += 1
        first += size
    products = inner_products(vectors, table, rows, pieces).cpu()
    products *= torch.tensor(shares, dtype=products.dtype)
    return torch.zeros(number, dtype=products.dtype).index_add_(0, torch.tensor(owners), products)


def inner_products(vectors: Tensor, table: Tensor, rows: Sequence[int], pieces: Sequence[int]) -> Tensor:
    """The inner product of each of these rows of ``vectors`` with the row of ``table`` that stands beside it."""
    where = vectors.device
    left, right = (torch.tensor(some, dtype=torch.int64, device=where).split(TOGETHER) for some in (rows, pieces))
    parts = [(vectors[some] * table[others]).sum(dim=-1) for some, others in zip(left, right, strict=True)]
    return torch.cat(parts)
