"""An encoder shared out over processes (FSDP2): each keeps, moves and saves its rows of every weight.

A layer is put together for a pass through it, forward and back, and taken apart behind it; its gradient is summed over
processes into the rows that each keeps. What is outside the layers, word vectors and pooler, is put together once for
all passes of an update, because methods read the table between them. The classification head, and whatever a method
trains besides, are small: every process has them, and their gradients are summed once, as those of replicas are. What
a method remembers of every training example (CARL's banks) is shared out by rows.

The optimiser, averages and checkpoints see plain tensors alone: this process's rows. A look at validation, and a
measurement of gradients, take the weights as a whole, because there processes go different ways.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor

from unfooled.errors import BadInput, setting
from unfooled.gather import add_up_gradients
from unfooled.methods.objective import Objective
from unfooled.models.heads.memory import MemoryBank
from unfooled.recipe.plan import Plan
from unfooled.training.engine import Engine, Processes
from unfooled.training.pieces import Piece, entire


@dataclass(frozen=True)
class OwnRows:
    """A weight that is shared out, and this process's rows of it as a plain parameter in the same memory."""

    weight: DTensor
    rows: nn.Parameter
    start: int

    def as_piece(self) -> Piece:
        """The rows and where they are in the whole."""
        return Piece(self.rows.detach(), self.weight.shape, self.start)


class Held:
    """What this process holds of an objective's parameters, under their names."""

    def __init__(self, objective: nn.Module, processes: Processes) -> None:
        self.shares: dict[str, OwnRows] = {}
        self.entire: dict[str, nn.Parameter] = {}
        for name, parameter in objective.named_parameters():
            if isinstance(parameter, DTensor):
                rows = nn.Parameter(parameter.detach().to_local(), requires_grad=parameter.requires_grad)
                self.shares[name] = OwnRows(parameter, rows, first_of_process(len(parameter), processes))
            else:
                self.entire[name] = parameter

    def named_parameters(self) -> Iterator[tuple[str, nn.Parameter]]:
        """What the optimiser moves in this process."""
        yield from ((name, share.rows) for name, share in self.shares.items())
        yield from self.entire.items()


class ShardedEngine(Engine):
    """The encoder's weights, gradients, averages and the optimiser's tensors shared out over processes."""

    shares = True
    held: Held

    def __init__(self, objective: Objective, plan: Plan, processes: Processes) -> None:
        self.encoder = shared_out(objective, processes)
        self.modules = [module for module in self.encoder.modules() if isinstance(module, FSDPModule)]
        self.banks = {name: one for name, one in objective.named_modules() if isinstance(one, MemoryBank)}
        for bank in self.banks.values():
            bank.share_out(processes.rank, processes.count)
        super().__init__(objective, plan, processes)

    def hold(self) -> Held:
        """This process's rows of what is shared out, and all of the rest."""
        return Held(self.objective, self.processes)

    def reduced(self) -> list[Tensor]:
        """Every gradient this process has rows of; those of layers were summed as passes went back."""
        for module in self.modules:
            module.reshard()  # what was put together is out of date once the optimiser has moved
        for share in self.held.shares.values():
            if share.weight.grad is not None:
                share.rows.grad = share.weight.grad.to_local()
        add_up_gradients(self.held.entire.values())
        return [parameter.grad for parameter in self.parameters if parameter.grad is not None]

    def size(self, gradients: list[Tensor]) -> Tensor:
        """The norm of the whole gradient, rows that other processes hold included."""
        shared = [share.rows.grad for share in self.held.shares.values() if share.rows.grad is not None]
        rest = [parameter.grad for parameter in self.held.entire.values() if parameter.grad is not None]
        mine, alike = (torch.nn.utils.get_total_norm(some).double().square() for some in (shared, rest))
        total = self.processes.add_up(mine.to(self.processes.device)) + alike.to(self.processes.device)
        return total.sqrt().float()

    def leave_out(self) -> None:
        """Forget this update's gradient."""
        super().leave_out()
        for share in self.held.shares.values():
            share.weight.grad = None

    def spoil(self) -> None:
        """Make this update's gradient not a number, so that every process refuses it."""
        self.leave_out()
        super().spoil()

    def kept(self) -> dict[str, Piece]:
        """The rows of this process and what all have alike, with averages: what a restart needs."""
        shares = {name: share.as_piece() for name, share in self.held.shares.items()}
        parameters = {name for name, _ in self.objective.named_parameters(remove_duplicate=False)}
        buffers = {name: one for name, one in self.objective.state_dict().items() if name not in parameters}
        own = {**shares, **{name: entire(one) for name, one in {**self.held.entire, **buffers}.items()}}
        for name, bank in self.banks.items():
            shape = torch.Size([len(bank.written), bank.rows.shape[1]])
            own[f"{name}.rows"] = Piece(bank.rows, shape, bank.start)
        return {**own, **self.averages(own)}

    @contextmanager
    def whole(self) -> Iterator[None]:
        """While open, every process has all weights, and processes may go different ways."""
        self.stay(together=True)
        try:
            yield
        finally:
            for module in self.modules:
                module.reshard()
            self.stay(together=False)

    def stay(self, together: bool) -> None:
        """Leave what passes put together as it is, or take layers apart behind each pass."""
        for module in self.modules:
            apart = not together and module is not self.encoder
            module.set_reshard_after_forward(apart, recurse=False)
            module.set_reshard_after_backward(apart, recurse=False)
            if together:
                module.unshard()

    def close(self) -> None:
        """Give the network back as it came, with all its weights in every process."""
        self.stay(together=True)
        for module in self.modules:
            taken_back(module)


