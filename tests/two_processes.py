"""The gradients of a run's first updates, in one process or, launched by torchrun, in two."""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from tiny import reviews, save_encoder
from unfooled.data.loader import Loader
from unfooled.methods import METHODS, Method, Task
from unfooled.models import ModelSettings, build
from unfooled.seeds import begin_pass
from unfooled.tokens import encode
from unfooled.training import Engine, Plan, Processes, Run, RunFolder, validate
from unfooled.training.loop import sweep
from unfooled.types import Progress


def prepared(method: Method, folder: Path, dropout: float = 0.0, plan: Mapping[str, Any] | None = None) -> Run:
    """A run of 13 tiny reviews in global batches of 8 and 5, ready to go."""
    processes = Processes()
    encoder = folder / "encoder"
    if processes.first:
        save_encoder(encoder, dropout)
    processes.wait()
    model = build(ModelSettings(name=str(encoder), dropout=dropout), ["negative", "positive"], seed=0)
    rows = reviews(13)
    encoded = encode(model.tokenizer, [(text,) for text, _ in rows], 32)
    labels = [int(label == "positive") for _, label in rows]
    settings = Plan.model_validate({"batch_size": 8, **(plan or {})})
    loader = Loader(encoded, labels, 8, 0, settings.accumulation, processes.rank, processes.count)
    objective = method.build(model.classifier, Task(2, torch.tensor(labels), steps=6, seed=0))
    runs = RunFolder(folder)
    runs.checkpoints.mkdir(parents=True, exist_ok=True)
    engine = Engine(objective, settings, processes)
    return Run(objective, engine, loader, runs, lambda: validate(model.classifier, encoded, labels, 2, processes))


def gradients(run: Run, updates: int) -> dict[str, torch.Tensor]:
    """The summed gradients of the first updates, all at the initial weights."""
    found = {}
    run.objective.train()
    for number, batches in enumerate(list(run.loader.updates(0))[:updates]):
        run.objective.zero_grad()
        if run.objective.sweep_due(Progress(number, updates, 0)):
            sweep(run)
            run.objective.train()
        run.engine.begin(batches)
        for batch in batches:
            begin_pass(0, "dropout", number)
            run.objective.step(run.engine, batch)
        run.engine.reduced()
        for name, parameter in run.objective.named_parameters():
            if parameter.grad is not None:
                found[f"{number}/{name}"] = parameter.grad.clone()
    return found


# Methods whose own addition would begin only later in a run of two updates.
EAGER: dict[str, dict[str, Any]] = {"carl": {"start": 0.0, "negatives": 16}}


def eager(name: str) -> Method:
    """A method of the table that acts from its first step."""
    return METHODS[name].model_validate(EAGER.get(name, {}))


def sizes(run: Run) -> str:
    """How each global batch is shared out, largest first, as "4+4 3+2"."""
    alone = Loader(run.loader.encoded, run.loader.labels, 8, 0)
    shares = []
    for (batch,) in alone.updates(0):
        shares.append(
            "+".join(str(len(batch.index[rank :: run.loader.processes])) for rank in range(run.loader.processes))
        )
    return " ".join(sorted(shares, reverse=True))


def main(out: Path) -> None:
    for name in METHODS:
        run = prepared(eager(name), out / name)
        found = gradients(run, updates=2)
        if run.engine.processes.first:
            save_file(found, out / f"{name}.safetensors")
            (out / f"{name}.sizes").write_text(sizes(run))
    Processes().close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
