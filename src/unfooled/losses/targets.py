"""The loss of a task, by the kind of its labels: a class, a number, a set of classes, a span, or a token each.

Every function takes logits and labels of B examples and gives a sum and how many units it is over, in at least single
precision. ``TARGETS`` is the one table of kinds; ``types.Batch.kind`` names one.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from unfooled.types import NO_LABEL


def classes(logits: Tensor, label: Tensor) -> Tensor:
    """Cross-entropy of the true class: logits [B, C], label [B]."""
    return F.cross_entropy(logits, label, reduction="sum")


def numbers(logits: Tensor, label: Tensor) -> Tensor:
    """Squared error of the one logit: logits [B, 1], label [B]."""
    return F.mse_loss(logits.squeeze(-1), label.to(logits.dtype), reduction="sum")


def sets(logits: Tensor, label: Tensor) -> Tensor:
    """Binary cross-entropy of every class, averaged over classes: logits [B, C], label [B, C] of 0 and 1."""
    return F.binary_cross_entropy_with_logits(logits, label.to(logits.dtype), reduction="sum") / logits.shape[-1]


def spans(logits: Tensor, label: Tensor) -> Tensor:
    """Cross-entropy of the first and the last token, averaged: logits [B, T, 2], label [B, 2] of positions."""
    return F.cross_entropy(logits, label, reduction="sum") / 2


def tokens(logits: Tensor, label: Tensor, smoothing: float = 0.0) -> Tensor:
    """Cross-entropy of every token asked for: logits [B, T, V], label [B, T], -100 where nothing is asked."""
    return F.cross_entropy(
        logits.flatten(0, -2), label.flatten(), ignore_index=NO_LABEL, reduction="sum", label_smoothing=smoothing
    )


# kind → (its loss, the unit its mean is over)
TARGETS: dict[str, tuple[Callable[[Tensor, Tensor], Tensor], str]] = {
    "classification": (classes, "examples"),
    "regression": (numbers, "examples"),
    "multilabel": (sets, "examples"),
    "span": (spans, "examples"),
    "tokens": (tokens, "targets"),
}


def target_loss(
    logits: Tensor, label: Tensor, kind: str, smoothing: float = 0.0, rated: Callable[[Tensor], Tensor] | None = None
) -> tuple[Tensor, int, str]:
    """The loss of labels of a kind, summed; how many units it is over; and their name.

    ``smoothing`` is for tokens: that share of a label's weight goes to all words alike. ``rated`` gives the loss of
    each token where the network makes no logits of all words.
    """
    loss, unit = TARGETS[kind]
    count = len(label) if unit == "examples" else int((label != NO_LABEL).sum())
    if rated is not None:
        return rated(label).sum(), count, unit
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))
    return (loss(wide, label) if not smoothing else tokens(wide, label, smoothing)), count, unit
