"""Contrasts and measures of representations against their formulas, number by number."""

import math

import pytest
import torch
from torch import Tensor

from unfooled.losses.contrastive import mean_cosines, misalignment, synonym_antonym, two_decisions, uniformity


def rows(seed: int, count: int = 5, width: int = 4) -> Tensor:
    return torch.randn(count, width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("scale", [1.0, 0.25])
def test_the_contrast_is_the_logarithm_of_a_share(scale: float) -> None:
    original, synonym, antonym = rows(0), rows(1), rows(2)
    found = synonym_antonym(original, synonym, antonym, scale)
    for o, s, a, value in zip(original.tolist(), synonym.tolist(), antonym.tolist(), found.tolist(), strict=True):
        like = math.exp(scale * sum(x * y for x, y in zip(o, s, strict=True)))
        unlike = math.exp(scale * sum(x * y for x, y in zip(o, a, strict=True)))
        assert value == pytest.approx(-math.log(like / (like + unlike)))


def test_equal_versions_give_log_two_and_exchanged_ones_differ_by_the_products() -> None:
    original, synonym, antonym = rows(0), rows(1), rows(2)
    assert torch.allclose(synonym_antonym(original, synonym, synonym), torch.full((5,), math.log(2)).double())
    away = synonym_antonym(original, antonym, synonym) - synonym_antonym(original, synonym, antonym)
    assert torch.allclose(away, (original * synonym).sum(1) - (original * antonym).sum(1))


def test_large_products_neither_overflow_nor_lose_their_gradient() -> None:
    original = torch.full((1, 400), 2.0, requires_grad=True)
    loss = synonym_antonym(original, -torch.ones(1, 400), torch.ones(1, 400))
    loss.sum().backward()
    assert loss.item() == pytest.approx(1600.0) and torch.allclose(original.grad, torch.full((1, 400), 2.0))
    half = synonym_antonym(torch.ones(1, 999).bfloat16(), torch.ones(1, 999).bfloat16(), torch.zeros(1, 999).bfloat16())
    assert half.dtype == torch.float32


def test_the_released_contrast_is_two_decisions_on_means() -> None:
    original, synonym, antonym = rows(0), rows(1), rows(2)
    found = two_decisions(original, synonym, antonym)
    like, unlike = torch.sigmoid((original * synonym).mean(1)), torch.sigmoid((original * antonym).mean(1))
    assert torch.allclose(found, (-like.log() - (1 - unlike).log()) / 2)


def test_misalignment_is_the_squared_distance_of_unit_vectors() -> None:
    first, second = rows(0), rows(1)
    units = [each / each.norm(dim=1, keepdim=True) for each in (first, second)]
    assert torch.allclose(misalignment(first, second), ((units[0] - units[1]) ** 2).sum(dim=1))
    assert misalignment(first, 7 * first).abs().max() < 1e-12
    assert torch.allclose(misalignment(first, -2 * first), torch.full((5,), 4.0).double())
    orthogonal = misalignment(torch.tensor([[3.0, 0.0]]), torch.tensor([[0.0, 0.5]]))
    assert orthogonal.item() == pytest.approx(2.0)  # and 4 summed both ways


def test_uniformity_of_known_points() -> None:
    same = torch.ones(4, 3)
    assert uniformity(same).item() == pytest.approx(0.0, abs=1e-6)
    square = torch.tensor([[1.0, 0], [0, 2], [-3, 0], [0, -4]])  # 4 pairs at 2, 2 pairs at 4
    assert uniformity(square).item() == pytest.approx(math.log((4 * math.exp(-4) + 2 * math.exp(-8)) / 6), abs=1e-5)
    assert uniformity(torch.tensor([[1.0, 0], [-1, 0]])).item() == pytest.approx(-8.0, abs=1e-5)
    with pytest.raises(ValueError, match="two rows"):
        uniformity(same[:1])


def test_mean_cosines_of_partners_and_of_strangers() -> None:
    first, second = rows(0), rows(1)
    own, others = mean_cosines(first, second)
    table = [[torch.cosine_similarity(a, b, dim=0).item() for b in second] for a in first]
    assert own.item() == pytest.approx(sum(table[i][i] for i in range(5)) / 5)
    assert others.item() == pytest.approx(sum(table[i][j] for i in range(5) for j in range(5) if i != j) / 20)
