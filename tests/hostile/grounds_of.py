"""What hostile inputs are made from: a model, data, results, an attack and a run that are as they should be."""

import json
import shutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from results_ground import save_results, save_trial, word_attack
from tiny import save_encoder, save_reviews

from unfooled.commands.train import train
from unfooled.results.folder import open_folder, write_summary

DATA = "reviews.csv"
ATTACK = "attack/model/pwws/examples.jsonl"


@cache
def whole() -> Path:
    """A folder with one of each, made once: data, an encoder, a run with its model, results, an attack."""
    root = Path(mkdtemp(prefix="hostile-"))
    save_encoder(root / "encoder")
    save_reviews(root / DATA, 24)
    data, plan = {"source": str(root / DATA)}, {"max_steps": 4, "batch_size": 4, "learning_rate": 1e-3, "log_every": 1}
    train(data, root / "run", {"name": str(root / "encoder"), "max_length": 16}, plan=plan)
    shutil.copytree(root / "run" / "model", root / "model")
    save_results(root / "results", "model", 80, {0.1: 40})
    save_trial(root / "attack", "model", "pwws", word_attack(6, 3, 1), settings={"attack": {"name": "pwws"}})
    for name in ("results", "attack"):
        write_summary(root / name, open_folder(root / name))
    return root


def copied(folder: Path, *names: str) -> Path:
    """Copies of some of them in a folder."""
    for name in names:
        source = whole() / name
        if source.is_dir():
            shutil.copytree(source, folder / name)
        else:
            shutil.copy(source, folder / name)
    return folder


def changed_json(path: Path, change: Mapping[str, Any] | Callable[[Any], Any]) -> None:
    """A file of JSON with some of its values changed."""
    values = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps({**values, **change} if isinstance(change, Mapping) else change(values)))


def changed_line(path: Path, number: int, change: Mapping[str, Any] | bytes) -> None:
    """A file of JSON lines with one of them changed, or replaced."""
    lines = path.read_bytes().split(b"\n")
    lines[number] = (
        change if isinstance(change, bytes) else json.dumps({**json.loads(lines[number]), **change}).encode()
    )
    path.write_bytes(b"\n".join(lines))


def evaluation(model: str | Path = "model", data: str | Path = DATA) -> list[str | Path]:
    """The arguments of a short evaluation."""
    return ["evaluate", model, "--data", data, "--trials", "clean", "--out", "measured"]
