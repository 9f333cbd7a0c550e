"""Tables filled cell by cell, one JSON row a cell: what is in the file is not run again, so a killed run goes on.

A ``Grid`` makes the cells of methods, seeds and data. Every method has the same budget: each learning rate of the grid
once, with the first seed; the one with the better validation accuracy trains the remaining seeds. Only chosen models
are tested and put under attack.
"""

import json
import math
import shutil
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import unfooled as uf
from unfooled.files import write_whole
from unfooled.methods import METHODS

Row = dict[str, Any]
STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}  # 97.5 % quantile of Student's t, by the number of seeds


@dataclass(frozen=True)
class Cell:
    """A row to be: what names it, and what finds its numbers."""

    key: Mapping[str, Any]
    find: Callable[[], Mapping[str, Any]]


def fill(rows: Path, cells: Iterable[Cell], until: float | None = None) -> None:
    """Run the cells that are missing, in order; begin none after ``until`` seconds."""
    began = time.monotonic()
    for cell in cells:
        if any(all(row.get(name) == value for name, value in cell.key.items()) for row in read(rows)):
            continue
        start = time.monotonic()
        if until is not None and start - began > until:
            print(f"stopped before {dict(cell.key)}; the same command goes on", flush=True)
            return
        numbers = cell.find()
        took = {"date": time.strftime("%Y-%m-%d"), "seconds": round(time.monotonic() - start, 1)}
        row = {**cell.key, **took, **numbers}
        write_whole(rows, "".join(json.dumps(each) + "\n" for each in [*read(rows), row]))
        print(json.dumps(row), flush=True)


def read(rows: Path) -> list[Row]:
    """The rows there are."""
    return [json.loads(line) for line in rows.read_text().splitlines()] if rows.is_file() else []


@dataclass(frozen=True)
class Setting:
    """Data, model and plan that all methods share."""

    name: str
    data: Mapping[str, Any]
    model: Mapping[str, Any]
    plan: Mapping[str, Any]
    rates: tuple[float, ...]


@dataclass(frozen=True)
class Entry:
    """A row of the table to be: a name, a method, and its settings, given the plain model's run and the rate."""

    name: str
    method: str
    settings: Callable[[str, float], Mapping[str, Any]] = field(default=lambda plain, rate: {})


@dataclass(frozen=True)
class Grid:
    """Where the runs go, and how they are made."""

    runs: Path
    seeds: tuple[int, ...] = (0, 1, 2)
    attack: Mapping[str, Any] | None = None  # what uf.evaluate is told beside models, data and folder
    keep: tuple[str, ...] = ()  # entries whose checkpoints are kept

    def cells(self, settings: Sequence[Setting], entries: Sequence[Entry]) -> Iterator[Cell]:
        """One for each run that is measured; a setting's entries are all tuned before its first."""
        for setting in settings:
            rates: dict[str, float] = {}
            for entry in entries:
                rates[entry.name] = self.tuned(setting, entry, rates)
            for seed, entry in product(self.seeds, entries):
                key = {"setting": setting.name, "entry": entry.name, "seed": seed}
                yield Cell(key, partial(self.measured, setting, entry, rates, seed))

    def tuned(self, setting: Setting, entry: Entry, chosen: Mapping[str, float]) -> float:
        """The learning rate with the best validation accuracy of the first seed."""
        scores = {}
        for rate in setting.rates:
            summary = self.trained(setting, entry, {**chosen, entry.name: rate}, self.seeds[0])
            scores[rate] = summary["scores"]["validation accuracy"]["value"]
        return max(scores, key=lambda rate: scores[rate])

    def folder(self, setting: Setting, name: str, rates: Mapping[str, float], seed: int) -> Path:
        """Where a run is."""
        return self.runs / setting.name / f"{name}-{rates[name]:g}-{seed}"

    def trained(self, setting: Setting, entry: Entry, rates: Mapping[str, float], seed: int) -> Row:
        """The summary of a run, with its seconds; made if it is not there."""
        out, rate = self.folder(setting, entry.name, rates, seed), rates[entry.name]
        clock = out.parent / f"{out.name}.seconds"
        if not (out / "summary.json").is_file():
            out.parent.mkdir(parents=True, exist_ok=True)
            method = METHODS[entry.method].model_validate(
                entry.settings(str(self.folder(setting, "finetune", rates, seed)), rate)
            )
            began, before = time.monotonic(), float(clock.read_text()) if clock.exists() else 0.0
            plan = {**setting.plan, "learning_rate": rate}
            try:
                uf.train(dict(setting.data), out, dict(setting.model), method, plan, seed, resume=True)
            finally:
                clock.write_text(f"{before + time.monotonic() - began:.1f}")
            if entry.name not in self.keep:
                shutil.rmtree(out / "checkpoints", ignore_errors=True)
        return {**json.loads((out / "summary.json").read_text()), "seconds": float(clock.read_text())}

    def measured(self, setting: Setting, entry: Entry, rates: Mapping[str, float], seed: int) -> Row:
        """What a chosen run scores; ``seconds`` are those of its training, in all calls together."""
        summary = self.trained(setting, entry, rates, seed)
        row: Row = {"learning_rate": rates[entry.name], "seconds": summary["seconds"], "steps": summary["steps"]}
        for split in ("validation", "test"):
            score = summary["scores"][f"{split} accuracy"]
            row |= {split: score["value"], f"{split}_n": score["n"]}
        facts = ("contrasted_updates", "label_distance_updates", "label_distance", "label_names")
        row |= {name: summary[name] for name in facts if name in summary}
        if self.attack is not None:
            out = self.folder(setting, entry.name, rates, seed)
            data = {"source": setting.data["source"]}
            results = uf.evaluate(str(out / "model"), data, out / "results", **self.attack)
            row["attacks"] = [asdict(each) for each in results.rows]
        return row


def interval(values: Sequence[float]) -> str:
    """Mean and half the width of Student's 95 % interval over seeds, in points; with one value the value alone."""
    mean = 100 * statistics.fmean(values)
    if len(values) < 2:
        return f"{mean:.1f}"
    return f"{mean:.1f} ± {100 * STUDENT[len(values)] * statistics.stdev(values) / math.sqrt(len(values)):.1f}"


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table."""
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, ["---"] * len(head), *lines])
