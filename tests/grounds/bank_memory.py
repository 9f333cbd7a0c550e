"""How much memory full banks of CARL take, measured where nothing else gives any back."""

import gc
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from support import make_task, tiny_network

from unfooled.methods import CARL
from unfooled.models.encoders.classifier import Classifier

EXAMPLES, WIDTH = 200_000, 384


def held() -> int:
    """The bytes this process holds in memory that no file backs."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("RssAnon")]
    return int(line.split()[1]) * 1024


def growths(several: Sequence[Mapping[str, Any]]) -> list[int]:
    """By how many bytes this process grows with full banks of each of several settings."""
    model = Classifier(tiny_network("bert", layers=1, width=WIDTH))
    task, rows = make_task(labels=[number % 2 for number in range(EXAMPLES)]), torch.randn(2000, WIDTH)
    found = []
    for settings in several:
        gc.collect()
        before = held()
        objective = CARL(**settings).build(model, task)
        for bank in (objective.original, objective.adversarial):
            for first in range(0, EXAMPLES, len(rows)):
                bank.write(torch.arange(first, first + len(rows)), rows, momentum=0.0)
            assert bank.written.all()
        found.append(held() - before)
        del objective, bank
    return found
