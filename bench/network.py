"""Our PWWS beside the raw network it attacks, as ratios from one run on one machine: ``make bench-network``.

The model and its sentences are those of ``attack.py``, or ``--model``. Each round measures, one after the other:
(a) the raw forward rate: the very texts that (b) asks for, through transformers' own network as it comes;
(b) our PWWS with the peer's substitutes; (c) our PWWS as it comes; (d) one large matrix product, the machine's peak.
Medians over the rounds count, of ratios within a round. Operations are those of the matrix products that were made.
"""

import argparse
import os
import statistics
from collections.abc import Callable
from pathlib import Path

import torch
from torch.utils.flop_counter import FlopCounterMode

from attack import CLOCKS, MODEL, Measured, median_ratio, our_pwws, overheard, raw_forward, trained_model
from unfooled.attacks import PWWS, PWWS_PEER
from unfooled.data.examples import load_split
from unfooled.data.sources import DataSettings
from unfooled.models import load
from unfooled.victims.network import of_model


def counted(run: Callable[[], Measured]) -> int:
    """The operations of the matrix products of a run."""
    with FlopCounterMode(display=False) as counter:
        run()
    return int(counter.get_total_flops())


def peak_rate(clock: str, size: int = 2048) -> float:
    """Operations a second of one large matrix product, the best of three."""
    left, right = torch.randn(2, size, size)
    seconds = []
    for _ in range(3):
        began = CLOCKS[clock]()
        torch.mm(left, right)
        seconds.append(CLOCKS[clock]() - began)
    return 2 * size**3 / min(seconds)


def compare(folder: Path, count: int, rounds: int, clock: str) -> None:
    model = load(str(folder))
    split, _, _ = load_split(DataSettings(source="mr"), model.labels, "test", count)
    rows = [{"text": text, "label": label} for (text,), label in zip(split.texts, split.labels, strict=True)]
    victim = of_model(model)
    listening, heard = overheard(victim)
    work = {"ours": counted(lambda: our_pwws(PWWS_PEER, listening, rows, clock))}
    work["raw"] = counted(lambda: raw_forward(model, heard, clock))
    sides = {
        "raw": ("raw forward", lambda: raw_forward(model, heard, clock)),
        "ours": ("ours, the peer's substitutes", lambda: our_pwws(PWWS_PEER, victim, rows, clock)),
        "default": ("ours, default", lambda: our_pwws(PWWS(), victim, rows, clock)),
    }
    done: dict[str, list[Measured]] = {name: [] for name in sides}
    peaks = []
    for _ in range(rounds):
        for name, (_, run) in sides.items():
            done[name].append(run())
        peaks.append(peak_rate(clock))
    print("| | queries | queries/s | over the raw network | billion operations | of the matrix-product peak |")
    print("|---|---|---|---|---|---|")
    for name, (title, _) in sides.items():
        middle = sorted(done[name], key=lambda one: one.seconds)[rounds // 2]
        told = f"{middle.queries} | {middle.rate:.1f} | {median_ratio(done[name], done['raw']):.2f}"
        share = "|"
        if name in work:
            rates = [work[name] / one.seconds / peak for one, peak in zip(done[name], peaks, strict=True)]
            share = f"{work[name] / 1e9:.0f} | {statistics.median(rates):.2f}"
        print(f"| {title} | {told} | {share} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="a classifier of mr; else the one that attack.py trains")
    parser.add_argument("--examples", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall", help="cpu on a busy machine, with one thread")
    given = parser.parse_args()
    if given.model is None:
        trained_model()
    threads = f"{os.cpu_count()} cores, torch {torch.__version__}, {torch.get_num_threads()} threads"
    print(f"{threads}; {given.examples} sentences, median of {given.rounds} rounds; {given.clock} seconds\n")
    compare(given.model or MODEL, given.examples, given.rounds, given.clock)


if __name__ == "__main__":
    main()
