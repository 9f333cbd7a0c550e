"""Processes, devices and the optimiser behind a few verbs; beside the trackers the only file that imports accelerate.

Gradients are added up over processes once per update, after all its passes, by one all-reduce. That is right for
any number of passes a method makes, needs no ``no_sync``, leaves buffers (memory banks) alone, and lets a mean be
taken over the whole update: every term's sum is divided by the count of its units over all passes and processes.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

import torch
import torch.distributed as dist
from accelerate import PartialState
from torch import Tensor

from unfooled.device import device
from unfooled.gather import add_up_gradients
from unfooled.methods.objective import Objective
from unfooled.recipe.plan import Plan
from unfooled.stopping import left_to_the_system
from unfooled.training.average import AveragedWeights
from unfooled.training.optimizer import Parameters, adamw, set_rate
from unfooled.training.pieces import Piece, entire
from unfooled.training.run_folder import unshared
from unfooled.training.table_gradient import table_of
from unfooled.types import Batch, Loss

NEARLY = 1e-6  # what PyTorch adds to a norm before it divides by it: a gradient that is smaller is multiplied by 1


class Processes:
    """This process among all that train together; one alone where nothing launched more."""

    def __init__(self) -> None:
        wanted = device()
        with left_to_the_system(when=os.environ.get("WORLD_SIZE", "1") != "1"):  # others may never come
            self.state = PartialState(cpu=wanted == "cpu")
        self.rank: int = self.state.process_index
        self.count: int = self.state.num_processes
        self.device: torch.device = self.state.device if self.count > 1 else torch.device(wanted)

    @property
    def first(self) -> bool:
        """Whether this is the process that writes files and shows bars."""
        return self.rank == 0

    def add_up(self, values: Tensor) -> Tensor:
        """The sum of a tensor over all processes."""
        if self.count > 1:
            dist.all_reduce(values)
        return values

    def any(self, here: bool) -> bool:
        """Whether something is so in any of the processes."""
        return bool(self.add_up(torch.tensor(int(here), device=self.device)))

    def wait(self) -> None:
        """Go on when all processes have come here."""
        self.state.wait_for_everyone()

    def close(self) -> None:
        """Leave the group of processes in order."""
        self.wait()
        self.state.destroy_process_group()


class Engine:
    """Moves an objective's parameters: begin an update, backward any number of times, update."""

    shares = False  # whether the network is shared out over processes, each of which then writes checkpoints

    def __init__(self, objective: Objective, plan: Plan, processes: Processes) -> None:
        self.objective = objective
        self.plan = plan
        self.processes = processes
        self.held = self.hold()
        self.optimizer = adamw(self.held, plan, objective.own_rates())
        self.parameters = [parameter for group in self.optimizer.param_groups for parameter in group["params"]]
        self.average = AveragedWeights(self.held, plan.average)
        self.counts: Mapping[str, int] = {}
        self.table = None if self.shares else table_of(objective)

    def hold(self) -> Parameters:
        """What of the parameters this process keeps and moves: all of them."""
        return self.objective

    def begin(self, batches: Sequence[Batch], stop: bool = False) -> bool:
        """Count the units of the whole update, over its passes and processes; say whether anyone wants to stop."""
        units = sorted(batches[0].counts)
        mine = [sum(batch.counts[unit] for batch in batches) for unit in units]
        total = self.processes.add_up(torch.tensor([int(stop), *mine], device=self.processes.device)).tolist()
        self.counts = dict(zip(units, total[1:], strict=True))
        return bool(total[0])

    def backward(self, loss: Loss, share: float = 1.0) -> None:
        """Add ``share`` of the loss's gradient to the parameters'."""
        (loss.total(self.counts) * share).backward()

    def update(self, rate: float) -> float:
        """Add up gradients over processes, clip, move the parameters; the gradient's norm before clipping."""
        gradients = self.reduced()
        norm = self.size(gradients)
        if not torch.isfinite(norm):
            raise FloatingPointError("the gradient is not finite")
        if self.plan.clip is not None and norm > self.plan.clip - NEARLY:
            self.clip(self.plan.clip, norm)
        set_rate(self.optimizer, rate, self.plan)
        self.optimizer.step()
        self.leave_out()
        return float(norm)

    def reduced(self) -> list[Tensor]:
        """Every parameter's gradient, summed over processes; a parameter no pass reached keeps none."""
        if self.table is not None:
            self.table.settle()
        return add_up_gradients(self.parameters)

    def size(self, gradients: list[Tensor]) -> Tensor:
        """The norm of the whole gradient."""
        return torch.nn.utils.get_total_norm(gradients)

    def clip(self, largest: float, norm: Tensor) -> None:
        """Shrink the gradient to a norm, as ``clip_grad_norm_`` does; of a table only the rows that are not 0."""
        own = None if self.table is None else self.table.weight
        torch.nn.utils.clip_grads_with_norm_([one for one in self.parameters if one is not own], largest, norm)
        if self.table is not None:
            self.table.scale(torch.clamp(largest / (norm + NEARLY), max=1.0))

    def leave_out(self) -> None:
        """Forget this update's gradient."""
        if self.table is not None:
            self.table.wipe()
        self.optimizer.zero_grad(set_to_none=True)

    def spoil(self) -> None:
        """Make this update's gradient not a number, so that every process refuses it."""
        for parameter in self.parameters:
            parameter.grad = torch.full_like(parameter, torch.nan)

    def kept(self) -> dict[str, Piece]:
        """The tensors of the objective that a restart needs, with the averages of its weights where there are any."""
        own = {name: entire(tensor) for name, tensor in unshared(self.objective.state_dict()).items()}
        return {**own, **self.averages(own)}

    def averages(self, own: Mapping[str, Piece]) -> dict[str, Piece]:
        """The averages of pieces, under the names that checkpoints have for them."""
        found = self.average.state_dict()
        parts = {name: own.get(name.replace("/", ".")) for name in found}
        return {
            f"average/{name}": entire(found[name]) if part is None else part.beside(found[name])
            for name, part in parts.items()
        }

    @contextmanager
    def whole(self) -> Iterator[None]:
        """While open, every process has all weights, as replicas always have."""
        yield

    def close(self) -> None:
        """Give the network back as it came."""
        if self.table is not None:
            self.table.close()
