"""Noise-contrastive estimation: telling one positive from m negatives without a softmax over all.

With scores s = ⟨a, b⟩/tau, p = exp(s)/Z and noise 1/N over N examples, the probability that a pair is no noise is
D = p/(p + m/N). With Z = N·mu the number N cancels: D = sigmoid(s - log mu - log m). Everything below is written with
softplus of that argument, which neither overflows nor needs a small constant inside a logarithm.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def log_mean_exp(positive: Tensor, negative: Tensor) -> Tensor:
    """log mu: the logarithm of the mean of exp(s) over all positive [B] and negative [B, m] scores."""
    every = torch.cat([positive.flatten(), negative.flatten()]).double()
    return torch.logsumexp(every, dim=0) - math.log(every.numel())


def nce(positive: Tensor, negative: Tensor, log_mu: Tensor) -> Tensor:
    """-log D_positive - Σ_j log(1 - D_negative_j) of each anchor [B]: a sum over negatives, not a mean.

    >>> same = torch.zeros(1, 16000)
    >>> round(nce(same[:, 0], same, torch.tensor(0.0)).item(), 4)
    10.6804
    """
    shift = log_mu.to(positive.dtype) + math.log(negative.shape[1])
    return F.softplus(shift - positive) + F.softplus(negative - shift).sum(dim=1)


def info_nce(positive: Tensor, negative: Tensor) -> Tensor:
    """-log of the softmax of the positive among itself and its negatives, per anchor [B]."""
    return torch.logsumexp(torch.cat([positive[:, None], negative], dim=1), dim=1) - positive


def negatives_only(positive: Tensor, negative: Tensor) -> Tensor:
    """-s_positive + logsumexp of the negatives alone, per anchor [B]; not bounded below by 0."""
    return torch.logsumexp(negative, dim=1) - positive
