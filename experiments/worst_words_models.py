"""The models of ``worst_words.py``: trained, or gone on with, in one place for whoever measures them."""

import shutil
import tomllib
from pathlib import Path
from typing import Any

from grid import read
from worst_words_grounds import Entry, Ground

import unfooled as uf
from unfooled.methods import METHODS
from unfooled.scores.intervals import proportion

RUNS = Path("runs/worst_words")
PLAN = {"epochs": 3, "batch_size": 32, "average": 0.99, "choose_by": "robust", "save_every": 100}
FIRST = "fp32"  # the precision of all that was trained before rows say it


def trained(ground: Ground, entry: Entry, seed: int) -> Path:
    """The run of an entry, made or gone on with where it is not finished."""
    out = RUNS / ground.name / f"{entry.name.replace(' ', '-').replace(',', '')}-{seed}"
    if not (out / "summary.json").is_file():
        own = ground.settings if entry.method == "worst_words" else {}
        method = METHODS[entry.method].model_validate({**own, **entry.settings})
        plan = {**PLAN, "packed": not method.reads_states(), "precision": precision(ground, entry, seed), **entry.plan}
        model = {"name": entry.encoder, "max_length": ground.max_length}
        data = {"source": ground.name, "limit": ground.rows}
        uf.train(data, out, model, method, plan, seed, resume=True)
        shutil.rmtree(out / "checkpoints", ignore_errors=True)
    return out


def precision(ground: Ground, entry: Entry, seed: int) -> str:
    """What an entry was trained in when the rows it has were made, that all be of one model; else the machine's own."""
    own = [row for row in read(ground.rows_file) if (row["entry"], row["seed"]) == (entry.name, seed)]
    return str(own[0].get("precision", FIRST)) if own else "auto"


def trained_in(run: Path) -> dict[str, str]:
    """The precision of the products of a run's training, as its machine decided it."""
    return {"precision": str(tomllib.loads((run / "recipe.toml").read_text())["plan"]["precision"])}


def numbers(right: list[bool], definition: str) -> dict[str, Any]:
    """A share with its interval, and what became of each example."""
    score = proportion(sum(right), len(right), definition)
    held = "".join(str(int(one)) for one in right)
    return {"value": score.value, "low": score.low, "high": score.high, "n": score.n, "held": held}
