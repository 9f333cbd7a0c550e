"""Tiny data for each task that the tiny encoder can learn, written here."""

import json
from pathlib import Path
from random import Random
from typing import Any

from tiny import BAD, GOOD, OTHER

PLAN: dict[str, Any] = {"epochs": 8, "batch_size": 8, "learning_rate": 1e-2}


def written(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def words(random: Random, good: int, bad: int) -> list[str]:
    """So many good and bad words among two others."""
    found = [random.choice(GOOD) for _ in range(good)] + [random.choice(BAD) for _ in range(bad)]
    found += [random.choice(OTHER) for _ in range(2)]
    random.shuffle(found)
    return found


def numbers(path: Path, count: int = 120, seed: int = 0) -> str:
    """How many of three words are good ones, and a little noise."""
    random = Random(seed)
    rows = []
    for _ in range(count):
        good = random.randint(0, 3)
        label = round(good + 0.1 * random.random(), 3)
        rows.append({"text": " ".join(words(random, good, 3 - good)), "label": label})
    return written(path, rows)


def sets(path: Path, count: int = 120, seed: int = 0) -> str:
    """Whether good words occur, and whether bad ones do."""
    random = Random(seed)
    rows = []
    for _ in range(count):
        good, bad = random.randint(0, 1), random.randint(0, 1)
        label = ["good"] * good + ["bad"] * bad
        rows.append({"text": " ".join(words(random, 3 * good, 3 * bad)), "label": label})
    return written(path, rows)


def questions(path: Path, count: int = 120, seed: int = 0, longest: int = 40) -> str:
    """The one good word of a context, which may be longer than what the encoder takes."""
    random = Random(seed)
    rows = []
    for _ in range(count):
        some = [random.choice(OTHER) for _ in range(random.randint(5, longest))]
        place, answer = random.randrange(len(some)), random.choice(GOOD)
        start = len(" ".join([*some[:place], ""]))
        some.insert(place, answer)
        context = " ".join(some)
        assert context.startswith(answer, start)
        given = {"text": [answer], "answer_start": [start]}
        rows.append({"question": "it was a ?", "context": context, "answers": given})
    return written(path, rows)
