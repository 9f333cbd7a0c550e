"""Speed and success of our PWWS beside TextAttack's, as ratios from one run on one machine: ``make bench-attack``.

The victim is a MiniLM trained on MR by our own command; everyone attacks the same test sentences with as many threads.
(a) the raw forward rate: the very texts our attack asks for, through transformers' own network as it comes, in
    length-sorted padded batches of 64, tokenisation included;
(b) our PWWS with the peer's substitutes (WordNet synonyms of any part of speech, no re-inflection);
    and the same by a worker of one thread for each core, which have opened the model before (``uf.attack(workers=…)``,
    whose own opening of it counts);
(c) our PWWS as it comes;
(d) TextAttack's PWWS as installed, which pads every query to 512 tokens, on the first few sentences only: its time
    per example is its seconds per query there times the queries per example of (e), which asks the same questions;
(e) TextAttack's PWWS tuned: ``tokenizer.model_max_length = 64``.
Rounds of (a), (b), (c), (e) alternate, a part of (d) in each; medians count. No side's loading is timed, and every
side has attacked before its clock starts. Success is fooled ÷ (all − already wrong).
TextAttack cannot live beside a current transformers, so it gets an environment of its own in runs/peer, made once.
``--memory`` instead attacks 2,000 sentences of a cheap victim and prints how much memory each 1,000 add.
"""

import argparse
import json
import os
import platform
import re
import statistics
import sys
import time
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

import unfooled as uf
from peer_environment import HOME, must, peer_environment, peer_variables
from unfooled.attacks import PWWS, PWWS_PEER, Attack, AttackRecord, Limits, run_attack
from unfooled.data.examples import load_split
from unfooled.data.sources import DataSettings
from unfooled.models import TextModel, load
from unfooled.tokens import by_length, encode
from unfooled.victims import Victim
from unfooled.victims.network import of_model
from unfooled.workers.choice import staffed

PEER = HOME / "runs" / "peer"
RUN = HOME / "runs" / "bench" / "mr"
MODEL = RUN / "model"
BATCH = 64
CLOCKS = {"wall": time.perf_counter, "cpu": lambda: sum(os.times()[:4])}  # of this process and of workers that ended


@dataclass(frozen=True)
class Measured:
    """What one side did with its examples."""

    seconds: float
    examples: int
    attacked: int = 0
    fooled: int = 0
    asked: int = 0
    queries: int = 0

    @property
    def success(self) -> float:
        return self.fooled / self.attacked

    @property
    def rate(self) -> float:
        return self.queries / self.seconds


# ---- the peer ----


def their_pwws(python: Path, rows: list[dict], max_length: int, name: str, clock: str) -> Measured:
    given, found = PEER / f"{name}.in.jsonl", PEER / f"{name}.out.jsonl"
    given.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    length, threads = f"--max-length={max_length}", f"--threads={torch.get_num_threads()}"
    script = Path(__file__).with_name("peer_pwws.py")
    must([python, script, MODEL, given, length, threads, "--out", found], peer_variables(PEER))
    records = [json.loads(line) for line in found.read_text(encoding="utf-8").splitlines()]
    return added(
        Measured(
            seconds=record[clock],
            examples=1,
            attacked=int(record["outcome"] != "skipped"),
            fooled=int(record["outcome"] == "fooled"),
            asked=record["asked"],
            queries=record["queries"],
        )
        for record in records
    )


def added(parts: Iterable[Measured]) -> Measured:
    columns = zip(*((p.seconds, p.examples, p.attacked, p.fooled, p.asked, p.queries) for p in parts), strict=True)
    return Measured(*map(sum, columns))


# ---- ours ----


def overheard(victim: Victim) -> tuple[Victim, list[tuple[str, ...]]]:
    """A victim that keeps the texts it is asked about, and the list they are kept in."""
    heard: list[tuple[str, ...]] = []

    def call(texts: Sequence[tuple[str, ...]]) -> np.ndarray:
        heard.extend(texts)
        return victim.call(texts)

    return replace(victim, call=call), heard


def our_attack(attack: Attack, victim: Any, texts: Sequence, labels: Sequence[int]) -> Iterable[AttackRecord]:
    """The one call into our attacks."""
    return run_attack(attack, victim, texts, labels, limits=Limits(batch_size=BATCH))


