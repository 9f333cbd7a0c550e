"""What bench/workers.py makes of moments: records from when all workers are ready, medians over the rounds."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from unfooled.progress import Display
from unfooled.workers import choice
from unfooled.workers.roll import Roll


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_workers", Path(__file__).parents[1] / "bench" / "workers.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_clock_starts_when_the_last_worker_is_ready(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(bench.time, "perf_counter", lambda: now[0])

    def attack() -> str:
        display, roll = Display("pwws", 4, show=False), Roll(["one", "other"])
        for moment, hand, done in ((1.0, "one", 1), (9.0, "other", 0), (10.0, "one", 2), (12.0, "other", 3)):
            now[0] = moment
            roll.answered(hand, bool(done))
            display.over("pwws", done, 4)
        return "records"

    assert bench.timed(attack, workers=2) == (2 / 3.0, "records")
    with pytest.raises(SystemExit, match="before 3 workers were ready; give more --examples"):
        bench.timed(attack, workers=3)


def test_one_process_is_ready_when_it_is_asked(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [5.0]
    monkeypatch.setattr(bench.time, "perf_counter", lambda: now[0])

    def run(_: Any, done: Any) -> Iterator[int]:
        for record in range(2):
            now[0] += 2.0
            yield record

    job: Any = SimpleNamespace(trial=SimpleNamespace(run=run), run=None)

    def attack() -> None:
        display = Display("pwws", 2, show=False)
        for done, _ in enumerate(choice.here(job, frozenset()), start=1):
            display.over("pwws", done, 2)

    assert bench.timed(attack, workers=1)[0] == 0.5


def test_ratios_are_of_neighbours_in_time_and_their_median_counts(bench: ModuleType) -> None:
    found = {"one process": [1.0, 2.0, 10.0], "two workers": [1.8, 3.0, 19.0], "two actors of Ray": [1.0, 3.0, 19.0]}
    lines = list(bench.table(found))
    assert lines[2] == "| one process | 2.00 (1.00–10.00) |  |  | | |"
    assert lines[3] == "| two workers | 3.00 (1.80–19.00) | one process | 1.80 (1.50–1.90) | ≥ 1.7 | holds |"
    assert lines[4] == "| two actors of Ray | 3.00 (1.00–19.00) | two workers | 1.00 (0.56–1.00) | ≥ 0.9 | holds |"


def test_every_way_has_its_turn_in_every_round_and_none_is_always_first(bench: ModuleType) -> None:
    turns = [list(bench.order(["a", "b", "c"], number)) for number in range(4)]
    assert turns == [["a", "b", "c"], ["c", "b", "a"], ["a", "b", "c"], ["c", "b", "a"]]
