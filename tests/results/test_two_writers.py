"""Two processes that measure into one folder at once: no table mixes what they measure, none loses the other's."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from toys import Bag

from unfooled.errors import BadInput
from unfooled.files import LOCK, alone, held
from unfooled.results import run as running
from unfooled.results.folder import Results, open_folder
from unfooled.results.run import evaluate
from unfooled.trials.inputs import Given, Inputs
from unfooled.victims.victim import Victim

TEXTS = ["good film", "a great story", "the dull plot", "awful"]


def measure(out: Path, trials: list[str], seed: int = 0, name: str = "one", **how: Any) -> Results:
    inputs = Inputs([(text,) for text in TEXTS], [1, 1, 0, 0], {"data": Given("toys", "h")}, ("no", "yes"))
    logits = lambda texts: np.log(Bag()(texts))  # noqa: E731
    victim = Victim(name, logits, hash=f"hash of {name}", labels=("no", "yes"), logits=True)
    return evaluate([victim], inputs, out, trials, seed=seed, **how)


def once_planned(monkeypatch: pytest.MonkeyPatch, then: Callable[[], Any]) -> None:
    """Do something after the first look at a folder: what another process does before this one begins its logs."""
    real, left = running.refuse_other, [then]

    def refuse(*given: Any) -> None:
        real(*given)
        if left:
            left.pop()()

    monkeypatch.setattr(running, "refuse_other", refuse)


@pytest.mark.parametrize("trials", [["clean"], ["deepwordbug"]], ids=["the same log", "another log"])
def test_what_another_began_meanwhile_is_not_mixed_with(
    trials: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    once_planned(monkeypatch, lambda: measure(tmp_path, trials, seed=1))
    with pytest.raises(BadInput, match=r"is from another evaluation, which differs in seed \(1 there, 0 now\)"):
        measure(tmp_path, ["clean"], seed=0)
    assert [one.header.seed for one in open_folder(tmp_path).trials] == [1]


def test_the_summary_tells_of_what_another_finished_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    once_planned(monkeypatch, lambda: measure(tmp_path, ["clean"], name="two"))
    measure(tmp_path, ["clean"])
    assert set(json.loads((tmp_path / "summary.json").read_text())["models"]) == {"one", "two"}


def test_the_summary_is_written_by_one_process_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, seen = running.write_summary, []

    def write(out: Path, results: Results) -> None:
        with pytest.raises(BadInput, match="is writing to"), held(out / LOCK):
            pass
        seen.append(out)
        real(out, results)

    monkeypatch.setattr(running, "write_summary", write)
    measure(tmp_path, ["clean"])
    assert seen == [tmp_path]


def test_one_can_look_while_another_measures(tmp_path: Path) -> None:
    from unfooled.commands.report import report

    measure(tmp_path / "results", ["clean"])

    def look(label: str, done: int, total: int, note: str) -> None:
        results = open_folder(tmp_path / "results")
        assert [one.trial for one in results.trials] == ["clean"] + ["deepwordbug"] * (done == total)
        if done == 2:
            report(tmp_path / "results", tmp_path / "page.html")

    measure(tmp_path / "results", ["deepwordbug"], show=look)
    assert "unfinished (2 examples done)" in (tmp_path / "page.html").read_text()
    with alone(tmp_path / "page.html"), pytest.raises(BadInput, match="is writing to"):
        report(tmp_path / "results", tmp_path / "page.html")


def test_a_log_in_the_folder_of_another_trial_is_refused(tmp_path: Path) -> None:
    measure(tmp_path, ["clean", "deepwordbug"])
    paths = [tmp_path / "one" / trial / "examples.jsonl" for trial in ("clean", "deepwordbug")]
    lines = paths[1].read_bytes().splitlines(keepends=True)
    paths[0].write_bytes(b"".join(lines[:3]))  # unfinished: records of the other trial would be added to it
    with pytest.raises(BadInput, match=r"clean.*examples.jsonl is the log of deepwordbug; put it back"):
        measure(tmp_path, ["clean"])
    assert paths[0].read_bytes() == b"".join(lines[:3])
