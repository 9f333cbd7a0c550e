"""Five ways of training under two word attacks: ``make results-words`` (docs/results.md)."""

import json
import sys
import time
from pathlib import Path
from typing import Any

from grid import Entry, Grid, Setting, markdown, read_rows

import unfooled as uf
from unfooled.files import write_whole

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
    Entry("carl", "carl", lambda plain, rate: {"weight": 0.05}),
    Entry("rar", "rar"),
    Entry("clld", "clld"),
]
ATTACKS = ("pwws", "textfooler")
SHOWN = ("clean_accuracy", "accuracy_under_attack", "attack_success", "queries", "words_changed", "similarity")


def fill() -> None:
    """Train what is missing, then attack each model on the same 200 test sentences."""
    grid = Grid(Path("runs/words"), ROWS, seeds=(0,))
    rates = {entry.name: MR.rates[0] for entry in ENTRIES}
    for entry in ENTRIES:
        grid.trained(MR, entry, rates, 0)
    for attack in ATTACKS:
        for entry in ENTRIES:
            rows = read_rows(ROWS)
            if any((row["entry"], row["attack"]) == (entry.name, attack) for row in rows):
                continue
            folder = grid.folder(MR, entry.name, rates, 0)
            found = uf.attack(str(folder / "model"), "mr", attack, folder / attack, limit=200)
            scores = {name: vars(score) for name, score in found.scores.items()}
            row = {"entry": entry.name, "attack": attack, "date": time.strftime("%Y-%m-%d"), "scores": scores}
            write_whole(ROWS, "".join(json.dumps(each) + "\n" for each in [*rows, row]))


def cell(score: dict[str, Any] | None) -> str:
    """A number with its interval."""
    return "" if score is None else f"{score['value']:.3f} [{score['low']:.3f}, {score['high']:.3f}]"


def table(attack: str) -> str:
    """One row a model."""
    rows = [row for row in read_rows(ROWS) if row["attack"] == attack]
    lines = [[row["entry"], *(cell(row["scores"].get(name)) for name in SHOWN)] for row in rows]
    return markdown([attack, *(name.replace("_", " ") for name in SHOWN)], lines)


if __name__ == "__main__":
    if "--table" not in sys.argv:
        fill()
    for each in ATTACKS:
        print(f"\n{table(each)}")
