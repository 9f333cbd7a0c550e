"""A head that guesses each token from its state in the encoder's last layer, as in masked language models."""

import torch.nn.functional as F
from torch import Tensor, nn


class Reconstructor(nn.Module):
    """Dense H → d, GELU, LayerNorm, then a decoder d → V tied to the word embeddings, and a bias of its own.

    Tied means the same tensor: the decoder adds no weights, and d is whatever width the embedding table has, be it
    factorised (ALBERT's 128 of 768) or full. New parameters: H·d + d + 2d + V.
    """

    def __init__(self, lookup: nn.Module, state_width: int) -> None:
        super().__init__()
        words, width = lookup.weight.shape
        self.dense = nn.Linear(state_width, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.bias = nn.Parameter(self.dense.weight.new_zeros(words))
        self._lookup: list[nn.Module] = [lookup]  # in a list: not registered twice
        nn.init.normal_(self.dense.weight, std=0.02)
        nn.init.zeros_(self.dense.bias)

    @property
    def weight(self) -> Tensor:
        """The decoder's weight [V, d]: the table of word embeddings itself."""
        return self._lookup[0].weight

    def forward(self, states: Tensor) -> Tensor:
        """What the decoder reads [..., d], of token states [..., H], in the precision of the weights."""
        return self.norm(F.gelu(self.dense(states.to(self.dense.weight.dtype)), approximate="tanh"))

    def logits(self, states: Tensor) -> Tensor:
        """A logit for every word of the vocabulary [..., V]; for training rather ``losses.tokens.reconstruction``."""
        return F.linear(self(states), self.weight, self.bias)
