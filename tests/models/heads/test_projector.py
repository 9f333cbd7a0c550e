"""The layers of projector and predictor."""

import torch

from unfooled.models.heads.power_norm import PowerNorm
from unfooled.models.heads.projector import projector


def test_two_layers_with_a_normalisation_between() -> None:
    head = projector(6, 5, 4, warmup=3)
    first, norm, last = head[0], head[1], head[3]
    assert isinstance(norm, PowerNorm) and norm.warmup == 3
    head.eval()
    given = torch.randn(7, 6, generator=torch.Generator().manual_seed(0))
    expected = norm(given @ first.weight.T + first.bias).clamp(min=0) @ last.weight.T + last.bias
    assert torch.allclose(head(given), expected, atol=1e-6) and head(given).shape == (7, 4)


def test_without_normalisation_only_the_layers_learn() -> None:
    assert len(list(projector(6, 5, 4, norm="none").parameters())) == 4
    assert len(list(projector(6, 5, 4, norm="batch").parameters())) == 6
