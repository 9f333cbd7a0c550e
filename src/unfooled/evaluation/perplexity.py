"""Perplexity over a whole split, per word: comparable whatever the words are split into.

exp(Σ over tokens of -log p(token) / words): the sum does not depend on how a word is cut, and neither do the words,
which are those between spaces and one end of line each. The interval is over sequences, taken as independent.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from unfooled.evaluation.metrics import Score
from unfooled.models.encoders.classifier import still
from unfooled.types import NO_LABEL, Batch, Output


@dataclass(frozen=True)
class Surprise:
    """-log p of many tokens: the sum l, how many tokens n and sequences, and Σ l², Σ l·n, Σ n² over sequences."""

    total: float
    tokens: int
    sequences: int
    squares: tuple[float, float, float]

    def perplexity(self, words: int, definition: str) -> Score:
        """exp of the mean over so many words; the interval is that of a ratio of sums over independent sequences.

        >>> loss = math.log(8) * 2
        >>> score = Surprise(2 * loss, 4, 2, (2 * loss**2, 4 * loss, 8.0)).perplexity(4, "two alike")
        >>> round(score.value, 6), round(score.low, 6)
        (8.0, 8.0)
        """
        rate = self.total / self.tokens
        losses, both, sizes = self.squares
        spread = max(losses - 2 * rate * both + rate**2 * sizes, 0.0) * self.sequences / max(self.sequences - 1, 1)
        half, value = 1.96 * math.sqrt(spread) / words, self.total / words
        return Score(bounded_exp(value), bounded_exp(value - half), bounded_exp(value + half), words, definition)


def bounded_exp(value: float) -> float:
    """exp, of what would overflow the largest number there is."""
    return math.exp(min(value, 700.0))


def token_losses(output: Output, label: Tensor) -> Tensor:
    """-log p of each label [B, T], 0 where nothing is asked."""
    if output.rated is not None:
        return output.rated(label)
    logits = output.logits.float().flatten(0, 1)
    return F.cross_entropy(logits, label.flatten(), ignore_index=NO_LABEL, reduction="none").view_as(label)


def surprise(
    model: nn.Module,
    batches: Iterable[Batch],
    where: torch.device,
    add_up: Callable[[Tensor], Tensor] = lambda totals: totals,
    moved: Callable[[Batch], Tensor] | None = None,
) -> Surprise:
    """How surprised a model is by all that is asked for, dropout off; ``moved`` gives a perturbation of each batch."""
    totals = torch.zeros(6, dtype=torch.float64, device=where)
    with still(model):
        for batch in batches:
            batch = batch.to(where)
            delta = None if moved is None else moved(batch)
            with torch.no_grad():
                losses = token_losses(model(batch.tokens, delta), batch.label).double().sum(dim=1)
            asked = (batch.label != NO_LABEL).sum(dim=1).double()
            pairs = [losses, asked, torch.ones_like(asked), losses * losses, losses * asked, asked * asked]
            totals += torch.stack([values.sum() for values in pairs])
    total, tokens, sequences, *squares = add_up(totals).tolist()
    return Surprise(total, int(tokens), int(sequences), (squares[0], squares[1], squares[2]))
