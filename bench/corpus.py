"""Pre-training on more text than memory should have to hold: ``make bench-corpus``, another size by ``--megabytes``.

A synthetic corpus in packed shards is trained on by fresh processes: the first start tokenises it, the second finds it
kept, two more begin at once. Each says how long it took to its first step and how much memory it had at most.
"""

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

MEMORY_BAR = 1500  # MB at most, whatever the size
START_BAR = 5.0  # seconds to the first step where the blocks are kept
SHARDS = 4
VOCABULARY = 50_000
STEPS = 20
BEGUN = time.perf_counter()


def write_corpus(folder: Path, megabytes: float) -> float:
    """Paragraphs of made-up words, as frequent as Zipf has them, in packed shards and a small validation file."""
    random = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucmfwypvbgkjqxz"))
    words = np.array(["".join(random.choice(letters, 2 + number % 9)) for number in range(VOCABULARY)])
    weights = 1 / np.arange(2, VOCABULARY + 2)
    written = 0
    for number in range(SHARDS):
        with gzip.open(folder / f"train-{number:05}-of-{SHARDS:05}.txt.gz", "wt", compresslevel=1) as file:
            while written < megabytes * 1e6 * (number + 1) / SHARDS:
                written += file.write(paragraphs(random, words, weights, 2000))
    (folder / "validation-00000-of-00001.txt").write_text(paragraphs(random, words, weights, 200))
    return written / 1e6


def paragraphs(random: np.random.Generator, words: np.ndarray, weights: np.ndarray, count: int) -> str:
    drawn = random.choice(words, (count, 80), p=weights / weights.sum())
    return "".join(" ".join(row[: 20 + number % 60]) + "\n" for number, row in enumerate(drawn))


def child(data: str, out: str) -> None:
    """One run of a few steps; its seconds to the first of them and its peak of memory, as a line of JSON."""
    import unfooled as uf
    from unfooled.training import loop

    imported = time.perf_counter() - BEGUN
    steps: list[float] = []
    advance = loop.advance

    def timed(*given: object) -> None:
        steps.append(time.perf_counter() - BEGUN)
        advance(*given)

    loop.advance = timed
    plan = {"max_steps": STEPS, "batch_size": 16, "learning_rate": 1e-4}
    uf.train({"source": data}, out, {"name": "minilm", "max_length": 64}, "mlm", plan, task="pretraining")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    hash_of = json.loads((Path(out) / "summary.json").read_text())["model_hash"]
    print(json.dumps({"first_step": steps[0], "imports": imported, "peak": peak, "hash": hash_of}))


def begin(data: Path, out: Path, cache: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, __file__, "--child", str(data), str(out)]
    given = {**os.environ, "UNFOOLED_CACHE": str(cache)}
    return subprocess.Popen(command, env=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def end(process: "subprocess.Popen[str]") -> dict[str, float]:
    out, _ = process.communicate()
    if process.returncode:
        raise SystemExit("a run failed; run bench/corpus.py --child CORPUS FOLDER to see why")
    found: dict[str, float] = json.loads(out.splitlines()[-1])
    return found


def main(megabytes: float) -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        data, cache = root / "corpus", root / "cache"
        data.mkdir()
        size = write_corpus(data, megabytes)
        first = end(begin(data, root / "first", cache))
        second = end(begin(data, root / "second", cache))
        pair = [begin(data, root / f"pair-{number}", root / "other") for number in range(2)]
        together = [end(process) for process in pair]
        folders = sum(path.is_dir() for path in (root / "other" / "blocks").iterdir())
    print(f"A corpus of {size:.0f} MB of text, packed, in {SHARDS} shards; {STEPS} steps of `mlm`:\n")
    print("| start | seconds to the first step | of that, imports | bar | | peak of memory, MB | bar | |")
    print("|---|---|---|---|---|---|---|---|")
    rows = {"first (tokenised)": first, "second (kept)": second}
    for label, found in (
        rows | {f"two at once, {turn}": one for turn, one in zip("ab", together, strict=True)}
    ).items():
        bar = f"≤ {START_BAR:g} | {verdict(found['first_step'] <= START_BAR)}" if found is second else " | "
        memory = f"{found['peak']:.0f} | ≤ {MEMORY_BAR} | {verdict(found['peak'] <= MEMORY_BAR)}"
        print(f"| {label} | {found['first_step']:.1f} | {found['imports']:.1f} | {bar} | {memory} |")
    same = len({found["hash"] for found in (first, second, *together)}) == 1
    print(f"\nThe same bits in all four: {verdict(same)}. Folders that two at once have made: {folders} (bar 1).")


def verdict(holds: bool) -> str:
    return "holds" if holds else "**missed**"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=float, default=500)
    parser.add_argument("--child", nargs=2)
    chosen = parser.parse_args()
    if chosen.child:
        child(*chosen.child)
    else:
        main(chosen.megabytes)
