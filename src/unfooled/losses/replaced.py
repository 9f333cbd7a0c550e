"""Which tokens were replaced: a decision at every token that has a label."""

import torch.nn.functional as F
from torch import Tensor

from unfooled.losses.contrastive import precise
from unfooled.types import NO_LABEL


def replaced_tokens(logits: Tensor, labels: Tensor) -> Tensor:
    """The sum of cross-entropies over the labelled tokens of ``labels`` [...].

    Logits [...] say yes or no (CLINE, Eqs. 2 to 4); logits [..., C] choose among C kinds. Other tokens do not count.

    >>> import torch
    >>> labels = torch.tensor([[0, 1, -100]])
    >>> round(replaced_tokens(torch.zeros(1, 3), labels).item(), 4)  # 2 log 2
    1.3863
    >>> round(replaced_tokens(torch.zeros(1, 3, 3), labels).item(), 4)  # 2 log 3
    2.1972
    """
    logits = precise(logits)
    known = labels != NO_LABEL
    if logits.ndim == labels.ndim:
        # Eq. 4 reads as plain cross-entropy: its leading minus is meant for both terms.
        return F.binary_cross_entropy_with_logits(logits[known], labels[known].to(logits.dtype), reduction="sum")
    return F.cross_entropy(logits[known], labels[known], reduction="sum")
