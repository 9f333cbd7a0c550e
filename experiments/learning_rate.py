"""The learning rate of the rule beside a third and three times it: ``make results-rate`` (docs/learning_rate.md)."""

import os
import shutil
import statistics
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from grid import Cell, fill, interval, markdown, read

import unfooled as uf
from unfooled.training.rate import suited_rate

ROWS = Path("docs/results/learning_rate.jsonl")
RUNS = Path("runs/learning_rate")
FACTORS = (1 / 3, 1.0, 3.0)
EPOCHS, BATCH = 3, 32
MODELS: dict[str, tuple[int, bool]] = {"minilm": (384, False), "textcnn": (300, True)}  # width, made from nothing


@dataclass(frozen=True)
class Rows:
    """So many training rows of a data set, as a model is trained on them; small ones by several seeds."""

    data: str
    count: int
    model: str = "minilm"
    seeds: tuple[int, ...] = (0,)

    @property
    def updates(self) -> int:
        """As the default plan makes them; a small last batch joins the one before."""
        whole, left = divmod(self.count, BATCH)
        return EPOCHS * (whole + (left >= BATCH // 4))


GROUNDS = (
    Rows("sst2", 300, seeds=(0, 1, 2)),
    Rows("sst2", 600, seeds=(0, 1, 2)),
    Rows("trec6", 1500),
    Rows("imdb", 2000),
    Rows("mr", 4000),
    Rows("agnews", 4000),
    Rows("sst2", 10_000),
    Rows("sst2", 600, "textcnn", seeds=(0, 1, 2)),
    Rows("mr", 4000, "textcnn"),
)


def rate_of(rows: Rows) -> float:
    """What the rule says."""
    width, from_nothing = MODELS[rows.model]
    return suited_rate(width, rows.updates, from_nothing)


def cells() -> Iterator[Cell]:
    """Each ground at each rate, small grounds first."""
    for rows in GROUNDS:
        for seed, factor in product(rows.seeds, FACTORS):
            rate = float(f"{rate_of(rows) * factor:.2g}")
            key = {"data": rows.data, "rows": rows.count, "model": rows.model, "seed": seed, "learning_rate": rate}
            yield Cell(key, partial(trained, rows, seed, rate))


def trained(rows: Rows, seed: int, rate: float) -> dict[str, Any]:
    """Validation accuracy of the weights chosen; nothing is tested."""
    folder = Path(os.environ["UNFOOLED_DATA"]) / rows.data
    files = {"source": str(folder / "train.jsonl.gz")}
    if (folder / "validation.jsonl.gz").is_file():
        files["validation"] = str(folder / "validation.jsonl.gz")
    out = RUNS / f"{rows.data}-{rows.count}-{rows.model}-{rate:g}-{seed}"
    plan: dict[str, Any] = {"epochs": EPOCHS, "batch_size": BATCH, "learning_rate": rate, "save_every": None}
    if rows.count > 1000 and not MODELS[rows.model][1]:  # sooner; other masks of dropout than padded
        plan |= {"packed": True, "precision": "auto"}
    model = {"name": rows.model, "max_length": 64}
    run = uf.train({**files, "limit": rows.count}, out, model, plan=plan, seed=seed, resume=True)
    precision = tomllib.loads((out / "recipe.toml").read_text())["plan"]["precision"]
    shutil.rmtree(out)
    score = run.scores["validation accuracy"]
    own = {"validation": score.value, "low": score.low, "high": score.high, "n": score.n}
    return {**own, "updates": rows.updates, "precision": precision}


def table() -> str:
    """One line a ground: the mean accuracy over seeds at each rate, and how far the rule's is behind the best."""
    lines = []
    for rows in GROUNDS:
        ground = {"data": rows.data, "rows": rows.count, "model": rows.model}
        own = [row for row in read(ROWS) if ground.items() <= row.items()]
        found = [[row["validation"] for row in own if row["learning_rate"] == rate] for rate in rates(rows)]
        means = [statistics.fmean(values) if values else None for values in found]
        whole = all(len(values) == len(rows.seeds) for values in found)
        behind = f"{100 * (max(mean or 0 for mean in means) - (means[1] or 0)):.1f}" if whole else ""
        shown = [interval(values) if values else "" for values in found]
        name = f"{rows.data}, {rows.count:,} rows"
        lines.append([name, rows.model, str(rows.updates), f"{rate_of(rows):g}", *shown, str(len(rows.seeds)), behind])
    head = ["data", "model", "updates", "rate of the rule", "a third of it", "the rule's", "three times", "seeds"]
    return markdown([*head, "behind the best, points"], lines)


def rates(rows: Rows) -> list[float]:
    """A third of the rule's rate, the rate, three times it."""
    return [float(f"{rate_of(rows) * factor:.2g}") for factor in FACTORS]


if __name__ == "__main__":
    if "--table" not in sys.argv:
        minutes = float(sys.argv[1]) if len(sys.argv) > 1 else None
        fill(ROWS, cells(), until=None if minutes is None else 60 * minutes)
    print(f"\n{table()}")
