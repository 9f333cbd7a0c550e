"""AdamW with decay groups, a learning rate that is a function of the step, and its state by parameter name."""

import math
from collections.abc import Iterator, Mapping
from typing import Protocol

import torch
from torch import Tensor, nn

from unfooled.recipe.plan import Plan


class Parameters(Protocol):
    """Whatever has parameters by name: a module, or what a process holds of one."""

    def named_parameters(self) -> Iterator[tuple[str, nn.Parameter]]:
        """Each parameter with its name."""


def adamw(module: Parameters, plan: Plan, own_rates: Mapping[str, float] | None = None) -> torch.optim.AdamW:
    """AdamW that decays matrices and leaves biases, norms and scalars alone; its rate is set at each update.

    A group's ``peak`` is the highest rate of parameters that have their own, by name; None: the plan's.
    """
    own = own_rates or {}
    trained = [(name, parameter) for name, parameter in module.named_parameters() if parameter.requires_grad]
    groups = [
        {
            "params": [p for name, p in trained if (p.ndim >= 2) == is_matrix and own.get(name) == peak],
            "weight_decay": plan.weight_decay if is_matrix else 0.0,
            "peak": peak,
        }
        for peak in (None, *sorted(set(own.values())))
        for is_matrix in (True, False)
    ]
    return torch.optim.AdamW([g for g in groups if g["params"]], betas=(0.9, plan.second_beta), fused=True)


def set_rate(optimizer: torch.optim.Optimizer, rate: float, plan: Plan) -> None:
    """Give each group this update's rate: the plan's, or as much of its own peak as the plan's rate is of its own."""
    for group in optimizer.param_groups:
        peak = group.get("peak")
        group["lr"] = rate if peak is None else peak * rate / plan.peak_rate


def learning_rate(plan: Plan, step: int, steps: int) -> float:
    """The rate of update ``step`` (from 0) of ``steps``: up over the warm-up, then down as the schedule says.

    >>> plan = Plan(learning_rate=1.0, warmup=0.5)
    >>> [learning_rate(plan, step, 8) for step in range(8)]
    [0.25, 0.5, 0.75, 1.0, 1.0, 0.75, 0.5, 0.25]
    """
    warm = round(plan.warmup * steps)
    if step < warm:
        return plan.peak_rate * (step + 1) / warm
    gone = (step - warm) / max(steps - warm, 1)
    factors = {
        "linear": 1 - gone,
        "cosine": (1 + math.cos(math.pi * gone)) / 2,
        "constant": 1.0,
        "inverse_sqrt": math.sqrt(max(warm, 1) / (step + 1)),  # Vaswani et al., 2017, Eq. 3
    }
    return plan.peak_rate * factors[plan.schedule]


def optimizer_state(optimizer: torch.optim.Optimizer, module: Parameters) -> dict[str, Tensor]:
    """The optimiser's tensors under "kind/parameter name", as a checkpoint stores them."""
    return {
        f"{kind}/{name}": value
        for name, parameter in module.named_parameters()
        for kind, value in optimizer.state.get(parameter, {}).items()
    }


def restore_optimizer(optimizer: torch.optim.Optimizer, module: Parameters, state: Mapping[str, Tensor]) -> None:
    """Put stored tensors back, to the bit."""
    parameters = dict(module.named_parameters())
    for key, value in state.items():
        kind, name = key.split("/", 1)
        optimizer.state[parameters[name]][kind] = value.to(parameters[name].device, copy=True)
