"""Noise-contrastive estimation against the formulas written out with N, Z and exponentials."""

import math

import pytest
import torch

from unfooled.losses.nce import info_nce, log_mean_exp, nce, negatives_only


def naive(positive: list[float], negative: list[list[float]], examples: int) -> list[float]:
    """p = exp(s)/Z, D = p/(p + m/N); -log D - Σ log(1 - D), with Z = N · mean exp(s)."""
    every = [*positive, *(score for row in negative for score in row)]
    constant = examples * sum(math.exp(score) for score in every) / len(every)
    count = len(negative[0])

    def share(score: float) -> float:
        probability = math.exp(score) / constant
        return probability / (probability + count / examples)

    return [
        -math.log(share(score)) - sum(math.log(1 - share(other)) for other in row)
        for score, row in zip(positive, negative, strict=True)
    ]


@pytest.mark.parametrize("examples", [7, 1000, 67349])
def test_oracle_5_6_2_the_number_of_examples_cancels(examples: int) -> None:
    random = torch.Generator().manual_seed(0)
    positive = torch.randn(3, generator=random, dtype=torch.float64)
    negative = torch.randn(3, 5, generator=random, dtype=torch.float64)
    found = nce(positive, negative, log_mean_exp(positive, negative))
    assert found.tolist() == pytest.approx(naive(positive.tolist(), negative.tolist(), examples), rel=1e-12)


@pytest.mark.parametrize(("count", "value"), [(1, 1.386294), (4, 2.502012), (16000, 10.680375), (20000, 10.903513)])
def test_oracle_5_6_1_identical_representations(count: int, value: float) -> None:
    positive, negative = torch.full((2,), 3.0).double(), torch.full((2, count), 3.0).double()
    found = nce(positive, negative, log_mean_exp(positive, negative))
    assert found.tolist() == pytest.approx([value, value], abs=1e-6)
    assert math.log(1 + count) + count * math.log((count + 1) / count) == pytest.approx(value, abs=1e-6)
    assert info_nce(positive, negative).tolist() == pytest.approx([math.log(count + 1)] * 2)
    assert negatives_only(positive, negative).tolist() == pytest.approx([math.log(count)] * 2, abs=1e-12)


def test_large_scores_neither_overflow_nor_vanish() -> None:
    positive, negative = torch.tensor([300.0, -300.0]), torch.tensor([[-300.0, 300.0], [300.0, 0.0]])
    found = nce(positive, negative, log_mean_exp(positive, negative))
    assert torch.isfinite(found).all()


@pytest.mark.parametrize("loss", [lambda p, n: nce(p, n, torch.tensor(0.3).double()), info_nce, negatives_only])
def test_gradients(loss: object) -> None:
    random = torch.Generator().manual_seed(1)
    positive = torch.randn(3, generator=random, dtype=torch.float64, requires_grad=True)
    negative = torch.randn(3, 4, generator=random, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(loss, (positive, negative), rtol=1e-6)
