"""Hostile recipes, bounds and options: what is read as settings, never run, never fetched."""

import os
from collections.abc import Sequence
from pathlib import Path

from hostile.grounds_of import DATA, copied
from hostile.hostile_input import Hostile, Make

HEAD = '[data]\nsource = "reviews.csv"\n[model]\nname = "encoder"\n'
EVIL = "__import__('os').system('touch payload-ran')"


def recipe(text: str | bytes) -> Make:
    """A recipe that somebody trains by."""

    def make(root: Path) -> Sequence[str | Path]:
        raw = text.encode() if isinstance(text, str) else text
        (copied(root, DATA, "encoder") / "recipe.toml").write_bytes(raw)
        return ["train", "--recipe", "recipe.toml", "--out", "made"]

    return make


def options(*given: str) -> Make:
    def make(root: Path) -> Sequence[str | Path]:
        copied(root, DATA, "encoder")
        return ["train", "--data", DATA, "--model", "encoder", "--out", "made", *given]

    return make


def piped(root: Path) -> Sequence[str | Path]:
    os.mkfifo(root / "recipe.toml")
    return ["train", "--recipe", "recipe.toml", "--out", "made"]


def bounds(text: str) -> Make:
    """Bounds that somebody searches within."""

    def make(root: Path) -> Sequence[str | Path]:
        (copied(root, DATA, "encoder") / "bounds.toml").write_text(text)
        words = ["tune", "--data", DATA, "--model", "encoder", "--methods", "finetune", "--bounds", "bounds.toml"]
        return [*words, "--trials", "1", "--out", "made"]

    return make


