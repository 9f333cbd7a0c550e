"""Encoders fine-tuned on a task, the same way for all of them; shared by the tables of CLINE and DCL."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from encoders import encoder, slug

import unfooled as uf
from unfooled.methods import METHODS

RUNS = Path("runs/finetuning")


@dataclass(frozen=True)
class Ground:
    """A task, its size and its plan, the same for every encoder and method."""

    name: str
    data: Mapping[str, Any]
    length: int = 64
    epochs: int = 2
    rate: float = 1e-4
    task: str | None = None
    plan: Mapping[str, Any] = field(default_factory=dict)


def fine_tuned(
    ground: Ground,
    name: str,
    method: str = "finetune",
    seed: int = 0,
    fraction: float = 1.0,
    settings: Mapping[str, Any] | None = None,
) -> Path:
    """The run of an encoder on a ground; made if it is not there."""
    parts = (ground.name, slug(name), method, f"{fraction:g}", f"{seed}")
    out = RUNS / "-".join(parts)
    if not (out / "summary.json").is_file():
        plan = {"epochs": ground.epochs, "batch_size": 32, "learning_rate": ground.rate, "save_every": None}
        plan["precision"] = "bf16"
        if fraction < 1:  # as many looks at few rows: more epochs, at least 60 updates
            rows = ground.data.get("limit", 5000) * fraction
            plan["epochs"] = max(ground.epochs, round(60 * 32 / rows)) if rows > 32 else 60
            plan["evaluations_per_epoch"] = min(1, 5 / plan["epochs"])  # a look costs more than an epoch of few rows
        uf.train(
            {**ground.data, **({} if fraction == 1 else {"fraction": fraction})},
            out,
            {"name": encoder(name), "max_length": ground.length},
            METHODS[method].model_validate(settings or {}),
            {**plan, **ground.plan},
            seed,
            resume=True,
            task=ground.task,
        )
        shutil.rmtree(out / "checkpoints", ignore_errors=True)
    return out


def scores(run: Path) -> dict[str, Any]:
    """What a run scored, by name: value, interval and n."""
    found = json.loads((run / "summary.json").read_text())["scores"]
    return {name: {key: score[key] for key in ("value", "low", "high", "n")} for name, score in found.items()}
