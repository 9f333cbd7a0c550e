import math

import pytest
import torch
from torch import nn

from unfooled.recipe.plan import Plan
from unfooled.training.optimizer import adamw, learning_rate, optimizer_state, restore_optimizer, set_rate


def test_matrices_decay_and_biases_norms_and_scalars_do_not() -> None:
    module = nn.Sequential(nn.Linear(3, 2), nn.LayerNorm(2), nn.Embedding(4, 2))
    module.register_parameter("scalar", nn.Parameter(torch.zeros(())))
    groups = adamw(module, Plan(weight_decay=0.3)).param_groups
    decays = {id(parameter): group["weight_decay"] for group in groups for parameter in group["params"]}
    expected = {name: 0.3 if name in ("0.weight", "2.weight") else 0.0 for name, _ in module.named_parameters()}
    assert {name: decays[id(parameter)] for name, parameter in module.named_parameters()} == expected


def test_a_parameter_with_a_rate_of_its_own_follows_the_same_schedule() -> None:
    module, plan = nn.Linear(3, 2), Plan(learning_rate=1e-3)
    optimizer = adamw(module, plan, {"bias": 0.05})
    for rate, expected in ((1e-3, 0.05), (2.5e-4, 0.0125)):
        set_rate(optimizer, rate, plan)
        rates = {id(parameter): group["lr"] for group in optimizer.param_groups for parameter in group["params"]}
        assert rates[id(module.weight)] == rate and rates[id(module.bias)] == pytest.approx(expected)
    kept = [parameter for group in adamw(module, plan).param_groups for parameter in group["params"]]
    assert kept[0] is module.weight and kept[1] is module.bias  # the order that norms are summed in


def test_frozen_parameters_stay_out() -> None:
    module = nn.Linear(3, 2)
    module.bias.requires_grad = False
    assert [len(group["params"]) for group in adamw(module, Plan()).param_groups] == [1]


def test_an_update_is_adamw_as_written() -> None:
    """θ ← θ - lr·wd·θ - lr·m̂/(√v̂ + 1e-8), by hand, two steps."""
    parameter = nn.Parameter(torch.tensor([[2.0]], dtype=torch.float64))
    module = nn.Module()
    module.register_parameter("weight", parameter)
    optimizer = adamw(module, Plan(weight_decay=0.1))
    optimizer.param_groups[0]["lr"] = 0.01
    value, first, second = 2.0, 0.0, 0.0
    for step, gradient in enumerate((0.5, -0.25), start=1):
        parameter.grad = torch.tensor([[gradient]], dtype=torch.float64)
        optimizer.step()
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        value -= 0.01 * 0.1 * value
        value -= 0.01 * (first / (1 - 0.9**step)) / (math.sqrt(second / (1 - 0.999**step)) + 1e-8)
        assert parameter.item() == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("schedule", ["linear", "cosine", "constant"])
def test_the_rate_rises_over_the_warm_up_and_then_follows_the_schedule(schedule: str) -> None:
    plan = Plan(learning_rate=2.0, warmup=0.1, schedule=schedule)
    rates = [learning_rate(plan, step, 100) for step in range(100)]
    assert rates[:10] == pytest.approx([0.2 * (step + 1) for step in range(10)])
    after = [(step - 10) / 90 for step in range(10, 100)]
    shapes = {
        "linear": lambda x: 1 - x,
        "cosine": lambda x: 0.5 + 0.5 * math.cos(math.pi * x),
        "constant": lambda x: 1,
    }
    assert rates[10:] == pytest.approx([2.0 * shapes[schedule](x) for x in after])
    assert min(rates) > 0


def test_the_state_comes_back_to_the_bit() -> None:
    def trained(module: nn.Linear, optimizer: torch.optim.Optimizer, steps: int, seed: int) -> None:
        random = torch.Generator().manual_seed(seed)
        for _ in range(steps):
            optimizer.zero_grad()
            (module(torch.randn(4, 3, generator=random)) ** 2).sum().backward()
            optimizer.step()

    module, plan = nn.Linear(3, 2), Plan(learning_rate=0.1)
    optimizer = adamw(module, plan)
    trained(module, optimizer, 3, seed=0)
    other = nn.Linear(3, 2)
    other.load_state_dict(module.state_dict())
    fresh = adamw(other, plan)
    state = {name: tensor.clone() for name, tensor in optimizer_state(optimizer, module).items()}
    restore_optimizer(fresh, other, state)
    trained(module, optimizer, 3, seed=1)
    trained(other, fresh, 3, seed=1)
    assert torch.equal(module.weight, other.weight) and torch.equal(module.bias, other.bias)
    assert set(state) == {f"{kind}/{name}" for kind in ("exp_avg", "exp_avg_sq", "step") for name in ("weight", "bias")}


def test_the_rate_falls_with_the_root_of_the_step_after_the_warm_up() -> None:
    """Vaswani et al., 2017, Eq. 3: min(step^-½, step · warm^-³ᐟ²), at the given rate where they meet."""
    plan = Plan(learning_rate=2.0, warmup=0.1, schedule="inverse_sqrt")
    for step in range(1, 101):
        expected = 2.0 * math.sqrt(10) * min(step**-0.5, step * 10**-1.5)
        assert learning_rate(plan, step - 1, 100) == pytest.approx(expected)
    without = Plan(learning_rate=2.0, warmup=0.0, schedule="inverse_sqrt")
    assert learning_rate(without, 3, 100) == pytest.approx(1.0)


def test_the_memory_of_squares_is_as_long_as_the_plan_says() -> None:
    assert adamw(nn.Linear(2, 2), Plan(second_beta=0.98)).param_groups[0]["betas"] == (0.9, 0.98)
