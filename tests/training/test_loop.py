import json
import os
import signal
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from two_processes import prepared

from unfooled.errors import BadInput, Stopped
from unfooled.methods import Finetune
from unfooled.methods.objective import Backward, Objective
from unfooled.training import fit
from unfooled.training.loop import Run, look_due
from unfooled.types import Batch, Evaluation, Loss


def lines(folder: Path, kind: str) -> list[dict[str, float]]:
    found = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return [line for line in found if line["kind"] == kind]


def test_the_loss_falls_and_everything_is_logged(tmp_path: Path) -> None:
    run = prepared(Finetune(), tmp_path, plan={"epochs": 20, "learning_rate": 5e-3, "log_every": 4})
    state = fit(run)
    losses = [line["task"] for line in lines(tmp_path, "train")]
    assert state.step == 40 and state.finished
    assert len(losses) == 10 and losses[-1] < 0.5 * losses[0]
    assert len(lines(tmp_path, "validation")) == 20


def scripted(run: Run, scores: list[float]) -> Run:
    """The run with a validation split that says what the script says."""
    left = iter(scores)
    return Run(run.objective, run.engine, run.loader, run.folder, lambda: Evaluation({"accuracy": next(left)}))


def test_patience_ends_the_run_and_the_best_weights_are_left(tmp_path: Path) -> None:
    plan = {"epochs": 10, "patience": 2, "learning_rate": 1e-2}
    run = scripted(prepared(Finetune(), tmp_path, plan=plan), [0.2, 0.8, 0.7, 0.8, 0.9])
    state = fit(run)
    assert (state.best_score, state.best_step, state.step) == (0.8, 4, 8)
    best = run.folder.load(4).objective
    assert all(torch.equal(tensor, best[name].read()) for name, tensor in run.objective.state_dict().items())
    last = run.folder.load(8).objective
    assert any(not torch.equal(tensor, last[name].read()) for name, tensor in run.objective.state_dict().items())


def test_a_look_before_the_first_step_is_logged_and_neither_chosen_nor_counted(tmp_path: Path) -> None:
    plan = {"epochs": 10, "patience": 2, "learning_rate": 1e-2, "look_first": True}
    state = fit(scripted(prepared(Finetune(), tmp_path, plan=plan), [0.9, 0.2, 0.8, 0.7, 0.7]))
    assert (state.best_score, state.best_step, state.step) == (0.8, 4, 8)
    logged = [(line["step"], line["accuracy"]) for line in lines(tmp_path, "validation")]
    assert logged == [(0, 0.9), (2, 0.2), (4, 0.8), (6, 0.7), (8, 0.7)]


def test_a_run_killed_before_its_first_checkpoint_logs_that_look_once(tmp_path: Path) -> None:
    plan = {"epochs": 1, "look_first": True}
    run = prepared(Finetune(), tmp_path, plan=plan)
    run.folder.log(step=0, kind="validation", accuracy=0.1)
    fit(run)
    assert [line["step"] for line in lines(tmp_path, "validation")] == [0, 2]
    fit(prepared(Finetune(), tmp_path, plan=plan))
    assert [line["step"] for line in lines(tmp_path, "validation")] == [0, 2]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [(0.2, {13}), (0.5, {10, 13}), (1, {5, 10, 13}), (2, {3, 5, 8, 10, 13}), (9, set(range(1, 14)))],
)
def test_looks_are_spread_over_the_epochs_and_the_last_step(tmp_path: Path, wanted: float, expected: set[int]) -> None:
    plan = {"epochs": 10, "max_steps": 13, "evaluations_per_epoch": wanted}
    run = prepared(Finetune(), tmp_path, plan=plan)
    loader = type("Five", (), {"updates_per_epoch": 5})()
    shaped = Run(run.objective, run.engine, loader, run.folder, run.look)
    assert {step for step in range(1, 14) if look_due(shaped, step)} == expected


def test_every_pass_has_dropout_of_its_own_and_every_run_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn(folder: Path) -> list[tuple[float, ...]]:
        run = prepared(Finetune(), folder, plan={"epochs": 3, "accumulation": 2})
        real, found = run.objective.step, []

        def step(engine: Backward, batch: Batch) -> Loss:
            found.append(tuple(torch.rand(4).tolist()))
            return real(engine, batch)

        monkeypatch.setattr(run.objective, "step", step)
        fit(run)
        return found

    first = drawn(tmp_path / "one")
    assert len(set(first)) == len(first) == 6 and drawn(tmp_path / "two") == first


def test_ctrl_c_saves_in_the_midst_of_a_look_and_says_how_to_go_on(tmp_path: Path) -> None:
    plan = {"epochs": 3, "evaluations_per_epoch": 2}
    run = prepared(Finetune(), tmp_path, plan=plan)
    looks = []

    def interrupt() -> Evaluation:
        looks.append(1)
        if len(looks) == 3:
            os.kill(os.getpid(), signal.SIGINT)
        return Evaluation({"accuracy": 0.5})

    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(Stopped, match=r"stopped at step 3 of 6.*resume=True"):
        fit(Run(run.objective, run.engine, run.loader, run.folder, interrupt))
    assert run.folder.steps()[0] == 3 and run.folder.load(3).state.look_due
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("place", ["step", "look", "last look"])
def test_a_run_that_was_stopped_anywhere_ends_as_one_that_was_not(place: str, number: int, tmp_path: Path) -> None:
    plan = {"epochs": 2, "evaluations_per_epoch": 2, "log_every": 1, "average": 0.9}
    whole = fit(prepared(Finetune(), tmp_path / "whole", plan=plan))
    run = prepared(Finetune(), tmp_path / "broken", plan=plan)
    calls, when = [0], {"step": 3, "look": 3, "last look": 4}[place]

    def then_stop(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any) -> Any:
            calls[0] += 1
            if calls[0] == when:
                os.kill(os.getpid(), number)
            return real(*given)

        return call

    if place == "step":
        run.objective.step = then_stop(run.objective.step)  # type: ignore[method-assign]
    look = run.look if place == "step" else then_stop(run.look)
    with pytest.raises(Stopped, match="stopped at step [34] of 4") as stopped:
        fit(Run(run.objective, run.engine, run.loader, run.folder, look))
    assert stopped.value.code == 128 + number
    resumed = prepared(Finetune(), tmp_path / "broken", plan=plan)
    assert fit(resumed) == whole
    files = [[path.read_bytes() for path in sorted((tmp_path / one).glob("checkpoints/*/*.safetensors"))]
             for one in ("whole", "broken")]  # fmt: skip
    assert files[0] == files[1]
    told = [[{**line, "step_seconds": 0} for line in lines(tmp_path / one, kind)] for one in ("whole", "broken")
            for kind in ("train", "validation")]  # fmt: skip
    assert told[:2] == told[2:]