def our_pwws(attack: Attack, victim: Victim, rows: list[dict], clock: str) -> Measured:
    began = CLOCKS[clock]()
    records = list(our_attack(attack, victim, [row["text"] for row in rows], [row["label"] for row in rows]))
    seconds = CLOCKS[clock]() - began
    failed = [record.error for record in records if record.outcome == "error"]
    if failed or len(records) != len(rows):
        sys.exit(f"{len(records)} of {len(rows)} examples ended, {len(failed)} in an error: {failed[:1]}")
    return measured(seconds, records)


def measured(seconds: float, records: Sequence[AttackRecord]) -> Measured:
    return Measured(
        seconds=seconds,
        examples=len(records),
        attacked=sum(record.outcome != "already wrong" for record in records),
        fooled=sum(record.outcome == "fooled" for record in records),
        asked=sum(record.asked for record in records),
        queries=sum(record.queries for record in records),
    )


def in_workers(count: int, clock: str) -> Measured:
    """The peer's substitutes on as many sentences, by the workers that are there."""
    began = CLOCKS[clock]()
    limits = {"queries": None, "batch_size": BATCH}
    records = uf.attack(
        str(MODEL), "mr", PWWS_PEER, limit=count, limits=limits, similarity=None, workers=os.cpu_count()
    ).records
    return measured(CLOCKS[clock]() - began, records)


def raw_forward(model: TextModel, texts: Sequence[tuple[str, ...]], clock: str) -> Measured:
    """The plain network on texts in padded batches of one length."""
    began = CLOCKS[clock]()
    encoded = encode(model.tokenizer, texts, model.max_length)
    with torch.inference_mode():
        for rows in by_length(encoded, BATCH):
            tokens = encoded.pad(rows)
            model.classifier.network(tokens.ids, tokens.mask.long(), tokens.segments)
    return Measured(CLOCKS[clock]() - began, 0, queries=len(texts))


def trained_model() -> None:
    if (RUN / "summary.json").is_file():
        return
    print(f"training the victim into {RUN}, once; some minutes", file=sys.stderr, flush=True)
    settings = ("plan.batch_size=32", "model.max_length=64", "plan.learning_rate=1e-4")
    command = [sys.executable, "-m", "unfooled", "train", "--data", "mr", "--model", "minilm", "--epochs", "2"]
    must([*command, "--out", RUN, "--resume", *(part for setting in settings for part in ("--set", setting))])


# ---- the comparison ----


def compare(count: int, installed: int, rounds: int, clock: str) -> None:
    trained_model()
    python = peer_environment(PEER)
    model = load(str(MODEL))
    split, _, _ = load_split(DataSettings(source="mr"), model.labels, "test", count)
    rows = [{"text": text, "label": label} for (text,), label in zip(split.texts, split.labels, strict=True)]
    victim = of_model(model)
    listening, heard = overheard(victim)
    our_pwws(PWWS_PEER, listening, rows, clock)
    our_pwws(PWWS(), victim, rows[:4], clock)
    in_workers(4, clock)
    sides: dict[str, list[Measured]] = {
        name: [] for name in ("raw", "ours", "workers", "default", "installed", "tuned")
    }
    for turn in range(rounds):
        sides["workers"].append(in_workers(count, clock))
        sides["raw"].append(raw_forward(model, heard, clock))
        sides["ours"].append(our_pwws(PWWS_PEER, victim, rows, clock))
        sides["default"].append(our_pwws(PWWS(), victim, rows, clock))
        sides["tuned"].append(their_pwws(python, rows, 64, "tuned", clock))
        part = rows[:installed][turn::rounds]
        if part:
            sides["installed"].append(their_pwws(python, part, 512, "installed", clock))
    if {one.fooled for one in sides["workers"]} != {one.fooled for one in sides["ours"]}:
        sys.exit("the workers fooled another number of sentences than one process")
    report(sides)


