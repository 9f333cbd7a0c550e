"""Learned weights come to rest where the formula says."""

import math

import pytest
import torch

from unfooled.losses.uncertainty import learned_weights, price


def test_constant_losses_reach_their_fixed_points() -> None:
    losses = torch.tensor([2.7, 0.4])
    logs = torch.zeros(2, requires_grad=True)
    for step in range(4000):
        value = (learned_weights(logs) * losses).sum() + price(logs)
        (gradient,) = torch.autograd.grad(value, logs)
        with torch.no_grad():
            logs -= 0.1 / (1 + step / 100) * gradient
    assert logs[0].item() == pytest.approx(math.log(2.7), abs=1e-3)  # .99325
    assert logs[1].item() == pytest.approx(0.0, abs=0.01)
    weighted = (learned_weights(logs) * losses).tolist()
    assert weighted == pytest.approx([1.0, 0.4], abs=0.01)


def test_it_starts_at_weights_of_one_and_no_price() -> None:
    assert learned_weights(torch.zeros(3)).tolist() == [1.0] * 3
    assert price(torch.zeros(3)).item() == 0.0
    assert price(torch.tensor([-2.0, 0.5, 1.0])).item() == pytest.approx(1.5)
