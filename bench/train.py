"""Speed and memory of training, as ratios from one run on one machine: ``make bench-train``.

(a) our examples per second over those of transformers.Trainer with dynamic padding, same model, data, batch size;
    by default, and without padding (``plan.packed``);
(b) the time of a step of each method over a step of fine-tuning, same batches;
(c) the peak memory of each method over fine-tuning's, each in a process of its own;
(d) RAR over FreeLB and the bare matrix products of RAR's decoder, which are counted, not hidden.
Pre-training is measured by ``pretraining.py``. CARL's contrast begins after a sweep over the training set:
``make bench-contrast`` measures it with full banks.
Rounds of the compared parts alternate, and the median counts, so that a busy moment hits both alike.
"""

import argparse
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from transformers import DataCollatorWithPadding, PrinterCallback, Trainer, TrainingArguments

from unfooled.data.batches.examples import ExampleBatches
from unfooled.data.examples import load_examples
from unfooled.data.sources import DataSettings
from unfooled.methods import METHODS, TrainingTask
from unfooled.models import ModelSettings, TextModel, build
from unfooled.models.encoders.packed_training import pack
from unfooled.progress import Display
from unfooled.stopping import StopAsked
from unfooled.substitution.reading import WordReader
from unfooled.tokens import Encoded, encode
from unfooled.training import Engine, Plan, Processes, Run, RunFolder
from unfooled.training.loop import advance
from unfooled.training.run_folder import State
from unfooled.types import Evaluation

BATCH = 32
LONGEST = 128  # tokens of a text
RATE = 5e-5
BARS = {"fgm": 2.3, "pgd": 4.3, "freelb": 3.2, "smart": 3.5, "clld": 2.3, "worst_words": 3.0}
TRAINER_BARS = {"mr": 1.9, "agnews": 2.4}  # of packed training over transformers.Trainer
RAR_BAR = 1.35  # over FreeLB and the arithmetic of RAR's decoder
ADDING = ("augment", "adversarial_text")  # rows: a step of theirs is a plain one
CLASSIFYING = {"classification", "text"}  # what a method says that trains classes: their name, or their kind
PREDICTING = [name for name in METHODS if CLASSIFYING & set(METHODS[name].tasks) and name not in ADDING]
PLAIN_STEPS = 0.2  # the share of a training of worst_words that is plain, unless told
SETTINGS = {"worst_words": {"begin": 0.0, "warmup": 0.0}}  # at its full strength from the first step on


class Nowhere(RunFolder):
    """A run folder that keeps nothing: neither side of the comparison writes checkpoints."""

    def save(self, *_: object) -> None:
        pass

    def log(self, **_: object) -> None:
        pass


def texts(name: str, count: int) -> tuple[list, list[int], tuple[str, ...]]:
    dataset = load_examples(DataSettings(source=name, limit=count), 0)
    return dataset.train.texts, dataset.train.labels, dataset.labels


def our_run(
    method: str, model: TextModel, some: list, labels: list[int], plan: Plan, encoded: Encoded | None = None
) -> Run:
    chosen = METHODS[method].model_validate(SETTINGS.get(method, {}))
    model = chosen.prepared(model, some)
    encoded = encoded or encode(model.tokenizer, some, LONGEST)  # by words that the method may have added
    loader = ExampleBatches(encoded, labels, plan.batch_size, seed=0)
    steps = plan.epochs * loader.updates_per_epoch
    known = {"names": model.labels, "texts": some, "reader": WordReader(model.tokenizer, LONGEST)}
    task = TrainingTask(len(model.labels), torch.tensor(labels), steps, seed=0, **known)
    if plan.packed:
        pack(model.classifier)
    objective = chosen.build(model.classifier, task)
    nowhere = Nowhere(Path(tempfile.gettempdir()))
    return Run(
        objective,
        Engine(objective, plan, Processes()),
        loader,
        nowhere,
        lambda: Evaluation({"accuracy": 0.0}),
    )


def our_epoch(run: Run, epoch: int, updates: int | None = None) -> float:
    """Seconds of an epoch (or its first updates) through the real loop's step."""
    state, display = State(step=epoch * run.loader.updates_per_epoch), Display("", 1, show=False)
    began = time.perf_counter()
    for number, batches in enumerate(run.loader.updates(epoch)):
        if number == updates:
            break
        run.engine.begin(batches)
        advance(run, state, batches, epoch, display, StopAsked())
    return time.perf_counter() - began


