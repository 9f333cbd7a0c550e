"""What robustness costs: gains under three attacks beside processor time, ``make results-cost`` (docs/training.md).

Ways of training that differ in how often and at what a step looks for a worst case, at equal epochs, each with averaged
weights chosen by clean and substituted accuracy. A row is one number of one model, with what became of every example; a
cost is the processor time of an update, without looks and checkpoints. ``--table`` prints what is there,
``--entries=plain;freelb K = 2`` fills the cells of these alone, ``--until=SECONDS`` begins none after so many, and
``--small`` tries all of it on next to nothing. Two processes share the cells.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from fair_cells import FairCell, Place, Walk, walk
from grid import Cell, Row, markdown, read

import unfooled as uf
from unfooled.attacks.records import SAFE
from unfooled.files import write_whole
from unfooled.methods import METHODS
from unfooled.scores.differences import bootstrap
from unfooled.scores.intervals import proportion
from unfooled.training import loop

PLAN = {"epochs": 3, "batch_size": 32, "average": 0.99, "choose_by": "robust", "save_every": 100, "packed": True}
EPS = 0.1  # of k-PGD, over the whole sentence
ENOUGH = 0.9  # of the largest gain


@dataclass(frozen=True)
class Size:
    """How much is trained on and attacked, and where the rows and runs are."""

    rows_file: Path = Path("docs/results/cost.jsonl")
    runs: Path = Path("runs/cost")
    rows: int = 4000
    seeds: tuple[int, ...] = (0, 1, 2)
    clean: int | None = None  # all
    pgd: int = 500
    pwws: int = 200
    textfooler: int = 100
    plan: Mapping[str, Any] = field(default_factory=lambda: PLAN)


NOTHING = {**PLAN, "max_steps": 4, "epochs": 2}
SMALL = Size(Path("runs/cost-small/rows.jsonl"), Path("runs/cost-small"), 64, (0,), 8, 4, 2, 2, NOTHING)


@dataclass(frozen=True)
class Entry:
    """A way of training: its method and that method's settings."""

    name: str
    method: str
    settings: Mapping[str, Any] = field(default_factory=dict)


REMEMBERED = {"remember": True, "passes": 1, "radius": EPS, "step_size": EPS / 2}
ENTRIES = (
    Entry("plain", "finetune"),
    Entry("worst_words", "worst_words"),
    Entry("worst_words, every second step", "worst_words", {"every": 2}),
    Entry("worst_words, half of each batch", "worst_words", {"rows": 0.5}),
    Entry("freelb K = 3", "freelb", {"passes": 3}),
    Entry("freelb K = 2", "freelb", {"passes": 2}),
    Entry("pgd, one step", "pgd", {"steps": 1, "step_size": EPS}),
    Entry("freelb K = 1, remembered", "freelb", REMEMBERED),
)


def trained(size: Size, entry: Entry, seed: int) -> Path:
    """The run of an entry, made or gone on with where it is not finished."""
    words = "".join(sign if sign.isalnum() else "-" for sign in entry.name)
    out = size.runs / f"{words}-{seed}"
    if not (out / "summary.json").is_file():
        method = METHODS[entry.method].model_validate(entry.settings)
        model, data = {"name": "minilm", "max_length": 64}, {"source": "mr", "limit": size.rows}
        size.runs.mkdir(parents=True, exist_ok=True)
        with counted(clock_of(out)):
            uf.train(data, out, model, method, size.plan, seed, resume=True)
    return out


def clock_of(run: Path) -> Path:
    """Where the processor time of a run's updates is kept, in all calls together."""
    return run.parent / f"{run.name}.clock.json"