def test_a_run_killed_after_its_last_save_leaves_no_checkpoint_more_than_an_unbroken_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = {"epochs": 2, "evaluations_per_epoch": 2}
    whole = scripted(prepared(Finetune(), tmp_path / "whole", plan=plan), [0.9, 0.5, 0.5, 0.5])
    fit(whole)
    broken = scripted(prepared(Finetune(), tmp_path / "broken", plan=plan), [0.9, 0.5, 0.5, 0.5])
    remove = broken.folder.remove

    def killed(step: int) -> None:
        if broken.folder.steps()[0] == 4:
            raise KeyboardInterrupt
        remove(step)

    monkeypatch.setattr(broken.folder, "remove", killed)
    with pytest.raises(KeyboardInterrupt):
        fit(broken)
    assert broken.folder.steps() == [4, 3, 1]
    fit(prepared(Finetune(), tmp_path / "broken", plan=plan))
    assert broken.folder.steps() == whole.folder.steps() == [4, 1]


def test_a_loss_that_is_no_number_stops_and_keeps_the_last_good_checkpoint(tmp_path: Path) -> None:
    run = prepared(Finetune(), tmp_path, plan={"epochs": 3})
    spoil = Run(run.objective, run.engine, run.loader, run.folder, lambda: spoiled(run))
    with pytest.raises(BadInput, match=r"step 5: .*not finite, 3 times in a row; the checkpoint of step 4 is kept"):
        fit(spoil)
    assert run.folder.steps() == [4, 2] and run.folder.load(4).state.best_step == 2


def spoiled(run: Run) -> Evaluation:
    """Break the weights behind the loop's back, as a wild learning rate would."""
    with torch.no_grad():
        next(run.objective.parameters()).fill_(float("inf"))
    return Evaluation({"accuracy": 0.5})


def test_a_finished_run_is_not_trained_again(tmp_path: Path) -> None:
    state = fit(prepared(Finetune(), tmp_path, plan={"max_steps": 2}))
    written = (tmp_path / "metrics.jsonl").read_text()
    again = fit(prepared(Finetune(), tmp_path, plan={"max_steps": 2}))
    assert again == state
    assert (tmp_path / "metrics.jsonl").read_text() == written


def test_an_update_that_is_no_number_is_left_out_counted_and_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It moves no weight, its loss is in no mean of the log, and checkpoints keep the count."""
    plan = {"max_steps": 6, "log_every": 1, "save_every": 1, "average": 0.9}
    run = prepared(Finetune(), tmp_path / "run", plan=plan)
    real, weights = type(run.objective).step, []

    def climb(objective: Objective, engine: Backward, batch: Batch) -> Loss:
        weights.append([one.detach().clone() for one in objective.parameters()])
        loss = real(objective, engine, batch)
        if len(weights) in (3, 5):
            [*objective.parameters()][-1].grad.fill_(float("nan"))
        return loss

    monkeypatch.setattr(type(run.objective), "step", climb)
    state = fit(run)
    assert (state.skipped, state.skipped_in_a_row, state.step) == (2, 0, 6)
    moved = [any(not torch.equal(*pair) for pair in zip(*two, strict=True)) for two in pairwise(weights)]
    assert moved == [True, True, False, True, False]
    assert [line["step"] for line in lines(tmp_path / "run", "skipped")] == [3, 5]
    norms = {line["step"]: line["gradient_norm"] for line in lines(tmp_path / "run", "train")}
    assert all("task" not in line for line in lines(tmp_path / "run", "train") if line["step"] in (3, 5))
    assert norms[3] is None and norms[5] is None and all(norms[step] > 0 for step in (1, 2, 4, 6))
    assert "step 5: the gradient is not finite; this update was left out (2 so far)" in capsys.readouterr().err
    assert run.folder.load(6).state.skipped == 2


def test_an_ascent_that_is_no_number_stops_the_run_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = prepared(Finetune(), tmp_path)

    def climb(*_: object) -> None:
        raise FloatingPointError("not a number")

    monkeypatch.setattr(type(run.objective), "step", climb)
    with pytest.raises(BadInput, match="stopped at step 3: .*the checkpoint of step 2 is kept"):
        fit(run)


def test_lines_of_a_run_that_was_killed_before_its_first_checkpoint_are_dropped(tmp_path: Path) -> None:
    run = prepared(Finetune(), tmp_path, plan={"max_steps": 2, "log_every": 1})
    run.folder.metrics.write_text('{"step": 1, "kind": "train"}\n{"step": 2, "ki')
    fit(run)
    assert [line["step"] for line in lines(tmp_path, "train")] == [1, 2]
