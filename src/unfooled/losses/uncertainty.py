"""Weights of several losses that are learned with them.

With s of each loss, starting at 0, Σ exp(-s) · L + max(s, 0) is minimised. Where L stays above 1, s goes to log L and
the weighted loss to 1; where it stays below, s hovers at 0 and the loss counts in full: weight = min(1, 1/L).
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def learned_weights(logs: Tensor) -> Tensor:
    """exp(-s) of each loss."""
    return torch.exp(-logs)


def price(logs: Tensor) -> Tensor:
    """Σ max(s, 0): what keeps the weights from falling to 0."""
    return F.relu(logs).sum()
