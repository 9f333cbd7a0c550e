"""A results folder under every order of measuring, stopping, cutting, swapping, looking and going on."""

import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from toys import Bag

from unfooled.attacks.deepwordbug import DeepWordBug
from unfooled.errors import BadInput, Stopped
from unfooled.results.folder import open_folder
from unfooled.results.run import evaluate
from unfooled.trials import require_trial
from unfooled.trials.inputs import Given, Inputs
from unfooled.victims import Victim, open_victim

TEXTS = ["good film", "a great story", "the dull plot", "good and fine", "awful", "a fine warm film", "the film"]
INPUTS = Inputs([(text,) for text in TEXTS], [1, 1, 0, 1, 0, 1, 0], {"data": Given("toys", "h")}, ("no", "yes"))
SETTINGS = {"similarity": None, "attack": DeepWordBug()}
TRIALS = {
    "clean": require_trial("clean", "classification").settings(),
    "deepwordbug": require_trial("deepwordbug", "classification").settings.model_validate(SETTINGS),
}
MODELS = ("one", "two")
LOGS = [f"{model}/{trial}" for model in MODELS for trial in TRIALS]


def victim(name: str) -> Victim:
    """A toy of a name, each with weights of its own."""
    scale = {"one": 1.0, "two": -0.5}[name]
    logits = lambda texts: scale * np.log(Bag()(texts))  # noqa: E731
    return open_victim(Victim(name, logits, hash=f"hash of {name}", labels=("no", "yes"), logits=True))


def records(out: Path) -> dict[str, dict[int, Mapping[str, Any]]]:
    """The whole lines of every log, by model, trial and example."""
    held: dict[str, dict[int, Mapping[str, Any]]] = {}
    for path in out.glob("*/*/examples.jsonl"):
        lines = path.read_bytes().split(b"\n")[:-1]
        if lines:
            header, *rows = map(json.loads, lines)
            name = f"{header['model']}/{header['trial']}"
            assert name not in held and len({row["index"] for row in rows}) == len(rows), path
            held[name] = {row["index"]: row for row in rows}
    return held


class ResultsFolder(RuleBasedStateMachine):
    """Whatever happens, no record in it is false, and a call that ends leaves what an unbroken one did."""

    whole: ClassVar[dict[str, dict[int, Mapping[str, Any]]]] = {}
    summary: ClassVar[str] = ""

    @initialize()
    def begin(self) -> None:
        self.root = Path(tempfile.mkdtemp())
        self.out, self.swapped = self.root / "out", False
        if not self.whole:
            evaluate([victim(name) for name in MODELS], INPUTS, self.root / "whole", TRIALS, batch_size=2)
            ResultsFolder.whole = records(self.root / "whole")
            ResultsFolder.summary = (self.root / "whole" / "summary.json").read_text()

    def teardown(self) -> None:
        if hasattr(self, "root"):
            self.put_back()
            self.measure(MODELS, tuple(TRIALS))
            assert records(self.out) == self.whole
            assert (self.out / "summary.json").read_text() == self.summary
            assert not list(self.out.rglob(".*"))
            shutil.rmtree(self.root)

    def measure(self, models: tuple[str, ...], trials: tuple[str, ...], stop_after: int | None = None) -> None:
        """Measure, perhaps only until so many records are made; a folder with swapped logs may be refused."""
        made = [0]

        def show(label: str, done: int, total: int, note: str) -> None:
            made[0] += 1
            if stop_after is not None and made[0] > stop_after:
                raise Stopped("here")

        try:
            evaluate([victim(one) for one in models], INPUTS, self.out, {name: TRIALS[name] for name in trials},
                     batch_size=2, in_flight=2, show=show)  # fmt: skip
        except Stopped:
            assert stop_after is not None
        except BadInput:
            assert self.swapped

    @rule(model=st.sampled_from(MODELS), trial=st.sampled_from([*TRIALS]))
    def to_its_end(self, model: str, trial: str) -> None:
        self.measure((model,), (trial,))

    @rule(models=st.sampled_from([MODELS, ("two",)]), after=st.integers(0, 20))
    def until_it_is_stopped(self, models: tuple[str, ...], after: int) -> None:
        self.measure(models, tuple(TRIALS), stop_after=after)

    @rule(log=st.sampled_from(LOGS), share=st.floats(0, 1))
    def cut(self, log: str, share: float) -> None:
        """What a kill leaves: a log that ends anywhere."""
        path = self.out / log / "examples.jsonl"
        if path.is_file():
            content = path.read_bytes()
            path.write_bytes(content[: int(share * len(content))])

    @precondition(lambda self: not self.swapped)
    @rule(pair=st.sampled_from([(one, other) for one in LOGS for other in LOGS if one < other]))
    def swap(self, pair: tuple[str, str]) -> None:
        """Somebody mixes two logs up."""
        paths = [self.out / log / "examples.jsonl" for log in pair]
        if all(path.is_file() for path in paths):
            self.exchange(*paths)
            self.swapped, self.pair = True, paths

    def exchange(self, one: Path, other: Path) -> None:
        beside = self.root / "beside"
        one.rename(beside)
        other.rename(one)
        beside.rename(other)

    @precondition(lambda self: self.swapped)
    @rule()
    def put_back(self) -> None:
        if self.swapped and all(path.is_file() for path in self.pair):
            self.exchange(*self.pair)
        self.swapped = False

    @invariant()
    def nothing_false_is_there_or_told(self) -> None:
        if not hasattr(self, "root"):
            return
        for log, rows in records(self.out).items():
            assert rows.items() <= self.whole[log].items(), log
        try:
            results = open_folder(self.out)
        except BadInput:
            return  # nothing is finished, or something was mixed up
        for one in results.trials:
            assert {record.index for record in one.records} == set(self.whole[f"{one.header.model}/{one.trial}"])


TestResultsFolder = ResultsFolder.TestCase
TestResultsFolder.settings = settings(max_examples=25, stateful_step_count=10, deadline=None)
