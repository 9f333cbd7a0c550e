"""Five ways of training under two word attacks: ``make results-words`` (docs/results.md)."""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from grid import Cell, Entry, Grid, Setting, fill, markdown, read

import unfooled as uf

ROWS = Path("docs/results/words.jsonl")
MR = Setting(
    "mr",
    {"source": "mr", "limit": 1500, "validation_fraction": 0.1},
    {"name": "minilm", "max_length": 64},
    {"epochs": 2, "batch_size": 32, "evaluations_per_epoch": 5, "save_every": None},
    (2e-4,),
)
ENTRIES = [
    Entry("finetune", "finetune"),
    Entry("freelb", "freelb"),
    Entry("carl", "carl"),
    Entry("rar", "rar"),
    Entry("clld", "clld"),
]
ATTACKS = ("pwws", "textfooler")
SHOWN = ("clean_accuracy", "accuracy_under_attack", "attack_success", "queries", "words_changed", "similarity")


def cells() -> Iterator[Cell]:
    """Each model under each attack, on the same 200 test sentences."""
    for attack, entry in product(ATTACKS, ENTRIES):
        yield Cell({"entry": entry.name, "attack": attack}, partial(attacked, entry, attack))


def attacked(entry: Entry, attack: str) -> dict[str, Any]:
    """A model, trained if it is not there, under an attack."""
    grid, rates = Grid(Path("runs/words")), dict.fromkeys(("finetune", entry.name), MR.rates[0])
    grid.trained(MR, entry, rates, 0)
    folder = grid.folder(MR, entry.name, rates, 0)
    results = uf.attack(str(folder / "model"), "mr", attack, folder / attack, limit=200)
    return {"scores": {name: asdict(score) for name, score in results.scores.items()}}


def cell(score: dict[str, Any] | None) -> str:
    """A number with its interval."""
    return "" if score is None else f"{score['value']:.3f} [{score['low']:.3f}, {score['high']:.3f}]"


def table(attack: str) -> str:
    """One row a model."""
    rows = [row for row in read(ROWS) if row["attack"] == attack]
    lines = [[row["entry"], *(cell(row["scores"].get(name)) for name in SHOWN)] for row in rows]
    return markdown([attack, *(name.replace("_", " ") for name in SHOWN)], lines)


if __name__ == "__main__":
    if "--table" not in sys.argv:
        fill(ROWS, cells())
    for each in ATTACKS:
        print(f"\n{table(each)}")