class Clock:
    """Processor seconds of updates, without those of looks and checkpoints that are made inside of them."""

    def __init__(self, seconds: float = 0.0, updates: int = 0) -> None:
        self.seconds, self.updates = seconds, updates
        self.runs = False

    def counts(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose time counts, as one update."""

        def counted(*given: Any) -> Any:
            self.runs, began = True, time.process_time()
            try:
                return call(*given)
            finally:
                self.seconds, self.updates = self.seconds + time.process_time() - began, self.updates + 1
                self.runs = False

        return counted

    def leaves_out(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """A function whose time inside of an update does not count."""

        def left_out(*given: Any) -> Any:
            was, self.runs, began = self.runs, False, time.process_time()
            try:
                return call(*given)
            finally:
                self.seconds, self.runs = self.seconds - was * (time.process_time() - began), was

        return left_out


@contextmanager
def counted(file: Path) -> Iterator[None]:
    """While open, the processor seconds of updates are added to those in a file."""
    clock = Clock(**json.loads(file.read_text())) if file.is_file() else Clock()
    kept = loop.advance, loop.look_and_judge, loop.save
    loop.advance = clock.counts(loop.advance)
    loop.look_and_judge, loop.save = clock.leaves_out(loop.look_and_judge), clock.leaves_out(loop.save)
    try:
        yield
    finally:
        loop.advance, loop.look_and_judge, loop.save = kept
        write_whole(file, json.dumps({"seconds": clock.seconds, "updates": clock.updates}))


def numbers(right: Sequence[bool]) -> dict[str, Any]:
    """A share with its interval, and what became of each example."""
    score = proportion(sum(right), len(right), "right, and held")
    held = "".join(str(int(one)) for one in right)
    return {"value": score.value, "low": score.low, "high": score.high, "n": score.n, "held": held}


def clean(size: Size, entry: Entry, seed: int) -> dict[str, Any]:
    """Accuracy on the test split."""
    return inside_trial(size, entry, seed, "clean", size.clean, lambda one: one.prediction == one.label)


def under_pgd(size: Size, entry: Entry, seed: int) -> dict[str, Any]:
    """Accuracy at the worst point within a small ball around each text."""
    return inside_trial(size, entry, seed, "pgd", size.pgd, lambda one: one.attack.prediction == one.label)


def inside_trial(
    size: Size, entry: Entry, seed: int, trial: str, limit: int | None, right: Callable[[Any], bool]
) -> dict[str, Any]:
    """What a trial's records say."""
    run = trained(size, entry, seed)
    settings = {"pgd": {"eps": [EPS]}} if trial == "pgd" else None
    results = uf.evaluate(str(run / "model"), "mr", run / trial, [trial], limit=limit, settings=settings)
    return numbers([right(one) for one in sorted(results.trials[0].records, key=lambda one: one.index)])


def under_words(size: Size, entry: Entry, seed: int, attack: str, limit: int) -> dict[str, Any]:
    """Accuracy under an attack in words."""
    run = trained(size, entry, seed)
    encoder = "minilm" if attack == "textfooler" else None
    done = uf.attack(str(run / "model"), "mr", attack, run / attack, limit=limit, similarity=encoder)
    return numbers([one.outcome in SAFE for one in sorted(done.records, key=lambda one: one.index)])


def cost(size: Size, entry: Entry, seed: int) -> dict[str, Any]:
    """Processor seconds of an update."""
    told = json.loads(clock_of(trained(size, entry, seed)).read_text())
    return {"value": told["seconds"] / max(told["updates"], 1), "n": told["updates"]}


def cells(size: Size, only: Sequence[str] = ()) -> Iterator[Cell]:
    """Everything of one seed before the next."""
    for seed, entry in product(size.seeds, ENTRIES):
        if only and entry.name not in only:
            continue
        key, own = {"data": "mr", "entry": entry.name, "seed": seed}, (size, entry, seed)
        yield Cell({**key, "what": "clean"}, partial(clean, *own))
        yield Cell({**key, "what": "cost"}, partial(cost, *own))
        yield Cell({**key, "what": "pgd"}, partial(under_pgd, *own))
        yield Cell({**key, "what": "pwws"}, partial(under_words, *own, "pwws", size.pwws))
        yield Cell({**key, "what": "textfooler"}, partial(under_words, *own, "textfooler", size.textfooler))


def shared(size: Size, only: Sequence[str]) -> list[FairCell]:
    """The cells as two processes share them: those of one training are one process's."""
    place = Place("cost", file=size.rows_file)
    named = [(cell, f"{cell.key['entry']}, {cell.key['seed']}") for cell in cells(size, only)]
    return [FairCell(place, cell.key, cell.find, run=run) for cell, run in named]


Found = Mapping[tuple[str, str], Sequence[Row]]  # the rows of an entry and what was measured, by seed
MEASURED = ("clean", "pgd", "pwws", "textfooler")


def by_cell(rows: Sequence[Row]) -> Found:
    """Rows by entry and what was measured."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in sorted(rows, key=lambda row: row["seed"]):
        found.setdefault((row["entry"], row["what"]), []).append(row)
    return found


def same_seeds(found: Found, entry: str, what: str) -> tuple[list[Row], list[Row]]:
    """Rows of plain and of an entry, of the seeds that both have."""
    plain, own = (list(found.get((name, what), [])) for name in ("plain", entry))
    seeds = {row["seed"] for row in plain} & {row["seed"] for row in own}
    return [row for row in plain if row["seed"] in seeds], [row for row in own if row["seed"] in seeds]


def gain(found: Found, entry: str, what: str) -> float | None:
    """By how much an entry is above plain."""
    plain, own = same_seeds(found, entry, what)
    return fmean(row["value"] for row in own) - fmean(row["value"] for row in plain) if own else None


def over_plain(found: Found, entry: str) -> float | None:
    """An entry's cost as a multiple of plain's."""
    plain, own = same_seeds(found, entry, "cost")
    return fmean(row["value"] for row in own) / fmean(row["value"] for row in plain) if own else None


def shown(found: Found, entry: str, what: str) -> str:
    """The mean over seeds and, beside plain's, the paired difference with its interval, in points."""
    plain, own = same_seeds(found, entry, what)
    if not own:
        return ""
    mean = f"{100 * fmean(row['value'] for row in own):.1f}"
    if entry == "plain":
        return mean
    outcomes = [[[int(one) for one in row["held"]] for row in rows] for rows in (plain, own)]
    apart = bootstrap(*outcomes)
    return f"{mean} ({100 * apart.value:+.1f} [{100 * apart.low:+.1f}, {100 * apart.high:+.1f}])"


def cheapest(found: Found, what: str) -> str:
    """The cheapest entry with enough of the largest gain under an attack."""
    gains = {entry.name: gain(found, entry.name, what) or 0.0 for entry in ENTRIES}
    costs = {entry.name: over_plain(found, entry.name) for entry in ENTRIES}
    largest = max(gains.values())
    able = {name: own for name, own in costs.items() if own is not None and gains[name] >= ENOUGH * largest}
    if largest <= 0 or not able:
        return f"{what}: nothing gains"
    best = min(able, key=lambda name: able[name])
    share = f"{gains[best] / largest:.0%} of the largest gain ({100 * largest:.1f} points)"
    return f"{what}: {best}, {able[best]:.2f} × plain, {share}"


def table(rows: Sequence[Row]) -> str:
    """Ways of training down, what was measured across; below it the cheapest that keeps enough, by attack."""
    found = by_cell(rows)
    lines = []
    for entry in ENTRIES:
        ratio = over_plain(found, entry.name)
        cost = "" if ratio is None else f"{ratio:.2f}"
        lines.append([entry.name, *(shown(found, entry.name, what) for what in MEASURED), cost])
    head = ["", "clean", f"k-PGD, eps {EPS}", "PWWS", "TextFooler", "processor time of an update / plain's"]
    return "\n".join([markdown(head, lines), "", *(cheapest(found, what) for what in MEASURED[1:])])


if __name__ == "__main__":
    size = SMALL if "--small" in sys.argv else Size()
    only = [part for word in sys.argv if word.startswith("--entries=") for part in word[10:].split(";")]
    done = Walk()
    if "--table" not in sys.argv:
        done = walk(shared(size, only), *(float(word[8:]) for word in sys.argv if word.startswith("--until=")))
    print(f"\n{table(read(size.rows_file))}")
    sys.exit(1 if done.broken else 0)
