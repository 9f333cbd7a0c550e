"""Runs of two processes that share an encoder out; the tests hold them against the same runs in one."""

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file
from tiny import save_encoder, save_reviews
from torch import Tensor
from two_processes import VARIANTS, eager, gradients, prepared

import unfooled as uf
from unfooled.errors import Stopped
from unfooled.methods import METHODS, Finetune
from unfooled.methods.objective import Objective
from unfooled.models.encoders.pretrained import weights_hash
from unfooled.perturb import Ascent
from unfooled.training import Processes, Run, fit
from unfooled.training import loop as training_loop
from unfooled.training.run_folder import State

# Every method of classification, and the variants of them that go other ways.
NAMES = [
    name
    for name in (*METHODS, *VARIANTS)
    if "pretraining" not in METHODS[VARIANTS[name][0] if name in VARIANTS else name].tasks
]
# Twenty steps, every second batch of which is uneven; gradients are clipped, weights averaged.
TWENTY = {"epochs": 10, "log_every": 1, "average": 0.9, "clip": 0.1, "evaluations_per_epoch": 0.2, "save_every": 9}
SIX = {"epochs": 3, "log_every": 1, "evaluations_per_epoch": 0.5, "average": 0.9}
DROPPING = {**SIX, "epochs": 4, "max_steps": 6, "save_every": 3, "accumulation": 2}
FSDP = {"engine": "fsdp"}
BROKEN_OFF = 9
MOVED = ("rar", "carl, positives of the banks")  # begun in one number of processes and ended in another


def told(folder: Path) -> list[dict[str, Any]]:
    """What a run logged of each step and each look, but for the time it took."""
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [{key: value for key, value in line.items() if key != "step_seconds"} for line in lines]


def fit_until(run: Run, step: int) -> None:
    """Train until the checkpoint of a step is written, and no further."""
    save = training_loop.save

    def save_and_stop(run: Run, state: State) -> None:
        save(run, state)
        if state.step == step:
            raise Stopped("here")

    with pytest.MonkeyPatch.context() as patch, suppress(Stopped):
        patch.setattr(training_loop, "save", save_and_stop)
        fit(run)


def partly_frozen(objective: Objective) -> None:
    """An objective of which some weights are not trained, and some at rates of their own."""
    encoder, name = objective.model.network.bert, "model.network.bert.encoder.layer.1.output.dense.weight"
    encoder.embeddings.requires_grad_(False)
    encoder.encoder.layer[0].attention.requires_grad_(False)
    objective.own_rates = lambda: {name: 1e-3, "model.network.classifier.weight": 2e-3}  # type: ignore[method-assign]


def fit_with_no_number(run: Run, here: bool) -> State:
    """Train with a perturbation that is no number in the third step of this process."""
    begin, calls = Ascent.begin, list[int]()

    def third(self: Ascent, *given: Any) -> Tensor:
        calls.append(1)
        return begin(self, *given) * (torch.nan if here and len(calls) == 3 else 1.0)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ascent, "begin", third)
        return fit(run)


def resumed(name: str, out: Path) -> None:
    """Six steps, and the same in two parts, with dropout: the bits must be the same."""
    plan = {**DROPPING, **FSDP}
    whole = prepared(eager(name), out / "whole", dropout=0.2, plan=plan)
    fit(whole)
    fit_until(prepared(eager(name), out / "broken", dropout=0.2, plan=plan), 3)
    again = prepared(eager(name), out / "broken", dropout=0.2, plan=plan)
    fit(again)
    assert weights_hash(again.objective) == weights_hash(whole.objective)
    if again.engine.processes.first:
        assert told(out / "broken") == told(out / "whole")


def halves(run: Run) -> None:
    """Of an encoder's weights and of memory banks each process keeps about a half; together they keep each once."""
    for bank in run.engine.banks.values():
        assert len(bank.rows) in (len(bank.written) // 2, (len(bank.written) + 1) // 2)
    mine = sum(share.rows.numel() for share in run.engine.held.shares.values())
    every = sum(share.weight.numel() for share in run.engine.held.shares.values())
    assert 0.4 * every < mine < 0.6 * every
    assert int(run.engine.processes.add_up(torch.tensor(mine))) == every
    moments = [state["exp_avg"].numel() for state in run.engine.optimizer.state.values()]
    trained = [one for one in run.engine.held.entire.values() if one.requires_grad]
    assert sum(moments) == mine + sum(one.numel() for one in trained)


def main(names: Sequence[str], again: Sequence[str], out: Path) -> None:
    """What each of two processes does: gradients of all methods, twenty steps of some, restarts of some, the rest."""
    first = Processes().first
    for name in NAMES:
        found = gradients(prepared(eager(name), out / "once" / name, plan=FSDP), updates=2)
        if first:
            save_file(found, out / f"{name}.safetensors")
    for name in names:
        run = prepared(eager(name), out / name, plan={**TWENTY, **FSDP})
        fit(run)
        halves(run)
    for name in again:
        resumed(name, out / "resumed" / name)
    for name in MOVED:
        fit_until(prepared(eager(name), out / "to one" / name, plan={**TWENTY, **FSDP}), BROKEN_OFF)
        fit(prepared(eager(name), out / "from one" / name, plan={**TWENTY, **FSDP}))
    fit(prepared(Finetune(), out / "frozen", plan={**SIX, **FSDP}, change=partly_frozen))
    assert fit_with_no_number(prepared(eager("pgd"), out / "skipped", plan={**SIX, **FSDP}), not first).skipped == 1
    trained(out)
    Processes().close()


def trained(out: Path) -> None:
    """A model from the command that people call, on data with a test split cut off, calibrated."""
    if Processes().first:
        save_encoder(out / "encoder")
        save_reviews(out / "reviews.csv", 40)
    Processes().wait()
    plan = {"max_steps": 4, "batch_size": 8, "average": 0.9, "calibrate": True, "look_first": True, **FSDP}
    uf.train(str(out / "reviews.csv"), out / "run", str(out / "encoder"), "rar", plan)
