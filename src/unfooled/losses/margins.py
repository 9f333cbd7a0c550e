"""How far a class is ahead of all others together."""

import torch
from torch import Tensor


def margins(logits: Tensor, label: Tensor) -> Tensor:
    """m = z_y − logsumexp of the other logits, which no common shift of the logits moves."""
    own = logits.gather(1, label[:, None])[:, 0]
    return own - logits.scatter(1, label[:, None], -torch.inf).logsumexp(dim=1)
