"""Speed and memory of language models and translators, as ratios from one run on one machine: ``make bench-sequences``.

(a) a step of each method over a step of the task loss alone, same model, same batches;
(b) our tokens per second over those of transformers.Trainer and Seq2SeqTrainer, same model, same tokens;
(c) the peak memory of the Tensorized Transformer with and without checkpointing, each in a process of its own.
Rounds of the compared parts alternate, and the median of the rounds counts. Seconds are those of the processor, so that
other work on the machine does not count.
"""

import argparse
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from transformers import PrinterCallback, Seq2SeqTrainer, Seq2SeqTrainingArguments, Trainer, TrainingArguments

from train import Nowhere, alternate, verdict
from unfooled.methods import METHODS
from unfooled.progress import Display
from unfooled.recipe.config import recipe_from
from unfooled.stopping import StopAsked
from unfooled.training import Engine, Processes, Run
from unfooled.training.jobs import prepare
from unfooled.training.loop import advance
from unfooled.training.run_folder import State
from unfooled.types import Batch, Evaluation

BAR, PARITY = 2.6, 0.97
LENGTH, SEGMENTS = 80, 45  # of the memory part
RECIPES: dict[str, dict[str, Any]] = {
    "lm": {
        "data": {"source": "ptb"},
        "model": {"name": "tensorized", "max_length": 32, "dropout": 0.1},
        "plan": {"batch_size": 45, "precision": "fp32"},
    },
    "translation": {
        "data": {"source": "multi30k", "text": "en", "label": "de"},
        "model": {
            "name": "transformer",
            "max_length": 96,
            "sizes": {"width": 256, "heads": 4, "vocabulary_size": 4000},
        },
        "plan": {"batch_tokens": 1500, "label_smoothing": 0.0},
    },
}


def our_run(task: str, method: str, changes: dict[str, Any] | None = None) -> Run:
    parts = RECIPES[task]
    model = {**parts["model"], **(changes or {})}
    recipe = recipe_from(
        {
            **parts,
            "plan": {"learning_rate": 5e-5, **parts["plan"]},
            "model": model,
            "task": task,
            "method": {"name": method},
        }
    )
    processes = Processes()
    job = prepare(recipe, processes)
    objective = job.build()
    nowhere = Nowhere(Path(tempfile.gettempdir()))
    look = lambda: Evaluation({"accuracy": 0.0})  # noqa: E731
    return Run(objective, Engine(objective, recipe.plan, processes), job.loader, nowhere, look)


def steps(run: Run, turn: int, updates: int) -> float:
    """Processor seconds of some updates through the real loop's step."""
    # Far from the epoch's end: no look at the validation split falls into what is timed.
    state, display = State(step=1), Display("", 1, show=False)
    some = [batches for _, batches in zip(range(updates), run.loader.updates(turn), strict=False)]
    began = time.process_time()
    for batches in some:
        run.engine.begin(batches)
        advance(run, state, batches, turn, display, StopAsked())
        state.step = 1
    return time.process_time() - began


def method_costs(task: str, rounds: int, updates: int) -> None:
    names = [name for name, kind in METHODS.items() if task in kind.tasks and name in ("finetune", "fgm", "atcl")]
    runs = {name: our_run(task, name) for name in names}
    found = alternate({n: (lambda turn, run=run: steps(run, turn, updates)) for n, run in runs.items()}, rounds)
    for name, seconds in found.items():
        ratio = seconds / found["finetune"]
        bar = f"≤ {BAR} | {verdict(ratio <= BAR)}" if name == "atcl" else " | "
        print(f"| {task} | {name} | {1000 * seconds / updates:.0f} | {ratio:.2f} | {bar} |", flush=True)


def rows_of(task: str, batches: list[Batch]) -> list[dict[str, Any]]:
    """The same batches as a Trainer takes them; a batch is one row, so that both see the same padding."""
    rows = []
    for batch in batches:
        row = {"input_ids": batch.tokens.ids, "labels": batch.label}
        if task == "translation":
            row |= {"attention_mask": batch.tokens.mask.long(), "decoder_input_ids": batch.tokens.decoder}
        rows.append(row)
    return rows


