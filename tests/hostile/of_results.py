"""Hostile results and attacks: logs that claim what cannot be, and names in them that steer, climb or fetch."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hostile.grounds_of import ATTACK, changed_json, changed_line, copied
from hostile.hostile_input import PAYLOAD, Hostile, Make, taken

CLEAN, PGD = "results/model/clean/examples.jsonl", "results/model/pgd/examples.jsonl"
STEERING = "\x1b]0;owned\x07\x1b[2J\u202e\nok     everything holds"
GATE = ["gate", "results", "--require", "accuracy.clean >= 0.1"]
REPORT = ["report", "results", "--out", "page.html"]
VERIFY = ["verify", "attack"]
BOARD = ["report", "board.jsonl", "--out", "page.html"]


def log(path: str, number: int, change: Any, command: Sequence[str]) -> Make:
    """Results of which one line of one log is changed."""

    def make(root: Path) -> Sequence[str | Path]:
        changed_line(copied(root, "results", "attack", "model") / path, number, change)
        return command

    return make


def put(path: str, make_file: Callable[[Path], Any], command: Sequence[str]) -> Make:
    def make(root: Path) -> Sequence[str | Path]:
        copied(root, "results", "attack", "model")
        place = root / path
        if place.is_file() or place.is_symlink():
            place.unlink()
        place.parent.mkdir(parents=True, exist_ok=True)
        make_file(place)
        return command

    return make


def leading_away(path: Path) -> None:
    """A link to where a payload would be seen."""
    path.symlink_to(PAYLOAD)


def text(content: str | bytes) -> Callable[[Path], Any]:
    return lambda path: path.write_bytes(content.encode() if isinstance(content, str) else content)


LINES: dict[str, Any] = {
    "deep": b'{"index": 0, "a": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    "rather deep": b'{"index": 0, "a": ' + b"[" * 500 + b"]" * 500 + b"}",
    "no JSON": b"{",
    "no text": b"\xff\xfe",
    "a list": b"[1]",
    "a number of 5,000 digits": b'{"index": ' + b"9" * 5000 + b"}",
    "twenty megabytes": b'{"index": 0, "a": "' + b"x" * (20 * 2**20) + b'"}',
    "an index that is a text": {"index": "0"},
    "an index twice": {"index": 5},
    "an index out of range": {"index": 10**9},
    "an index below zero": {"index": -1},
    "a label that is a text": {"label": "evil"},
}
OF_CLEAN: dict[str, Any] = {
    "a label out of range": {"label": 99},
    "a label below zero": {"label": -7},
    "an answer out of range": {"prediction": 10**6},
    "NaN": b'{"index": 0, "label": 0, "prediction": 0, "confidence": NaN, "loss": NaN}',
    "numbers without end": {"loss": 1e308, "confidence": -1e308},
}
OF_ATTACK: dict[str, Any] = {
    "a change out of range": {
        "outcome": "fooled",
        "changes": [{"place": 10**6, "old": "a", "new": "b"}],
        "adversary": ["b"],
        "fooled_into": 0,
        "after": [0.9, 0.1],
    },
    "a change below zero": {
        "outcome": "fooled",
        "changes": [{"place": -9, "old": "a", "new": "b"}],
        "adversary": ["b"],
        "fooled_into": 0,
        "after": [0.9, 0.1],
    },
    "fooled into no class": {"outcome": "fooled", "adversary": ["b"], "fooled_into": 99, "after": [0.9, 0.1]},
    "fooled into less than none": {"outcome": "fooled", "adversary": ["b"], "fooled_into": -99, "after": [0.9, 0.1]},
    "fooled by nothing": {"outcome": "fooled", "adversary": None, "fooled_into": None, "after": []},
    "more texts than there were": {
        "outcome": "fooled",
        "adversary": ["a", "b", "c"],
        "fooled_into": 0,
        "after": [1, 0],
    },
    "no texts": {"texts": []},
    "a label out of range": {"label": 99},
    "an answer out of range": {"prediction": 99},
    "an outcome of its own": {"outcome": "evil"},
    "probabilities without end": {"before": [1e308, -1e308]},
    "more probabilities than classes": {"before": [0.1] * 1000},
    "counts below zero": {"asked": -5, "from_cache": 10**12, "words": -1},
    "an error that steers": {"outcome": "error", "error": STEERING},
    "a note that steers": {"note": STEERING},
    "texts that steer": {"texts": [STEERING * 100]},
}
HEADERS: dict[str, Any] = {
    "deep settings": b'{"a":' * 5000,
    "another kind": {"kind": "evil"},
    "another schema": {"schema": 10**9},
    "no trial": {"trial": "evil"},
    "a trial that climbs": {"trial": "../../../etc/passwd"},
    "a trial by its place": {"trial": "os:system"},
    "labels that are a text": {"labels": "evil"},
    "labels without end": {"labels": [f"l{n}" for n in range(10**5)]},
    "no labels": {"labels": []},
    "a model that is a number": {"model": 7},
    "examples below zero": {"examples": -1},
    "examples without end": {"examples": 10**18},
    "examples that are a text": {"examples": "many"},
    "a seed that is a list": {"seed": [1]},
    "a task of its own": {"task": "evil"},
    "settings that are a list": {"settings": [1]},
    "a temperature of nothing": {"temperature": 0.0},
    "versions that are a list": {"versions": [1]},
}
MODELS: dict[str, str] = {
    "a model of the hub": "owner/model",
    "a model of one name": "bert-base-uncased",
    "a model by address": "http://127.0.0.1:9/model",
    "an ONNX file by address": "http://127.0.0.1:9/model.onnx",
    "a skops file by address": "https://127.0.0.1:9/model.skops",
    "a model that climbs": "../../../../etc",
    "a model that is a device": "/dev/zero",
    "a model without end": "x" * 50_000,
    "a model that steers": STEERING,
    "a model with NUL": "a\0b",
}
SUMMARIES = {
    "deep": "[" * 5000,
    "a list": "[1]",
    "no JSON": "{",
    "models that are a list": '{"kind": "unfooled evaluation", "schema": 2, "models": [1]}',
}


def of_logs() -> list[Hostile]:
    found = []
    for name, change in LINES.items():
        found += [Hostile(f"results, record, {name}: gate", log(CLEAN, 1, change, GATE))]
        found += [Hostile(f"attack, record, {name}: verify", log(ATTACK, 1, change, VERIFY))]
    found += [
        taken(f"results, record, {name}: report", log(CLEAN, 1, change, REPORT)) for name, change in OF_CLEAN.items()
    ]
    found += [taken(f"results, record, {name}: gate", log(CLEAN, 1, change, GATE)) for name, change in OF_CLEAN.items()]
    attacked = ["report", "attack", "--out", "page.html"]
    for name, change in OF_ATTACK.items():
        found += [taken(f"attack, record, {name}: report", log(ATTACK, 7, change, attacked))]
        found += [taken(f"attack, record, {name}: verify", log(ATTACK, 7, change, VERIFY), heavy=True)]
    found += [taken(f"results, header, {name}: gate", log(CLEAN, 0, change, GATE)) for name, change in HEADERS.items()]
    found += [
        taken(f"attack, header, {name}: verify", log(ATTACK, 0, change, VERIFY), heavy=True)
        for name, change in HEADERS.items()
    ]
    for name, model in MODELS.items():
        found += [Hostile(f"attack, {name}: verify", log(ATTACK, 0, {"model": model}, VERIFY))]
        found += [taken(f"attack, {name}: report", log(ATTACK, 0, {"model": model}, attacked))]
    return [*found, *of_folders()]


def of_folders() -> list[Hostile]:
    found = [
        taken(f"results, summary, {name}: report", put("results/summary.json", text(content), REPORT))
        for name, content in SUMMARIES.items()
    ]
    return found


def of_ticks_and_boards() -> list[Hostile]:
    return [
        taken("results, ticks that are a pipe: gate", put("results/ticks.json", os.mkfifo, GATE)),
        Hostile(
            "results, ticks without end: gate",
            put("results/ticks.json", lambda path: (path.touch(), os.truncate(path, 1 << 40)), GATE),
        ),
        Hostile("results, deep ticks: gate", put("results/ticks.json", text("[" * 5000), GATE)),
        Hostile("leaderboard, a pipe: report", put("board.jsonl", os.mkfifo, BOARD)),
        Hostile("leaderboard, a device: report", put("board.jsonl", lambda path: path.symlink_to("/dev/zero"), BOARD)),
        Hostile("leaderboard, deep: report", put("board.jsonl", text("[" * 5000), BOARD)),
        Hostile("results, a lock that leads away: report", put(".page.html.lock", leading_away, REPORT)),
        taken("results, a half page that leads away: report", put(".page.html.writing", leading_away, REPORT)),
    ]


def inputs() -> list[Hostile]:
    return [
        *of_logs(),
        taken(
            "results, a model that steers: gate", log(CLEAN, 0, {"model": STEERING, "labels": [STEERING, "b"]}, GATE)
        ),
        *of_ticks_and_boards(),
        Hostile("results, a log that is a pipe: gate", put(CLEAN, os.mkfifo, GATE)),
        Hostile("results, a log that is a device: gate", put(CLEAN, lambda path: path.symlink_to("/dev/zero"), GATE)),
        Hostile(
            "results, a log without end: gate",
            put(CLEAN, lambda path: (path.touch(), os.truncate(path, 1 << 40)), GATE),
        ),
        Hostile("results, a log that is a folder: gate", put("results/model/words/examples.jsonl", Path.mkdir, GATE)),
        taken("results, a summary that is a pipe: report", put("results/summary.json", os.mkfifo, REPORT)),
        taken(
            "results, a summary without end: report",
            put("results/summary.json", lambda path: (path.touch(), os.truncate(path, 1 << 40)), REPORT),
        ),
        taken("results, a comparison that is deep: report", put("results/comparison.json", text("[" * 5000), REPORT)),
        Hostile(
            "results, a requirement without end: gate", put("results/a", text("a"), [*GATE, "--require", "a" * 50_000])
        ),
        Hostile(
            "results, a requirement that steers: gate", put("results/a", text("a"), [*GATE, "--require", STEERING])
        ),
        Hostile("results, none: gate", lambda root: ["gate", "nowhere", "--require", "accuracy >= 0"]),
        taken(
            "attack, a summary changed: verify",
            put(
                "attack/summary.json", lambda path: changed_json(path, {"models": {STEERING: {"trials": [1]}}}), VERIFY
            ),
            heavy=True,
        ),
    ]
