"""What each process of tests/commands/test_tune.py runs that shares a search, in a file that a fresh one can import."""

import os
from typing import Any

from unfooled.commands.tuning.bounds import Bound

BOUNDS = {
    "method.step_size": Bound(low=0.01, high=0.2, log=True),
    "method.passes": Bound(low=2, high=4),
    "plan.learning_rate": Bound(choices=(1e-3, 1e-4)),
}


def search_quietly(base: dict[str, Any], out: str) -> None:
    """What is killed: a search for one method, which waits for what others are at."""
    import torch

    from unfooled.commands.tune import tune

    torch.set_num_threads(1)
    os.close(2)  # a killed process's last words are of no interest
    os.open(os.devnull, os.O_WRONLY)
    tune(base, ["freelb"], BOUNDS, out, trials=4, wait=True)