class Shifted(torch.nn.Module):
    """A language model as Trainer wants one: labels that are already those of each position give a loss."""

    def __init__(self, network: torch.nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, input_ids: torch.Tensor, labels: torch.Tensor, **other: Any) -> dict[str, torch.Tensor]:
        logits = self.network(input_ids=input_ids, use_cache=False, **other).logits
        return {"loss": torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())}


def their_steps(task: str, run: Run, turn: int, updates: int) -> float:
    """Processor seconds of the same batches through transformers' own trainer."""
    some = [batches[0] for _, batches in zip(range(updates), run.loader.updates(turn), strict=False)]
    kind, settings = (Trainer, TrainingArguments) if task == "lm" else (Seq2SeqTrainer, Seq2SeqTrainingArguments)
    with tempfile.TemporaryDirectory() as folder:
        arguments = settings(
            folder,
            per_device_train_batch_size=1,
            num_train_epochs=1,
            save_strategy="no",
            logging_strategy="no",
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
            remove_unused_columns=False,
        )
        model = Shifted(run.objective.model.network)
        trainer = kind(model, arguments, train_dataset=rows_of(task, some), data_collator=lambda rows: rows[0])
        trainer.remove_callback(PrinterCallback)
        began = time.process_time()
        trainer.train()
        return time.process_time() - began


def against_trainer(task: str, rounds: int, updates: int) -> None:
    run = our_run(task, "finetune")
    parts: dict[str, Callable[[int], float]] = {
        "ours": lambda turn: steps(run, turn, updates),
        "theirs": lambda turn: their_steps(task, run, turn, updates),
    }
    found = alternate(parts, rounds)
    ratio = found["theirs"] / found["ours"]
    name = "Trainer" if task == "lm" else "Seq2SeqTrainer"
    times = f"{1000 * found['ours'] / updates:.0f} | {1000 * found['theirs'] / updates:.0f}"
    print(f"| {task} | {name} | {times} | {ratio:.2f} | ≥ {PARITY} | {verdict(ratio >= PARITY)} |", flush=True)


def memory_of(length: int, checkpointing: bool) -> None:
    """Print the peak memory in MB of two steps."""
    RECIPES["lm"]["data"]["limit"] = 4000
    RECIPES["lm"]["plan"]["batch_size"] = SEGMENTS
    changes = {"max_length": length, "sizes": {"layers": 6, "checkpointing": checkpointing}}
    steps(our_run("lm", "finetune", changes), 0, 2)
    (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    print(int(peak) / 1024)


def memory(length: int) -> None:
    found = {}
    for checkpointing in (False, True):
        command = [
            sys.executable,
            __file__,
            "--memory-of",
            str(length),
            *(["--checkpointing"] if checkpointing else []),
        ]
        found[checkpointing] = float(
            subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1]
        )
    print(f"| {length} | {found[False]:.0f} | {found[True]:.0f} | {found[True] / found[False]:.2f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--updates", type=int, default=4, help="steps per round")
    parser.add_argument("--memory-of", type=int, metavar="LENGTH")
    parser.add_argument("--checkpointing", action="store_true")
    parser.add_argument("--part", choices=["methods", "trainer", "memory"])
    given = parser.parse_args()
    if "UNFOOLED_DATA" not in os.environ:
        sys.exit("the bench reads ptb and multi30k: set UNFOOLED_DATA to the folder that holds them")
    if given.memory_of:
        memory_of(given.memory_of, given.checkpointing)
        return
    machine = f"{os.cpu_count()} cores, torch {torch.__version__}, {torch.get_num_threads()} threads"
    print(f"Single precision; {platform.machine()}, {machine}; median of {given.rounds} rounds; processor time\n")
    if given.part in (None, "methods"):
        print("| task | method | ms per step | over the task loss alone | bar | |\n|---|---|---|---|---|---|")
        for task in RECIPES:
            method_costs(task, given.rounds, given.updates)
    if given.part in (None, "trainer"):
        print("\n| task | beside | ours, ms | theirs, ms | ratio | bar | |\n|---|---|---|---|---|---|---|")
        for task in RECIPES:
            against_trainer(task, given.rounds, given.updates)
    if given.part in (None, "memory"):
        print(f"\n| words in each of {SEGMENTS} segments, 6 layers | peak MB | with checkpointing | ratio |")
        print("|---|---|---|---|", flush=True)
        memory(LENGTH)


if __name__ == "__main__":
    main()