LIGHT = {
    "deep arrays": recipe("a = " + "[" * 5000 + "]" * 5000),
    "deep arrays on lines": recipe("a = " + "[\n" * 5000 + "]\n" * 5000),
    "deep tables": recipe("a = " + "{b = " * 5000 + "1" + "}" * 5000),
    "dots without end": recipe(".".join("a" * 100_000) + " = 1"),
    "a header of dots": recipe("[" + ".".join("a" * 100_000) + "]\nb = 1"),
    "100,000 keys": recipe("".join(f"k{n} = 1\n" for n in range(100_000))),
    "a number of a million digits": recipe("seed = " + "9" * 10**6),
    "a number of 5,000 digits": recipe(HEAD.replace("[data]", "seed = " + "9" * 5000 + "\n[data]")),
    "no text": recipe(b"\xff\xfe\x00\x01"),
    "no TOML": recipe("this is no recipe"),
    "a million quotation marks": recipe('a = "' + '\\"' * 10**6),
    "nothing": recipe(""),
    "data that is a number": recipe("data = 7"),
    "data that is a list": recipe('data = ["a"]'),
    "a source that is a number": recipe("[data]\nsource = 7"),
    "a source that is a table": recipe("[data.source]\na = 1"),
    "a method that is a number": recipe(HEAD + "[method]\nname = 7"),
    "a method that is a list": recipe(HEAD + '[method]\nname = ["finetune"]'),
    "a method that is code": recipe(HEAD + f'[method]\nname = "{EVIL}"'),
    "a method by its place": recipe(HEAD + '[method]\nname = "os:system"'),
    "a method that steers": recipe(HEAD + '[method]\nname = "\\u001b[2J\\u202e"'),
    "a task that is a number": recipe("task = 7\n" + HEAD),
    "a task that is no task": recipe('task = "evil"\n' + HEAD),
    "a seed that is a text": recipe('seed = "evil"\n' + HEAD),
    "an unknown setting of data": recipe(HEAD.replace("[model]", "evil = 1\n[model]")),
    "a limit of minus one": recipe(HEAD.replace("[model]", "limit = -1\n[model]")),
    "a fraction that is NaN": recipe(HEAD.replace("[model]", "fraction = nan\n[model]")),
    "data of the hub": recipe(HEAD.replace("reviews.csv", "owner/data")),
    "data of the hub by prefix": recipe(HEAD.replace("reviews.csv", "hub:data")),
    "data by address": recipe(HEAD.replace("reviews.csv", "http://127.0.0.1:9/a.csv")),
    "data that steers": recipe(HEAD.replace("reviews.csv", "\\u001b[2J\\u202e.csv")),
    "data that is a device": recipe(HEAD.replace("reviews.csv", "/dev/zero")),
    "a name without end": recipe(HEAD.replace("reviews.csv", "x" * 100_000)),
    "a pipe": piped,
    "a folder": lambda root: ["train", "--recipe", copied(root, "encoder") / "encoder", "--out", "made"],
    "a name that climbs": lambda root: ["train", "--recipe", "../../../../etc/passwd", "--out", "made"],
    "/etc/passwd": lambda root: ["train", "--recipe", "/etc/passwd", "--out", "made"],
    "a device, as option": lambda root: ["train", "--recipe", "/dev/zero", "--out", "made"],
    "dots, as option": options("--set", ".".join("a" * 50_000) + "=1"),
    "a value below a value": options("--set", "plan.epochs=1", "--set", "plan.epochs.a=1"),
    "no value": options("--set", "plan"),
}
HEAVY = {
    "deep, as option": options("--set", "plan.epochs=" + "[" * 5000),
    "20,000 keys": recipe(HEAD + "".join(f"k{n} = 1\n" for n in range(20_000))),
    "a model of the hub": recipe(HEAD.replace("encoder", "owner/model")),
    "a model that is a number": recipe(HEAD.replace('"encoder"', "7")),
    "a model that is a device": recipe(HEAD.replace("encoder", "/dev/zero")),
    "a model without end": recipe(HEAD.replace("encoder", "x" * 50_000)),
    "a length that is a text": recipe(HEAD + 'max_length = "evil"'),
    "a length beyond all": recipe(HEAD + "max_length = -5"),
    "epochs that are NaN": recipe(HEAD + "[plan]\nepochs = nan"),
    "epochs without end": recipe(HEAD + "[plan]\nepochs = inf"),
    "a rate that is a text": recipe(HEAD + f'[plan]\nlearning_rate = "{EVIL}"'),
    "a rate that is NaN": recipe(HEAD + "[plan]\nlearning_rate = nan"),
    "a batch of nothing": recipe(HEAD + "[plan]\nbatch_size = 0"),
    "a plan that is a list": recipe(HEAD + "[[plan]]\nepochs = 1"),
    "an unknown setting": recipe(HEAD + "[plan]\nevil = 1"),
    "an unknown setting of the method": recipe(HEAD + '[method]\nname = "freelb"\nevil = 1'),
    "passes that are code": recipe(HEAD + f'[method]\nname = "freelb"\npasses = "{EVIL}"'),
    "a seed beyond all numbers": recipe("seed = 99999999999999999999999999\n" + HEAD.replace("encoder", "/nowhere/x")),
}


BOUNDS = {
    "a model of the hub": bounds('[model.name]\nchoices = ["owner/evil"]\n'),
    "a tokenizer of the hub": bounds('[model.tokenizer]\nchoices = ["owner/evil"]\n'),
    "data by address": bounds('[data.source]\nchoices = ["http://127.0.0.1:9/a.csv"]\n'),
    "a setting that there is not": bounds("[plan.evil]\nlow = 1\nhigh = 2\n"),
    "no numbers": bounds('[plan.learning_rate]\nlow = "a"\nhigh = nan\n'),
    "turned round": bounds("[plan.learning_rate]\nlow = 1.0\nhigh = 0.1\n"),
    "deep": bounds("a = " + "[" * 5000),
}


def inputs() -> list[Hostile]:
    found = [Hostile(f"recipe: {name}", make) for name, make in LIGHT.items()]
    found += [Hostile(f"bounds: {name}", make, heavy=True) for name, make in BOUNDS.items()]
    return [*found, *(Hostile(f"recipe: {name}", make, heavy=True) for name, make in HEAVY.items())]
