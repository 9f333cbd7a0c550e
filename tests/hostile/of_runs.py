"""Hostile run folders: checkpoints, metrics and recipes that nobody of ours wrote."""

import os
import pickle
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hostile.grounds_of import DATA, changed_json, changed_line, copied
from hostile.hostile_input import PAYLOAD, Hostile, Make, taken
from hostile.of_models import Payload

STEERING = "\x1b]0;owned\x07\x1b[2J\u202e"
RESUME = ["train", "--out", "run", "--resume"]


def run(change: Callable[[Path], Any], command: Sequence[str] = RESUME) -> Make:
    """A run that was stopped before its end, changed, and gone on with."""

    def make(root: Path) -> Sequence[str | Path]:
        copied(root, "run", "encoder", DATA)
        recipe = root / "run" / "recipe.toml"
        recipe.write_text(recipe.read_text().replace(str(root), "."))
        shutil.rmtree(root / "run" / "model")
        (root / "run" / "summary.json").unlink()
        change(root / "run")
        return command

    return make


def file(name: str, content: str | bytes) -> Callable[[Path], Any]:
    return lambda folder: (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def state(**values: Any) -> Callable[[Path], Any]:
    return lambda folder: changed_json(folder / "checkpoints/step-4/state.json", values)


def instead(name: str, make: Callable[[Path], Any]) -> Callable[[Path], Any]:
    def change(folder: Path) -> None:
        if (folder / name).exists():
            (folder / name).unlink()
        make(folder / name)

    return change


STATE, WEIGHTS = "checkpoints/step-4/state.json", "checkpoints/step-4/objective.safetensors"
CHANGES: dict[str, Callable[[Path], Any]] = {
    "a lock that leads away": lambda folder: (folder / ".lock").symlink_to(folder.parent / PAYLOAD),
    "measurements that lead away": instead("metrics.jsonl", lambda path: path.symlink_to(path.parents[1] / PAYLOAD)),
    "a half-written summary that leads away": lambda folder: (folder / ".summary.json.writing").symlink_to(
        folder.parent / PAYLOAD
    ),
    "a checkpoint called evil": lambda folder: (folder / "checkpoints/step-evil").mkdir(),
    "a checkpoint of minus one": lambda folder: (folder / "checkpoints/step--1").mkdir(),
    "a checkpoint of all numbers": lambda folder: (folder / f"checkpoints/step-{'9' * 200}").mkdir(),
    "a checkpoint of other digits": lambda folder: (folder / "checkpoints/step-٣").mkdir(),
    "an empty checkpoint": lambda folder: (folder / "checkpoints/step-9").mkdir(),
    "a checkpoint that is a file": file("checkpoints/step-9", "x"),
    "state that is deep": file(STATE, "[" * 5000),
    "state that is a list": file(STATE, "[1]"),
    "state that is no JSON": file(STATE, "{"),
    "state with other keys": state(evil=1),
    "state with a step that is a text": state(step="evil"),
    "state with a step of nothing": state(step=-5),
    "state with NaN": file(STATE, '{"schema": 1, "step": 4, "best_score": NaN}'),
    "state of another schema": state(schema=99),
    "state that is a pipe": instead(STATE, os.mkfifo),
    "state without end": instead(STATE, lambda path: (path.touch(), os.truncate(path, 1 << 40))),
    "weights that are a pickle": file(WEIGHTS, pickle.dumps(Payload())),
    "weights that are cut": lambda folder: os.truncate(folder / WEIGHTS, 100),
    "weights that are nothing": file(WEIGHTS, b""),
    "weights that are a device": instead(WEIGHTS, lambda path: path.symlink_to("/dev/zero")),
    "an optimizer that is a pickle": file("checkpoints/step-4/optimizer.safetensors", pickle.dumps(Payload())),
    "no optimizer": lambda folder: (folder / "checkpoints/step-4/optimizer.safetensors").unlink(),
    "metrics of others": file("metrics.jsonl", '{"loss": 1}\n'),
    "metrics that are lists": file("metrics.jsonl", "[1]\n"),
    "metrics that are deep": file("metrics.jsonl", "[" * 5000 + "\n"),
    "metrics whose step is a text": lambda folder: changed_line(folder / "metrics.jsonl", 0, {"step": "evil"}),
    "metrics that are no text": file("metrics.jsonl", b"\xff\xfe\n"),
    "metrics that are a pipe": instead("metrics.jsonl", os.mkfifo),
    "metrics without end": instead("metrics.jsonl", lambda path: (path.touch(), os.truncate(path, 1 << 40))),
    "what it began with is deep": file("begun_with.json", "[" * 5000),
    "what it began with is a list": file("begun_with.json", "[1]"),
    "what it began with steers": lambda folder: changed_json(folder / "begun_with.json", {"data_hash": STEERING}),
    "another recipe": lambda folder: (folder / "recipe.toml").write_text(
        (folder / "recipe.toml").read_text().replace("seed = 0", "seed = 7")
    ),
}
RECIPES: dict[str, str | bytes] = {
    "deep": "a = " + "[" * 5000,
    "no text": b"\xff\xfe",
    "nothing": "",
    "of the hub": '[data]\nsource = "owner/data"\n[model]\nname = "owner/model"\n',
    "that steers": f'[data]\nsource = "{"x" * 10}"\n[method]\nname = "\\u001b[2J"\n',
}


def inputs() -> list[Hostile]:
    found = [taken(f"run: {name}", run(change), heavy=True) for name, change in CHANGES.items()]
    found += [Hostile(f"run, recipe {name}", run(file("recipe.toml", content))) for name, content in RECIPES.items()]
    found += [
        Hostile(
            "run: a folder of others",
            lambda root: [*RESUME[:2], copied(root, DATA, "encoder"), "--data", DATA, "--model", "encoder"],
            heavy=True,
        ),
        Hostile(
            "run: a file",
            lambda root: [*RESUME[:2], copied(root, DATA, "encoder") / DATA, "--data", DATA, "--model", "encoder"],
            heavy=True,
        ),
        Hostile(
            "run: evaluated unfinished", run(lambda folder: None, ["evaluate", "run", "--data", DATA, "--out", "m"])
        ),
        Hostile(
            "run: made into adversaries",
            run(lambda folder: None, ["generate", "--from-rar", "run", "--data", DATA, "--out", "a.jsonl"]),
            heavy=True,
        ),
        Hostile(
            "run: a device as the folder",
            lambda root: [
                "train",
                "--out",
                "/dev/zero",
                "--data",
                copied(root, DATA, "encoder") / DATA,
                "--model",
                "encoder",
            ],
            heavy=True,
        ),
    ]
    return found