def their_epoch(model: TextModel, rows: list[dict], plan: Plan) -> float:
    """Seconds of the same through transformers.Trainer with dynamic padding."""
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            per_device_train_batch_size=plan.batch_size,
            num_train_epochs=1,
            learning_rate=plan.peak_rate,
            save_strategy="no",
            logging_strategy="no",
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
        )
        collate = DataCollatorWithPadding(model.tokenizer)
        trainer = Trainer(model.classifier.network, arguments, train_dataset=rows, data_collator=collate)
        trainer.remove_callback(PrinterCallback)
        began = time.perf_counter()
        trainer.train()
        return time.perf_counter() - began


def alternate(parts: dict[str, Callable[[int], float]], rounds: int) -> dict[str, float]:
    """The median seconds of each part over alternating rounds, after one round that does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in parts}
    for turn in range(rounds + 1):
        for name, part in parts.items():
            seconds[name].append(part(turn))
    return {name: statistics.median(values[1:]) for name, values in seconds.items()}


def against_trainer(name: str, equal_length: bool, count: int, rounds: int) -> None:
    some, labels, names = texts(name, count)
    model = build(ModelSettings(), names, seed=0)
    encoded = encode(model.tokenizer, some, LONGEST)
    if equal_length:
        width = 48
        ids = np.concatenate(
            [np.resize(encoded.ids[encoded.offsets[i] : encoded.offsets[i + 1]], width) for i in range(len(some))]
        )
        encoded = Encoded(ids, np.zeros_like(ids, dtype=np.int8), np.arange(len(some) + 1) * width, encoded.padding)
    rows = [
        {
            "input_ids": ids.tolist(),
            "attention_mask": [1] * len(ids),
            "token_type_ids": [0] * len(ids),
            "labels": label,
        }
        for ids, label in zip(np.split(encoded.ids, encoded.offsets[1:-1]), labels, strict=True)
    ]
    plan = Plan(batch_size=BATCH, learning_rate=RATE, epochs=rounds + 1)
    plans = {"ours": plan, "ours, packed": plan.model_copy(update={"packed": True})}
    models = {way: build(ModelSettings(), names, seed=0) for way in plans}
    runs = {way: our_run("finetune", models[way], some, labels, own, encoded) for way, own in plans.items()}
    parts = {way: (lambda turn, run=run: our_epoch(run, turn)) for way, run in runs.items()}
    found = alternate({**parts, "Trainer": lambda turn: their_epoch(model, rows, plan)}, rounds)
    for way in plans:
        bar = 0.97 if equal_length else TRAINER_BARS[name] if plans[way].packed else 1.2
        ratio = found["Trainer"] / found[way]
        label = f"{name}, equal lengths, {way}" if equal_length else f"{name}, {way}"
        speeds = f"{count / found[way]:.1f} | {count / found['Trainer']:.1f}"
        print(f"| {label} | {speeds} | {ratio:.2f} | ≥ {bar} | {verdict(ratio >= bar)} |", flush=True)


def method_costs(rounds: int, updates: int) -> None:
    some, labels, names = texts("mr", 1600)
    runs = {}
    for method in PREDICTING:
        model = build(ModelSettings(), names, seed=0)
        plan = Plan(batch_size=BATCH, learning_rate=RATE, epochs=rounds + 1)
        runs[method] = our_run(method, model, some, labels, plan)
    parts = {name: (lambda turn, run=run: our_epoch(run, turn, updates)) for name, run in runs.items()}
    parts["decoder"] = lambda turn: decoder_products(runs["rar"], turn, updates)
    found = alternate(parts, rounds)
    decoder = found.pop("decoder")
    peaks = {method: peak_memory(method) for method in PREDICTING}
    for method, seconds in found.items():
        ratio, bar = seconds / found["finetune"], BARS.get(method)
        limit = f"≤ {bar} | {verdict(ratio <= bar)}" if bar else " | "
        memory = f"{peaks[method]:.0f} | {peaks[method] / peaks['finetune']:.2f}"
        print(f"| {method} | {1000 * seconds / updates:.0f} | {ratio:.2f} | {limit} | {memory} |", flush=True)
    ratio = found["rar"] / (found["freelb"] + decoder)
    print(
        f"\nThe decoder's matrix products alone: {1000 * decoder / updates:.0f} ms per step. RAR over FreeLB and them: "
        f"{ratio:.2f} (bar ≤ {RAR_BAR}, {verdict(ratio <= RAR_BAR)})"
    )


def packed_cost(rounds: int, updates: int) -> None:
    """``worst_words`` over fine-tuning, both without padding, as its results are made."""
    some, labels, names = texts("mr", 1600)
    plan = Plan(batch_size=BATCH, learning_rate=RATE, epochs=rounds + 1, packed=True)
    ways = ("finetune", "worst_words")
    runs = {way: our_run(way, build(ModelSettings(), names, seed=0), some, labels, plan) for way in ways}
    found = alternate({way: lambda turn, run=run: our_epoch(run, turn, updates) for way, run in runs.items()}, rounds)
    ratio, bar = found["worst_words"] / found["finetune"], BARS["worst_words"]
    whole = PLAIN_STEPS + (1 - PLAIN_STEPS) * ratio
    print("\n| without padding | ms per step | over finetune | bar | | a whole training over plain |")
    print("|---|---|---|---|---|---|")
    print(f"| finetune | {1000 * found['finetune'] / updates:.0f} | 1.00 |  |  |  |")
    told = f"{1000 * found['worst_words'] / updates:.0f} | {ratio:.2f} | ≤ {bar} | {verdict(ratio <= bar)}"
    print(f"| worst_words | {told} | {whole:.2f} |", flush=True)


def decoder_products(run: Run, epoch: int, updates: int) -> float:
    """Seconds of the three products of [n, d], [V, d] and [n, V] that K reconstructions of the same batches need."""
    table = run.objective.model.network.get_input_embeddings().weight.detach()
    seconds = 0.0
    for number, batches in enumerate(run.loader.updates(epoch)):
        if number == updates:
            break
        states = torch.randn(int(batches[0].tokens.mask.sum()), table.shape[1])
        began = time.perf_counter()
        for _ in range(run.objective.settings.passes):
            gradient = torch.zeros_like(table)
            for piece in states.split(256):
                logits = piece @ table.T
                _ = logits @ table
                gradient.addmm_(logits.T, piece)
        seconds += time.perf_counter() - began
    return seconds


def peak_memory(method: str) -> float:
    """The peak memory in MB of a few steps in a process of its own."""
    command = [sys.executable, __file__, "--memory-of", method]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-1])


def memory_of(method: str) -> None:
    some, labels, names = texts("mr", 320)
    model = build(ModelSettings(), names, seed=0)
    plan = Plan(batch_size=BATCH, learning_rate=RATE, epochs=2)
    run = our_run(method, model, some, labels, plan)
    our_epoch(run, 0, 6)
    # Not getrusage: its peak survives exec, and would be that of the process that started this one.
    (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    print(int(peak) / 1024)


def verdict(holds: bool) -> str:
    return "holds" if holds else "**missed**"


def say_where(rounds: int) -> None:
    machine = f"{os.cpu_count()} cores, torch {torch.__version__}, {torch.get_num_threads()} threads"
    print(f"MiniLM, batch {BATCH}, single precision; {platform.machine()}, {machine}; median of {rounds} rounds\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--updates", type=int, default=8, help="steps per round of each method")
    parser.add_argument("--methods-only", action="store_true", help="leave the comparison with Trainer out")
    parser.add_argument("--packed-only", action="store_true", help="worst_words without padding, and nothing else")
    parser.add_argument("--memory-of", choices=PREDICTING)
    given = parser.parse_args()
    if "UNFOOLED_DATA" not in os.environ:
        sys.exit("the bench reads mr and agnews: set UNFOOLED_DATA to the folder that holds them")
    if given.memory_of:
        memory_of(given.memory_of)
        return
    say_where(given.rounds)
    if given.packed_only:
        packed_cost(given.rounds, given.updates)
        return
    if not given.methods_only:
        print(
            "| data | ours, examples/s | Trainer, examples/s | ratio | bar | |\n|---|---|---|---|---|---|",
            flush=True,
        )
        against_trainer("mr", False, 640, given.rounds)
        against_trainer("agnews", False, 480, given.rounds)
        against_trainer("mr", True, 480, given.rounds)
    print("\n| method | ms per step | over finetune | bar | | peak MB | over finetune |\n|---|---|---|---|---|---|---|")
    method_costs(given.rounds, given.updates)
    packed_cost(given.rounds, given.updates)


if __name__ == "__main__":
    main()
