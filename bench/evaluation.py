"""``evaluate --suite quick`` by a worker a core beside one process as it was before: ``make bench-evaluation``.

Each way measures the same model on the same texts in a process of its own, loading included: (a) one process with a
thread for each core, texts padded; (b) the same, packed; (c) a worker of one thread for each core, packed. Rounds
alternate, medians count.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from attack import MODEL, trained_model

WAYS = {"one process, padded": ("padded", 1), "one process": ("packed", 1), "a worker a core": ("packed", 0)}
BAR = 1.6  # of workers over one process, padded


def child(model: str, out: str, how: str, workers: str, texts: str) -> None:
    """Evaluate, and print the seconds."""
    import unfooled as uf
    from unfooled.models.encoders import packed, packed_training

    if how == "padded":  # before anybody else has taken it from there
        packed.pass_of = lambda network: lambda tokens: network(tokens).logits
        packed_training.quick_pass = lambda network: None
    began = time.perf_counter()
    uf.evaluate(model, "mr", out, suite="quick", limit=int(texts), workers=int(workers) or os.cpu_count())
    print(json.dumps(time.perf_counter() - began))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="a classifier of mr; else the one that attack.py trains")
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    if given.model is None:
        trained_model()
    seconds: dict[str, list[float]] = {way: [] for way in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(given.rounds):
            for way, (how, workers) in WAYS.items():
                words = ["child", given.model or MODEL, Path(folder) / f"{how}-{workers}-{number}", how, workers]
                command = [sys.executable, __file__, *map(str, words), str(given.texts)]
                done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
                seconds[way].append(float(done.stdout.splitlines()[-1]))
    before = statistics.median(seconds["one process, padded"])
    print(f"{given.texts} texts of mr, suite quick, median of {given.rounds} rounds\n")
    print("| | seconds | over one process, padded | bar | |\n|---|---|---|---|---|")
    for way, took in seconds.items():
        ratio = before / statistics.median(took)
        bar = f"≥ {BAR} | {'holds' if ratio >= BAR else '**missed**'}" if way == "a worker a core" else " | "
        print(f"| {way} | {statistics.median(took):.1f} | {ratio:.2f} | {bar} |")


if __name__ == "__main__":
    child(*sys.argv[2:]) if sys.argv[1:2] == ["child"] else main()
