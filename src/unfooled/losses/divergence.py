"""How far two predictions are apart."""

import torch
import torch.nn.functional as F
from torch import Tensor


def log_probabilities(logits: Tensor) -> Tensor:
    """The log-softmax over the last dimension, in at least single precision."""
    return F.log_softmax(logits.to(torch.promote_types(logits.dtype, torch.float32)), dim=-1)


def kl(logits: Tensor, other: Tensor) -> Tensor:
    """KL(p ‖ q) of each example [B], with p and q the softmax of ``logits`` and ``other`` [B, C]."""
    log_p, log_q = log_probabilities(logits), log_probabilities(other)
    return (log_p.exp() * (log_p - log_q)).sum(dim=-1)


def symmetric_kl(logits: Tensor, other: Tensor) -> Tensor:
    """KL(p ‖ q) + KL(q ‖ p) of each example [B]; 0 exactly where the predictions agree.

    >>> a, b = torch.tensor([[0.0, 2.0]]), torch.tensor([[1.0, 0.0]])
    >>> bool(symmetric_kl(a, b) == symmetric_kl(b, a)), symmetric_kl(a, a).item()
    (True, 0.0)
    """
    log_p, log_q = log_probabilities(logits), log_probabilities(other)
    return ((log_p.exp() - log_q.exp()) * (log_p - log_q)).sum(dim=-1)
