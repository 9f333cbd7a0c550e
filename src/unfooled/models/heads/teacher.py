"""A teacher: a copy of networks that follows them slowly and is never trained itself."""

import copy

import torch
from torch import nn


class Teacher(nn.Module):
    """Deep copies whose parameters are moving averages: xi ← tau · xi + (1 - tau) · theta.

    The copies share no tensor with their originals and ask for no gradient. Buffers (normalisation statistics) are not
    averaged: they follow the teacher's own passes.
    """

    def __init__(self, *online: nn.Module, momentum: float) -> None:
        super().__init__()
        self.momentum = momentum  # tau
        self.networks = nn.ModuleList([copy.deepcopy(network) for network in online]).requires_grad_(False)

    def follow(self, *online: nn.Module) -> None:
        """One step after the originals, given in the same order; tau = 1 stands still, tau = 0 copies."""
        own = list(self.networks.parameters())
        theirs = [parameter for network in online for parameter in network.parameters()]
        if len(own) != len(theirs):
            raise ValueError("the teacher follows the networks it was copied from, all of them")
        with torch.no_grad():
            torch._foreach_lerp_(own, theirs, 1 - self.momentum)  # in one sweep over the memory
