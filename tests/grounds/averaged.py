"""A run with averaged weights, in one process or in two."""

from pathlib import Path

from safetensors.torch import save_file
from torch import Tensor
from two_processes import prepared

from unfooled.methods import Finetune
from unfooled.training import Processes, fit

DECAY = 0.9
PLAN = {"epochs": 2, "average": DECAY, "learning_rate": 1e-3}


def fitted(folder: Path) -> dict[str, Tensor]:
    """The averages that a run ends with in this process."""
    run = prepared(Finetune(), folder, plan=PLAN)
    fit(run)
    return dict(run.engine.average.state_dict())


def main(out: Path) -> None:
    """What each of two processes does, each writing."""
    save_file(fitted(out / "run"), out / f"fitted-{Processes().rank}.safetensors")
    Processes().close()
