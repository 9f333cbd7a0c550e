"""Processes that find torch imported: forked from one server, alone or as the two that a launcher would start.

A process that imports torch and transformers by itself takes some seven seconds of the processor before it does
anything. Real launchers are tried where they are what is tested: tests/cli/test_train.py, tests/training/test_kill.py.
"""

import multiprocessing
import os
import socket
import traceback
from collections.abc import Callable, Mapping
from functools import cache
from multiprocessing.context import ForkServerContext
from multiprocessing.forkserver import ensure_running
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

IMPORTED = (
    "__main__",
    "pytest",
    "warm",
    "warm_words",
    "optuna",
    "unfooled.cli.main",
    "unfooled.cli.printed.tables",
    "unfooled.commands.attack",
    "unfooled.commands.compare",
    "unfooled.commands.generate",
    "unfooled.commands.report",
    "unfooled.commands.train",
    "unfooled.commands.tune",
    "unfooled.data.batches.views",
    "unfooled.data.files.delimited",
    "unfooled.loops.callback",
    "unfooled.tasks.classification",
    "unfooled.training.jobs.pretraining",
    "unfooled.training.jobs.text",
)


@cache
def server() -> ForkServerContext:
    """The context of the server, which is begun with the folder of this file on its path."""
    before = os.environ.get("PYTHONPATH")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(IMPORTED))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *([before] if before else [])])
    try:
        ensure_running()
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
    return context


def forked(target: Callable[..., None], *arguments: Any) -> BaseProcess:
    """A process that runs a function of a module, begun."""
    process = server().Process(target=target, args=arguments)
    process.start()
    return process


def two(target: Callable[..., None], *arguments: Any) -> list[BaseProcess]:
    """Two processes that find each other as those of one launch do, begun."""
    first = launch("0")
    return [forked(placed, {**first, "RANK": rank, "LOCAL_RANK": rank}, target, *arguments) for rank in "01"]


def launch(rank: str) -> dict[str, str]:
    """The environment that a launcher of two processes gives one of them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    both = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}
    return {**both, "RANK": rank, "LOCAL_RANK": rank}


def placed(environment: Mapping[str, str], target: Callable[..., None], *arguments: Any) -> None:
    """Run a function in an environment."""
    os.environ.update(environment)
    target(*arguments)


def run_two(target: Callable[[Path], None], folder: Path) -> None:
    """Run a function of a folder in two processes to its end."""
    processes = two(noting, target, folder)
    for process in processes:
        process.join(timeout=300)
    failures = [path.read_text()[-3000:] for path in sorted(folder.glob("failure-*.txt"))]
    assert [process.exitcode for process in processes] == [0, 0], "\n".join(failures)


def noting(target: Callable[[Path], None], folder: Path) -> None:
    """Run a function of a folder and leave there what went wrong."""
    import torch

    torch.set_num_threads(1)
    try:
        target(folder)
    except BaseException:
        (folder / f"failure-{os.environ['RANK']}.txt").write_text(traceback.format_exc())
        raise