def first_of_process(rows: int, processes: Processes) -> int:
    """Where this process's rows begin among all rows of a weight: all but the last processes have equally many."""
    return min(-(-rows // processes.count) * processes.rank, rows)


def shared_out(objective: Objective, processes: Processes) -> FSDPModule:
    """The objective's encoder, each of its layers and the rest of it shared out; refused where that cannot be done."""
    network = objective.model.network
    layers = layers_of(network.base_model)
    kinds = {parameter.dtype for parameter in network.parameters()}
    if network.base_model is network or not layers or len(kinds) > 1:
        raise BadInput(
            f"plan.engine = fsdp finds no layers in {type(network).__name__} that it could share out; use "
            + setting("plan", "engine", "replicas")
        )
    # It warns of outputs that somebody might change in place; nobody here does.
    warnings.filterwarnings("ignore", "FSDP2-wrapped module .* returned a view tensor", UserWarning)
    mesh = init_device_mesh(processes.device.type, (processes.count,))
    for module in (*layers, network.base_model):
        fully_shard(module, mesh=mesh, reshard_after_forward=module is not network.base_model)
        module.set_force_sum_reduction_for_comms(True)  # gradients are summed, as means are taken over the whole update
        module.set_gradient_divide_factor(1.0)
        known_as_before(type(module))
    network.base_model.set_reshard_after_backward(False, recurse=False)
    encoder: FSDPModule = network.base_model
    return encoder


def known_as_before(shared: type) -> None:
    """Call a class that shares a module out what the module's own is called: transformers knows its parts by that."""
    before = shared.__bases__[1]
    shared.__name__, shared.__qualname__, shared.__module__ = before.__name__, before.__qualname__, before.__module__


def layers_of(encoder: nn.Module) -> list[nn.Module]:
    """The layers of an encoder: the members of its lists of alike modules, none of them inside another."""
    found: list[nn.Module] = []
    for module in encoder.modules():
        alike = isinstance(module, nn.ModuleList) and len({type(one) for one in module}) == 1
        if alike and not any(module is inner for layer in found for inner in layer.modules()):
            found += [one for one in module if any(True for _ in one.parameters())]
    return found


def taken_back(module: FSDPModule) -> None:
    """A module that is put together as it was before it was shared out: FSDP itself has no way back."""
    state = module._get_fsdp_state()
    handles = [state._pre_forward_hook_handle, state._post_forward_hook_handle]
    for group in state._fsdp_param_groups:
        handles += group._module_to_pre_save_state_dict_hook_handle.values()
        handles += group._module_to_pre_load_state_dict_hook_handle.values()
    for handle in handles:
        handle.remove()
    module.__class__ = type(module).__bases__[1]
