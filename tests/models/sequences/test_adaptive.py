"""The adaptive softmax against probabilities multiplied by hand (Grave et al., 2017)."""

import pytest
import torch

from unfooled.errors import BadInput
from unfooled.models.sequences.adaptive import AdaptiveHead


def head(seed=0):
    random = torch.Generator().manual_seed(seed)
    found = AdaptiveHead(4, 12, [3, 7])
    for parameter in found.parameters():
        parameter.data = torch.randn(parameter.shape, generator=random)
    return found


def probability(found, state, word):
    """p(word) = p(class) · p(word | class), classes {0-2}, {3-6}, {7-11}; the first has one entry per other class."""
    score = found.weight @ state + found.bias
    first = torch.cat([score[:3], found.cluster_weight @ state + found.cluster_bias]).exp()
    first = first / first.sum()
    if word < 3:
        return first[word]
    begin, end, entry = (3, 7, 3) if word < 7 else (7, 12, 4)
    inside = score[begin:end].exp()
    return first[entry] * inside[word - begin] / inside.sum()


def test_log_probabilities_are_the_products_and_sum_to_one():
    found, states = head(), torch.randn(2, 3, 4, generator=torch.Generator().manual_seed(1))
    logs = found(states)
    for text in range(2):
        for place in range(3):
            for word in range(12):
                expected = probability(found, states[text, place], word).log()
                torch.testing.assert_close(logs[text, place, word], expected)
    torch.testing.assert_close(logs.exp().sum(-1), torch.ones(2, 3))


def test_losses_are_those_of_all_words_and_so_are_gradients():
    labels = torch.tensor([0, 2, 3, 6, 7, 11, -100, 4])
    states = torch.randn(8, 4, generator=torch.Generator().manual_seed(2))
    results = []
    for few in (True, False):
        found, read = head(), states.clone().requires_grad_()
        if few:
            losses = found.losses(read, labels)
        else:
            losses = -found(read).gather(1, labels.clamp(min=0)[:, None]).squeeze(1) * (labels >= 0)
        losses.sum().backward()
        results.append([losses.detach(), read.grad, *(parameter.grad for parameter in found.parameters())])
    assert results[0][0][6] == 0
    for first, second in zip(*results, strict=True):
        torch.testing.assert_close(first, second)


def test_a_class_nobody_asks_for_still_has_a_gradient():
    found = head()
    found.losses(torch.ones(2, 4), torch.tensor([0, 1])).sum().backward()
    assert all(parameter.grad is not None for parameter in found.parameters())


@pytest.mark.parametrize("cutoffs", [[7, 3], [3, 3], [0, 3], [3, 12]])
def test_cutoffs_must_rise_inside_the_vocabulary(cutoffs):
    with pytest.raises(BadInput, match="cutoffs"):
        AdaptiveHead(4, 12, cutoffs)
