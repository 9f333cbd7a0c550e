"""A step of CLINE and of DCL over one of masked language modelling, and its share of views: ``make bench-train``.

Rounds of the compared parts alternate, and the median counts, so that a busy moment hits both alike.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import torch

from train import BATCH, RATE, Nowhere, alternate, our_epoch, say_where, verdict
from unfooled.data.batches.address import global_batches
from unfooled.data.batches.blocks import Blocks, in_blocks
from unfooled.data.batches.views import Reader, ViewBatches
from unfooled.data.corpus import load_corpus
from unfooled.data.sources import DataSettings
from unfooled.methods import METHODS, TrainingTask
from unfooled.models import ModelSettings
from unfooled.models.encoders.masked import MaskedTextModel, build_masked
from unfooled.training import Engine, Plan, Processes, Run
from unfooled.types import Evaluation

PRETRAINING_BARS = {"cline": 3.4, "dcl": 3.0}  # over masked language modelling
VIEWS_BAR = 0.05  # share of a step


def pretraining_costs(rounds: int, updates: int, length: int) -> None:
    """Steps of CLINE and DCL over those of masked language modelling, views made on the way in all of them."""
    paragraphs = load_corpus(DataSettings(source="wikitext2_raw")).splits["validation"]
    runs, blocks = {}, None
    for name in ("mlm", *PRETRAINING_BARS):
        model = build_masked(ModelSettings(max_length=length), seed=0)
        blocks = blocks or in_blocks(paragraphs[:600], model.tokenizer, length)
        runs[name] = pretraining_run(name, model, blocks, Plan(batch_size=BATCH, learning_rate=RATE, epochs=rounds + 1))
    parts = {name: (lambda turn, run=run: our_epoch(run, turn, updates)) for name, run in runs.items()}
    parts |= {f"{name} views": (lambda turn, run=run: views_alone(run, turn, updates)) for name, run in runs.items()}
    found = alternate(parts, rounds)
    print(f"\nBlocks of {length} tokens:\n\n| method | ms per step | over mlm | bar | | views | bar | |")
    print("|---|---|---|---|---|---|---|---|")
    for name in runs:
        ratio, bar = found[name] / found["mlm"], PRETRAINING_BARS.get(name)
        limit = f"≤ {bar} | {verdict(ratio <= bar)}" if bar else " | "
        share = found[f"{name} views"] / found[name]
        views = f"{100 * share:.1f} % | ≤ {100 * VIEWS_BAR:.0f} % | {verdict(share <= VIEWS_BAR)}"
        print(f"| {name} | {1000 * found[name] / updates:.0f} | {ratio:.2f} | {limit} | {views} |", flush=True)


def pretraining_run(name: str, model: MaskedTextModel, blocks: Blocks, plan: Plan) -> Run:
    method = METHODS[name]()
    loader = ViewBatches(blocks, Reader.of(model.tokenizer, model.max_length), method.views(), plan.batch_size, seed=0)
    objective = method.build(model.model, TrainingTask(0, torch.zeros(len(blocks)), 1000, seed=0))
    nowhere = Nowhere(Path(tempfile.gettempdir()))
    return Run(objective, Engine(objective, plan, Processes()), loader, nowhere, lambda: Evaluation({"accuracy": 0.0}))


def views_alone(run: Run, epoch: int, updates: int) -> float:
    """Seconds in which the views of an epoch's first updates are made, nothing else being done."""
    order = global_batches(run.loader.blocks.lengths, BATCH, 0, epoch)[:updates]
    began = time.perf_counter()
    for rows in order:
        run.loader.batch(rows, epoch)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--updates", type=int, default=8, help="steps per round of each method")
    parser.add_argument("--length", type=int, default=128, help="tokens of a block")
    given = parser.parse_args()
    if "UNFOOLED_DATA" not in os.environ:
        sys.exit("the bench reads wikitext2_raw: set UNFOOLED_DATA to the folder that holds it")
    say_where(given.rounds)
    pretraining_costs(given.rounds, given.updates, given.length)


if __name__ == "__main__":
    main()
