"""Sizes of gradients; what two processes find is in tests/methods/test_contract.py, under the method that balances."""

import torch
from support import make_batch
from torch import nn

from unfooled.methods.gradient_size import TermSizes, flat_gradient, root_mean_square, size, whole_counts
from unfooled.types import Loss, Term


def test_a_gradient_is_one_vector_and_0_where_a_parameter_has_no_part():
    first, second, third = (nn.Parameter(torch.ones(n)) for n in (2, 3, 1))
    value = (first * torch.tensor([3.0, 4.0])).sum() + 2 * third.sum()
    found = flat_gradient(value, [first, second, third], keep_graph=True)
    assert found.tolist() == [3, 4, 0, 0, 0, 2]
    assert flat_gradient(value, [third]).tolist() == [2]
    assert all(parameter.grad is None for parameter in (first, second, third))
    assert size(found[:5]) == 5.0


def test_batches_of_one_process_are_all_there_are():
    assert whole_counts(make_batch([5, 3])) == {"examples": 2, "tokens": 8}
    assert root_mean_square([2.0, 2.0]) == 2.0


def test_a_measured_step_notes_the_gradient_of_every_terms_mean_and_leaves_none():
    weights = nn.Parameter(torch.tensor([1.0, 2.0]))
    batch = make_batch([5, 3])
    engine = TermSizes(batch, [weights])
    slopes = {"task": torch.tensor([6.0, 8.0]), "contrast": torch.tensor([0.0, 16.0])}
    terms = {
        "task": Term((weights * slopes["task"]).sum(), 2),
        "contrast": Term((weights * slopes["contrast"]).sum(), 8, "tokens", weight=0.1),
    }
    engine.backward(Loss(terms))
    assert engine.sizes == {"task": 5.0, "contrast": 2.0} and weights.grad is None
