"""Divergences against loops over probabilities, and their gradients in double precision."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from unfooled.losses import kl, symmetric_kl

logit = st.floats(-20, 20, width=32)
rows = st.integers(2, 4).flatmap(lambda classes: st.lists(logit, min_size=classes, max_size=classes))
pairs = rows.flatmap(lambda row: st.tuples(st.just(row), st.lists(logit, min_size=len(row), max_size=len(row))))


def softmax(logits):
    partition = math.fsum(math.exp(value) for value in logits)
    return [math.exp(value) / partition for value in logits]


def naive_kl(logits, other):
    return math.fsum(p * math.log(p / q) for p, q in zip(softmax(logits), softmax(other), strict=True))


@given(pairs)
def test_kl_is_the_sum_of_p_log_p_over_q(pair):
    first, second = (torch.tensor([row], dtype=torch.float64) for row in pair)
    assert kl(first, second).tolist() == pytest.approx([naive_kl(*pair)], rel=1e-8, abs=1e-12)


@given(pairs)
def test_symmetric_kl_is_the_sum_of_both_ways(pair):
    first, second = (torch.tensor([row], dtype=torch.float64) for row in pair)
    expected = naive_kl(*pair) + naive_kl(*reversed(pair))
    assert symmetric_kl(first, second).tolist() == pytest.approx([expected], rel=1e-8, abs=1e-12)


@given(pairs)
def test_symmetric_kl_is_symmetric_and_never_negative(pair):
    first, second = (torch.tensor([row]) for row in pair)
    there, back = symmetric_kl(first, second), symmetric_kl(second, first)
    assert torch.equal(there, back)
    assert there.item() >= 0


def test_zero_if_and_only_if_the_predictions_agree():
    logits = torch.randn(5, 3, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    assert not symmetric_kl(logits, logits.clone()).any()
    # Adding a constant to all logits changes no prediction.
    assert symmetric_kl(logits, logits + 4).max() < 1e-25
    moved = logits.clone()
    moved[:, 0] += 1e-3
    assert (symmetric_kl(logits, moved) > 1e-9).all()


@pytest.mark.parametrize("divergence", [kl, symmetric_kl])
def test_gradients_in_double_precision(divergence):
    random = torch.Generator().manual_seed(1)
    logits = [torch.randn(4, 3, generator=random, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    assert torch.autograd.gradcheck(divergence, logits)
    assert torch.autograd.gradgradcheck(divergence, logits)


@pytest.mark.parametrize("divergence", [kl, symmetric_kl])
def test_certain_predictions_give_finite_values_and_gradients(divergence):
    logits = torch.tensor([[1e4, -1e4], [-80.0, 80.0]], requires_grad=True)
    other = torch.tensor([[-1e4, 1e4], [80.0, -80.0]], requires_grad=True)
    value = divergence(logits, other)
    value.sum().backward()
    sides = 2 if divergence is symmetric_kl else 1
    assert value.tolist() == pytest.approx([2e4 * sides, 160 * sides])
    assert torch.isfinite(logits.grad).all() and torch.isfinite(other.grad).all()


@pytest.mark.parametrize("divergence", [kl, symmetric_kl])
def test_one_value_per_example_computed_in_single_precision_at_least(divergence):
    logits = torch.tensor([[0.5, 1.0], [2.0, -1.0]], dtype=torch.bfloat16)
    found = divergence(logits, logits.flip(0))
    assert (found.shape, found.dtype) == ((2,), torch.float32)
    double = divergence(logits.double(), logits.double().flip(0))
    assert double.dtype is torch.float64
    assert found.tolist() == pytest.approx(double.tolist(), rel=1e-6)
