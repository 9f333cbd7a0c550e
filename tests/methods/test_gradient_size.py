"""Sizes of gradients; what two processes find is in tests/methods/test_contract.py, under the method that balances."""

import torch
from support import make_batch
from torch import nn

from unfooled.methods.gradient_size import flat_gradient, root_mean_square, size, whole_counts


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
