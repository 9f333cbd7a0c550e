"""How surprised a network that writes is by what it is asked for: -log p of every token."""

from collections.abc import Callable, Iterable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from unfooled.models.encoders.classifier import still
from unfooled.types import NO_LABEL, Batch, Output

Totals = tuple[float, int, int, tuple[float, float, float]]


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
) -> Totals:
    """The sum of -log p, tokens, sequences, and Σ l², Σ l·n, Σ n² over sequences, dropout off.

    ``moved`` gives a perturbation of each batch.
    """
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
    return total, int(tokens), int(sequences), (squares[0], squares[1], squares[2])
