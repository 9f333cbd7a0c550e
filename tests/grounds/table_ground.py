"""Runs with the table's gradient in kept memory and with PyTorch's own, in one process or in two."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor
from two_processes import eager, prepared

from unfooled.gather import in_step
from unfooled.methods import Method
from unfooled.seeds import begin_pass
from unfooled.training import Processes, Run

BUSY = {"clip": 0.05, "learning_rate": 1e-2, "average": 0.9}  # every update is clipped


def weights_after(run: Run, epochs: int = 2) -> dict[str, Tensor]:
    """The weights and the optimiser's tensors after some epochs of updates."""
    norms = []
    run.objective.train()
    for epoch in range(epochs):
        for number, batches in enumerate(run.loader.updates(epoch)):
            run.engine.begin(batches)
            for turn, batch in enumerate(batches):
                begin_pass(0, "dropout", epoch, number, turn)
                with in_step():
                    run.objective.step(run.engine, batch)
            norms.append(run.engine.update(1e-2))
    found = {name: one.detach().clone() for name, one in run.objective.named_parameters()}
    for name, one in run.objective.named_parameters():
        for kind, value in run.engine.optimizer.state.get(one, {}).items():
            found[f"{kind}/{name}"] = value.clone()
    return {**found, "norms": torch.tensor(norms)}


def without_it(run: Run) -> Run:
    """The same run with PyTorch's own gradient of the table."""
    assert run.engine.table is not None
    run.engine.table.close()
    run.engine.table = None
    return run


def pair(method: Method, folder: Path, plan: Mapping[str, Any]) -> list[dict[str, Tensor]]:
    kept, own = (prepared(method, folder / name, dropout=0.2, plan=plan) for name in ("kept", "own"))
    return [weights_after(kept), weights_after(without_it(own))]


def in_two(folder: Path) -> None:
    """What each of two processes does, the first writing."""
    kept, own = pair(eager("freelb"), folder / "both", BUSY)
    if Processes().first:
        both = {f"kept/{name}": one for name, one in kept.items()} | {f"own/{name}": one for name, one in own.items()}
        save_file(both, folder / "two.safetensors")
    Processes().close()