def report(sides: dict[str, list[Measured]]) -> None:
    """Both tables. The middle round of each side counts; of the peer as installed, all parts together."""
    middle = {name: sorted(found, key=lambda one: one.seconds)[len(found) // 2] for name, found in sides.items()}
    raw, ours, tuned, installed = middle["raw"], middle["ours"], middle["tuned"], added(sides["installed"])
    spread = tuned.queries / tuned.examples / (installed.queries / installed.examples)
    rows = {
        "ours, the peer's substitutes": (ours, 1.0),
        "the same, a worker a core": (middle["workers"], 1.0),
        "ours, default": (middle["default"], 1.0),
        "TextAttack as installed (512)": (installed, spread),
        "TextAttack tuned (64)": (tuned, 1.0),
    }
    print("| | examples | s per example | asked | queries | queries/s | fooled | of | success |")
    print("|---|---|---|---|---|---|---|---|---|")
    print(f"| raw forward, sentences | {raw.queries} | | | | {raw.rate:.0f} | | | |")
    for name, (one, factor) in rows.items():
        each = f"{one.seconds / one.examples * factor:.3f} | {one.asked} | {one.queries} | {one.rate:.1f}"
        print(f"| {name} | {one.examples} | {each} | {one.fooled} | {one.attacked} | {one.success:.1%} |")
    own = min(ours.seconds / ours.examples, middle["workers"].seconds / ours.examples)
    bars = (
        ("examples/s over TextAttack as installed", installed.seconds / installed.examples * spread / own, 26.0),
        ("examples/s over TextAttack tuned", tuned.seconds / tuned.examples / own, 3.5),
        ("success rate less TextAttack tuned's, points", 100 * (ours.success - tuned.success), -2.0),
        ("queries/s over the raw forward rate", median_ratio(sides["ours"], sides["raw"]), 1.5),
    )
    print("\n| | measured | bar | |\n|---|---|---|---|")
    for name, value, bar in bars:
        print(f"| {name} | {value:.2f} | ≥ {bar:g} | {verdict(value >= bar)} |")


def median_ratio(ones: list[Measured], others: list[Measured]) -> float:
    """The median over the rounds of the ratio of two neighbours in time."""
    return statistics.median(one.rate / other.rate for one, other in zip(ones, others, strict=True))


def verdict(holds: bool) -> str:
    return "holds" if holds else "**missed**"


# ---- memory ----


def cheap_victim(texts: Sequence[str]) -> list[list[float]]:
    """Probabilities from a bag of words whose weights are their checksums."""
    sums = [sum(zlib.crc32(word.encode()) % 2001 - 1000 for word in text.split()) / 1000 for text in texts]
    return [[1 / (1 + np.exp(value)), 1 / (1 + np.exp(-value))] for value in sums]


def resident() -> float:
    """Megabytes of this process in memory now."""
    (found,) = re.findall(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found) / 1024


def memory(count: int) -> None:
    """The first sentences fill the bounded memory of words; after them, others must add nothing."""
    print("| | examples | MB at first | MB at last | MB per 1,000 | bar | |\n|---|---|---|---|---|---|---|")
    for name, split, bar in (("while words are learnt", "train", False), ("other sentences, after that", "test", True)):
        examples, _, _ = load_split(DataSettings(source="mr"), ("negative", "positive"), split, count)
        texts = [text for (text,) in examples.texts]
        labels = [int(np.argmax(row)) for row in cheap_victim(texts)]
        places, sizes = [], []
        for number, _ in enumerate(our_attack(PWWS(), cheap_victim, texts, labels)):
            if number % 25 == 0 and number >= count // 10:  # before that, the first flights take off
                places.append(number / 1000)
                sizes.append(resident())
        slope = float(np.polyfit(places, sizes, 1)[0])
        ends = f"{sizes[0]:.1f} | {sizes[-1]:.1f} | {slope:.2f}"
        print(f"| {name} | {count} | {ends} | {f'< 1 | {verdict(slope < 1)}' if bar else ' | '} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=60)
    parser.add_argument("--installed", type=int, default=12, help="examples for TextAttack as installed")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--clock", choices=list(CLOCKS), default="wall", help="cpu on a busy machine, with one thread")
    parser.add_argument("--memory", action="store_true")
    given = parser.parse_args()
    if min(given.examples, given.installed, given.rounds) < 1:
        parser.error("every side needs at least one example and one round")
    if "UNFOOLED_DATA" not in os.environ:
        sys.exit("the bench reads mr: set UNFOOLED_DATA to the folder that holds it")
    if given.memory:
        memory(2000)
        return
    machine = f"{os.cpu_count()} cores, torch {torch.__version__}, {torch.get_num_threads()} threads"
    print(f"MiniLM on mr; {platform.machine()}, {machine}; median of {given.rounds} rounds; {given.clock} seconds\n")
    with staffed(os.cpu_count(), None):
        compare(given.examples, given.installed, given.rounds, given.clock)


if __name__ == "__main__":
    main()
