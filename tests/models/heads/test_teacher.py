"""A teacher is a copy that follows."""

import pytest
import torch
from torch import nn

from unfooled.models.heads.teacher import Teacher


def constant(value: float) -> nn.Linear:
    layer = nn.Linear(2, 2)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.fill_(value)
    return layer


def test_a_thousand_steps_leave_what_the_formula_says() -> None:
    online = constant(1.0)
    teacher = Teacher(online, momentum=0.996)
    with torch.no_grad():
        online.weight.zero_()
        online.bias.zero_()
    for _ in range(1000):
        teacher.follow(online)
    for parameter in teacher.parameters():
        assert torch.allclose(parameter, torch.full_like(parameter, 0.0181693), atol=1e-6)


@pytest.mark.parametrize(("momentum", "expected"), [(1.0, 1.0), (0.0, 3.0), (0.5, 2.0)])
def test_the_ends_of_the_momentum(momentum: float, expected: float) -> None:
    teacher = Teacher(constant(1.0), momentum=momentum)
    teacher.follow(constant(3.0))
    assert all(bool((parameter == expected).all()) for parameter in teacher.parameters())


def test_it_shares_no_tensor_and_asks_for_no_gradient() -> None:
    online = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    teacher = Teacher(online, momentum=0.9)
    own = {tensor.data_ptr() for tensor in teacher.state_dict().values()}
    assert not own & {tensor.data_ptr() for tensor in online.state_dict().values()}
    assert not any(parameter.requires_grad for parameter in teacher.parameters())
    assert all(parameter.requires_grad for parameter in online.parameters())


def test_buffers_are_its_own() -> None:
    online = nn.BatchNorm1d(2)
    teacher = Teacher(online, momentum=0.0)
    online(torch.randn(4, 2, generator=torch.Generator().manual_seed(0)))
    before = teacher.networks[0].running_mean.clone()
    teacher.follow(online)
    assert torch.equal(teacher.networks[0].running_mean, before) and not torch.equal(online.running_mean, before)


def test_several_networks_are_followed_in_order() -> None:
    first, second = constant(1.0), constant(2.0)
    teacher = Teacher(first, second, momentum=0.0)
    teacher.follow(constant(5.0), constant(6.0))
    assert [float(network.bias[0]) for network in teacher.networks] == [5.0, 6.0]
    with pytest.raises(ValueError, match="all of them"):
        teacher.follow(first)
