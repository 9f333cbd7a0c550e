"""What CARL's contrast adds to FreeLB, and what a training set of a million texts adds to it: ``make bench-contrast``.

MiniLM, batch 32, K = 3, m = 4096 negatives; the same MR texts for all, standing for examples of a training set of the
size named. Rounds alternate; medians.
"""

import argparse
import os
import statistics
import sys
import time
from dataclasses import replace

import torch

from unfooled.data.batches.examples import ExampleBatches
from unfooled.data.examples import load_examples
from unfooled.data.sources import DataSettings
from unfooled.methods import CARL, FreeLB, Method, TrainingTask
from unfooled.methods.objective import Objective
from unfooled.models import ModelSettings, build
from unfooled.tokens import encode
from unfooled.training import Engine, Plan, Processes
from unfooled.types import Batch


def objective_of(method: Method, examples: int) -> tuple[Objective, Engine]:
    """The method over a fresh MiniLM and a training set of so many examples; CARL's banks as if they had been swept."""
    model = build(ModelSettings(), ["negative", "positive"], seed=0)
    labels = torch.arange(examples) % 2
    objective = method.build(model.classifier, TrainingTask(2, labels, steps=100, seed=0)).train()
    if isinstance(method, CARL):
        for bank in (objective.original, objective.adversarial):
            for start in range(0, examples, 50_000):
                rows = torch.arange(start, min(start + 50_000, examples))
                bank.write(rows, torch.randn(len(rows), 384), momentum=0.0)
        objective.filled.fill_(True)
    return objective, Engine(objective, Plan(), Processes())


def steps(objective: Objective, engine: Engine, batches: list[Batch], examples: int) -> float:
    """Seconds of one step per batch, its texts standing for examples anywhere in the training set."""
    began = time.perf_counter()
    for number, batch in enumerate(batches):
        index = (2 * (torch.arange(len(batch)) + 3571 * number) + batch.label) % examples  # of the right label
        engine.begin([batch])
        objective.step(engine, replace(batch, index=index))
        engine.update(1e-6)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    if "UNFOOLED_DATA" not in os.environ:
        sys.exit("the bench reads mr: set UNFOOLED_DATA to the folder that holds it")
    data = load_examples(DataSettings(source="mr", limit=320), 0).train
    tokenizer = build(ModelSettings(), ["a", "b"], seed=0).tokenizer
    loader = ExampleBatches(encode(tokenizer, data.texts, 128), data.labels, 32, seed=0)
    batches = [update[0] for update in loader.updates(0)][:2]  # short rounds: a busy moment hits all alike
    sizes = {"freelb": 60_000, "carl, N = 10,000": 10_000, "carl, N = 60,000": 60_000, "carl, N = 1,000,000": 1_000_000}
    runs = {name: objective_of(FreeLB() if name == "freelb" else CARL(), size) for name, size in sizes.items()}
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds + 1):
        for name, (objective, engine) in runs.items():
            seconds[name].append(steps(objective, engine, batches, sizes[name]))
    found = {name: statistics.median(values[1:]) for name, values in seconds.items()}
    print("| | ms per step | over freelb |\n|---|---|---|")
    for name, value in found.items():
        print(f"| {name} | {1000 * value / len(batches):.0f} | {value / found['freelb']:.2f} |")
    contrast = found["carl, N = 60,000"] / found["freelb"]
    growth = found["carl, N = 1,000,000"] / found["carl, N = 10,000"]
    print(
        f"\nCARL over FreeLB {contrast:.2f} (bar ≤ 1.45); a million examples over ten thousand {growth:.2f} (bar ≤ 1.1)"
    )


if __name__ == "__main__":
    main()
