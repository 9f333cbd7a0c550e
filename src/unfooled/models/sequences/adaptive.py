"""A softmax over a large vocabulary in classes of words, frequent ones first (Grave et al., 2017).

The first class is scored together with one entry for each other class; a rare word's probability is that of its class
times its own within it. So a frequent word costs as many products as the first class has words, not as the language.
All word vectors have one width here (the "div value" is 1), so that they can be tied to the input's.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from unfooled.errors import BadInput


class AdaptiveHead(nn.Module):
    """States [..., d] → log-probabilities of V words, which must be numbered from frequent to rare."""

    def __init__(self, width: int, words: int, cutoffs: Sequence[int]) -> None:
        super().__init__()
        if sorted(set(cutoffs)) != list(cutoffs) or not 0 < cutoffs[0] <= cutoffs[-1] < words:
            raise BadInput(f"the cutoffs {cutoffs} do not rise from above 0 to below the vocabulary's {words:,} words")
        self.edges = [0, *cutoffs, words]
        self.weight = nn.Parameter(torch.empty(words, width))
        self.bias = nn.Parameter(torch.empty(words))
        self.cluster_weight = nn.Parameter(torch.empty(len(cutoffs), width))
        self.cluster_bias = nn.Parameter(torch.empty(len(cutoffs)))

    def first(self, states: Tensor) -> Tensor:
        """Log-probabilities of the frequent words and, behind them, of each rarer class."""
        end = self.edges[1]
        weight = torch.cat([self.weight[:end], self.cluster_weight])
        bias = torch.cat([self.bias[:end], self.cluster_bias])
        return F.log_softmax(F.linear(states, weight, bias).float(), dim=-1)

    def within(self, states: Tensor, number: int) -> Tensor:
        """Log-probabilities of the words of a rarer class (from 1) given the class."""
        words = slice(self.edges[number], self.edges[number + 1])
        return F.log_softmax(F.linear(states, self.weight[words], self.bias[words]).float(), dim=-1)

    def forward(self, states: Tensor) -> Tensor:
        """Log-probabilities of all words [..., V]."""
        first, end = self.first(states), self.edges[1]
        parts = [first[..., :end]]
        for number in range(1, len(self.edges) - 1):
            parts.append(first[..., end + number - 1, None] + self.within(states, number))
        return torch.cat(parts, dim=-1)

    def losses(self, states: Tensor, labels: Tensor, ignored: int = -100) -> Tensor:
        """-log p(label) of states [n, d] and labels [n], 0 where nothing is asked; only classes asked for count."""
        asked = (labels != ignored).nonzero().squeeze(1)
        states, labels, size = states[asked], labels[asked], len(labels)
        first, end = self.first(states), self.edges[1]
        cluster = torch.bucketize(labels, torch.tensor(self.edges[1:-1], device=labels.device), right=True)
        place = torch.where(cluster == 0, labels, end + cluster - 1)
        rated = -first.gather(1, place[:, None]).squeeze(1)
        for number in range(1, len(self.edges) - 1):
            mine = (cluster == number).nonzero().squeeze(1)
            own = self.within(states[mine], number)  # with no such label still a gradient, of 0
            rated = rated.index_add(0, mine, -own.gather(1, labels[mine, None] - self.edges[number]).squeeze(1))
        return rated.new_zeros(size).index_add(0, asked, rated)
