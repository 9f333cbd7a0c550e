"""A run folder under every order of training, stopping, dying, cutting, swapping and going on."""

import os
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from two_processes import prepared

from unfooled.errors import BadInput, Stopped
from unfooled.methods import Finetune
from unfooled.training import Run, fit, run_folder
from unfooled.training.run_folder import RunFolder

PLAN = {"epochs": 3, "evaluations_per_epoch": 1, "save_every": 1, "learning_rate": 1e-3, "log_every": 1}
FILES = ("objective.safetensors", "optimizer.safetensors", "state.json", "manifest.json")


class Died(BaseException):
    """A process that ends in the midst of something; what it was doing stays half done."""


def after(calls: int, real: Callable[..., Any], then: Callable[[], None]) -> Callable[..., Any]:
    """A function that does something more at one of its calls."""
    left = [calls]

    def call(*given: Any, **named: Any) -> Any:
        left[0] -= 1
        if not left[0]:
            then()
        return real(*given, **named)

    return call


def die() -> None:
    raise Died


def tensors(folder: Path) -> dict[str, bytes]:
    """The tensors of all checkpoints."""
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in folder.glob("checkpoints/step-*/*.safetensors")
    }


class TrainingRun(RuleBasedStateMachine):
    """Whatever happens, a run that ends has the bits of an unbroken one, or says which checkpoint is at fault."""

    whole: ClassVar[dict[str, bytes]] = {}

    @initialize()
    def begin(self) -> None:
        self.root = Path(tempfile.mkdtemp())
        self.damaged = False
        if not TrainingRun.whole:
            fit(self.run("whole"))
            TrainingRun.whole = tensors(self.root / "whole")

    def teardown(self) -> None:
        if hasattr(self, "root"):
            self.go_on()
            assert tensors(self.root / "broken") == self.whole
            shutil.rmtree(self.root)

    def run(self, name: str) -> Run:
        run = prepared(Finetune(), self.root / name, plan=PLAN)
        for leftover in run.folder.checkpoints.glob(".*"):  # as RunFolder.open does
            shutil.rmtree(leftover)
        return run

    def go_on(self, stop: Callable[[Run], Run] = lambda run: run) -> None:
        """Train on; a checkpoint that is refused is taken away, as the sentence says."""
        while True:
            run = stop(self.run("broken"))
            try:
                fit(run)
            except (Stopped, Died):
                pass
            except BadInput as error:
                assert self.damaged and "delete" in str(error), error
                [place] = [path for path in run.folder.checkpoints.iterdir() if f"{path} " in str(error)]
                shutil.rmtree(place)
                continue
            else:
                self.damaged = False
            return

    @rule(update=st.integers(1, 6), number=st.sampled_from([signal.SIGINT, signal.SIGTERM]))
    def stopped_in_an_update(self, update: int, number: int) -> None:
        def armed(run: Run) -> Run:
            run.objective.step = after(update, run.objective.step, lambda: os.kill(os.getpid(), number))  # type: ignore[method-assign]
            return run

        self.go_on(armed)

    @rule(look=st.integers(1, 3))
    def stopped_in_a_look(self, look: int) -> None:
        def armed(run: Run) -> Run:
            seen = after(look, run.look, lambda: os.kill(os.getpid(), signal.SIGTERM))
            return Run(run.objective, run.engine, run.loader, run.folder, seen)

        self.go_on(armed)

    @rule(call=st.integers(1, 12), place=st.sampled_from(["save_file", "write_manifest", "synchronise", "write_whole"]))
    def dies_while_saving(self, call: int, place: str) -> None:
        real = getattr(run_folder, place)
        setattr(run_folder, place, after(call, real, die))
        try:
            self.go_on()
        finally:
            setattr(run_folder, place, real)

    def checkpoints(self) -> list[Path]:
        return [] if not hasattr(self, "root") else sorted((self.root / "broken").glob("checkpoints/step-*"))

    @precondition(lambda self: self.checkpoints())
    @rule(data=st.data(), name=st.sampled_from(FILES), share=st.floats(0, 0.99))
    def cut(self, data: st.DataObject, name: str, share: float) -> None:
        path = data.draw(st.sampled_from(self.checkpoints())) / name
        content = path.read_bytes()
        path.write_bytes(content[: int(share * len(content))])
        self.damaged = True

    @precondition(lambda self: len(self.checkpoints()) == 2)
    @rule(name=st.sampled_from(FILES[:3]))
    def swap(self, name: str) -> None:
        one, other = (place / name for place in self.checkpoints())
        beside = self.root / "beside"
        one.rename(beside)
        other.rename(one)
        beside.rename(other)
        self.damaged = True

    @rule(share=st.floats(0, 1))
    def cut_metrics(self, share: float) -> None:
        path = RunFolder(self.root / "broken").metrics
        if path.is_file():
            content = path.read_bytes()
            path.write_bytes(content[: int(share * len(content))])


TestTrainingRun = TrainingRun.TestCase
TestTrainingRun.settings = settings(max_examples=8, stateful_step_count=6, deadline=None)
