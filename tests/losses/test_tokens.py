"""The chunked cross-entropy against the plain one, in value, gradients and memory."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from unfooled.losses.tokens import reconstruction


def drawn(tokens=7, width=5, words=11, dtype=torch.float64, seed=0):
    """States, weight and bias that ask for gradients, and targets."""
    random = torch.Generator().manual_seed(seed)
    shapes = ((tokens, width), (words, width), (words,))
    leaves = [torch.randn(shape, generator=random, dtype=torch.float64).to(dtype).requires_grad_() for shape in shapes]
    return leaves, torch.randint(words, (tokens,), generator=random)


def plain(states, weight, bias, targets):
    return F.cross_entropy(states @ weight.T + bias, targets, reduction="sum")


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 8, 256])
def test_value_and_gradients_are_those_of_the_plain_cross_entropy(chunk):
    leaves, targets = drawn()
    found, expected = reconstruction(*leaves, targets, chunk), plain(*leaves, targets)
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
    mine, theirs = (torch.autograd.grad(0.3 * value, leaves) for value in (found, expected))
    torch.testing.assert_close(mine, theirs, rtol=1e-10, atol=1e-12)


def test_gradients_in_double_precision():
    leaves, targets = drawn(tokens=4, width=3, words=5)
    assert torch.autograd.gradcheck(lambda *given: reconstruction(*given, targets, 3), leaves)


@pytest.mark.parametrize("frozen", range(3))
def test_only_what_asks_for_a_gradient_receives_one(frozen):
    leaves, targets = drawn()
    leaves[frozen].requires_grad_(False)
    reconstruction(*leaves, targets, 3).backward()
    assert [leaf.grad is None for leaf in leaves] == [place == frozen for place in range(3)]


def test_it_can_be_gone_back_through_twice():
    leaves, targets = drawn()
    value = reconstruction(*leaves, targets, 3)
    first = torch.autograd.grad(value, leaves, retain_graph=True)
    torch.testing.assert_close(torch.autograd.grad(value, leaves), first, rtol=0, atol=0)


def test_a_second_derivative_is_refused_rather_than_wrong():
    leaves, targets = drawn()
    (slope,) = torch.autograd.grad(reconstruction(*leaves, targets) ** 2, leaves[0], create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.sum().backward()


def test_without_gradients_none_are_made():
    leaves, targets = drawn()
    with torch.no_grad(), Largest() as seen:
        value = reconstruction(*leaves, targets, 2)
    assert not value.requires_grad
    assert seen.entries <= 2 * 11  # a chunk of logits, and no gradient of the weight (11 · 5)


def test_no_tokens_cost_nothing_and_give_gradients_of_zero():
    leaves, targets = drawn(tokens=0)
    value = reconstruction(*leaves, targets)
    value.backward()
    assert value.item() == 0
    assert all(leaf.grad is not None and not leaf.grad.any() for leaf in leaves)


def test_equal_logits_give_the_logarithm_of_the_vocabulary():
    value = reconstruction(torch.zeros(3, 4), torch.ones(30000, 4), torch.zeros(30000), torch.tensor([0, 7, 29999]), 2)
    assert value.item() / 3 == pytest.approx(math.log(30000), rel=1e-6)


@pytest.mark.parametrize("size", [1e4, -1e4])
def test_certain_predictions_give_finite_values_and_gradients(size):
    leaves = [torch.tensor([[size], [1.0]]), torch.tensor([[1.0], [-1.0]]), torch.zeros(2)]
    leaves = [leaf.requires_grad_() for leaf in leaves]
    value = reconstruction(*leaves, torch.tensor([0, 0]))
    value.backward()
    assert value.item() == pytest.approx(max(-2 * size, 0) + math.log1p(math.exp(-2)), rel=1e-5)
    assert all(torch.isfinite(leaf.grad).all() for leaf in leaves)


def test_half_precision_is_computed_in_single_and_answered_in_kind():
    leaves, targets = drawn(dtype=torch.bfloat16)
    value = reconstruction(*leaves, targets, 3)
    exact = [leaf.detach().double() for leaf in leaves]
    assert value.dtype is torch.float32
    assert value.item() == pytest.approx(plain(*exact, targets).item(), rel=1e-5)
    value.backward()
    assert all(leaf.grad.dtype is torch.bfloat16 for leaf in leaves)


class Largest(TorchDispatchMode):
    """Remembers the most entries of any new table (two dimensions) that an operation made; views are not new."""

    entries = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        made = result if isinstance(result, tuple) else (result,)
        for tensor, described in zip(made, function._schema.returns, strict=False):
            if isinstance(tensor, torch.Tensor) and tensor.dim() == 2 and described.alias_info is None:
                self.entries = max(self.entries, tensor.numel())
        return result


@pytest.mark.parametrize("chunk", [1, 4, 16])
def test_never_more_than_a_chunk_of_logits_exists(chunk):
    leaves, targets = drawn(tokens=64, width=2, words=500)
    with Largest() as seen:
        reconstruction(*leaves, targets, chunk).backward()
    assert seen.entries == max(chunk * 500, 500 * 2)  # else the largest is the gradient of the weight
    with Largest() as seen:
        plain(*leaves, targets).backward()
    assert seen.entries == 64 * 500


def test_a_chunk_of_nothing_is_refused():
    leaves, targets = drawn()
    with pytest.raises(ValueError, match="at least one"):
        reconstruction(*leaves, targets, 0)
