"""The simulation of a cluster against what can be worked out by hand, and against a real crew where that is cheap."""

import importlib.util
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy_results import TEXTS, job

from unfooled.workers.crew import Crew
from unfooled.workers.piece import PIECE, records_of

ROOT = Path(__file__).parents[1]
spec = importlib.util.spec_from_file_location("simulate_cluster", ROOT / "tools" / "simulate_cluster.py")
assert spec is not None and spec.loader is not None
simulate = importlib.util.module_from_spec(spec)
sys.modules["simulate_cluster"] = simulate  # dataclasses look their module up
spec.loader.exec_module(simulate)
Cluster, played = simulate.Cluster, simulate.played

NO_NOISE = Cluster(
    texts=10_000, workers=1, seconds=1.0, spread=0.0, stragglers=0.0, loss_hours=float("inf"), start=10.0, before=0.005
)


def test_one_worker_without_noise_takes_what_the_formula_says() -> None:
    of, found = NO_NOISE, played(NO_NOISE)
    each = of.before + of.seconds + of.piece + of.text_bytes / of.network
    assert found.makespan == pytest.approx(of.start + of.texts * each, rel=1e-9)
    assert found.traffic == of.texts * (of.text_bytes + of.record_bytes) + of.told_bytes
    assert found.records == of.texts and (found.lost, found.asked_again, found.behind) == (0, 0, 0.0)
    assert found.memory == pytest.approx(
        of.driver_bytes + of.texts * of.driver_text_bytes + of.driver_worker_bytes, 0.01
    )
    assert found.driver_busy * found.makespan == pytest.approx(of.texts * (of.before + of.piece + of.record), rel=1e-6)


@pytest.mark.parametrize("workers", [2, 7, 64])
def test_equal_workers_end_within_one_text_of_each_other(workers: int) -> None:
    of = replace(NO_NOISE, workers=workers, before=0.0, piece=0.0, text_bytes=0.0)
    found = played(of)
    shortest = of.start + of.texts * of.seconds / workers
    assert shortest <= found.makespan + 1e-6 and found.makespan <= shortest + of.seconds + 1e-6


def test_where_the_driver_is_the_slowest_it_sets_the_pace() -> None:
    of = replace(NO_NOISE, workers=100, record=0.1, before=0.0)
    found = played(of)
    assert found.makespan == pytest.approx(of.start + of.texts * (of.record + of.piece), rel=0.01)
    assert found.behind > 0.9 and found.driver_busy > 0.95
    assert found.memory > played(replace(of, record=1e-4)).memory  # what waits is held


def test_lost_workers_cost_time_and_no_text_is_lost_or_done_twice() -> None:
    of = replace(NO_NOISE, workers=20, spread=1.0)
    steady, shaky = played(of), played(replace(of, loss_hours=0.2))
    assert steady.lost == 0 and shaky.lost > 3 and shaky.asked_again > 0
    assert shaky.records == steady.records == of.texts and shaky.makespan > steady.makespan
    assert shaky.traffic > steady.traffic
    assert shaky == played(replace(of, loss_hours=0.2)) != played(replace(of, loss_hours=0.2, seed=1))


def test_slow_machines_and_much_before_lower_the_efficiency() -> None:
    of = replace(NO_NOISE, workers=20, before=0.0)
    slow = played(replace(of, stragglers=0.5, slowness=4.0))
    assert slow.efficiency < 0.8 < 0.95 < played(of).efficiency
    alone = played(replace(of, before=0.05))
    assert alone.before == pytest.approx(0.5, abs=0.02) and alone.efficiency == pytest.approx(0.5, abs=0.02)


def test_groups_that_stand_for_several_texts_change_little(monkeypatch: pytest.MonkeyPatch) -> None:
    of = replace(NO_NOISE, workers=8, spread=0.5)
    fine = played(of)
    monkeypatch.setattr(simulate, "MOST_GROUPS", 1000)
    coarse = played(of)
    assert coarse.records == of.texts and coarse.makespan == pytest.approx(fine.makespan, rel=0.05)
    assert coarse.makespan != fine.makespan


def test_a_real_crew_cuts_the_pieces_that_are_played(tmp_path: Path) -> None:
    planned = job(tmp_path, "deepwordbug")
    able = replace(planned.run.victim, place="a/folder")
    one = replace(planned, run=replace(planned.run, victim=able, temperature=1.0))
    sent: list[bytes] = []

    class Worker:
        def begin(self, assignment: Any) -> dict[str, Any]:
            return {"ready": True}

        def work(self, piece: bytes) -> Iterator[dict[str, Any]]:
            sent.append(piece)
            from unfooled import journal
            from unfooled.parsing import json_value

            told = PIECE.validate_json(piece)
            for record in records_of(told, one.trial, replace(one.run, units=[])):
                yield {"record": json_value(journal.line(record))}
            yield {"end": []}

        def end(self) -> None: ...

    class Site:
        def room(self, wanted: int) -> int:
            return wanted

        def hire(self) -> Worker:
            return Worker()

        def shipped(self, assignment: bytes) -> bytes:
            return assignment

    with Crew(Site(), 1, "") as crew:  # type: ignore[arg-type]
        assert len(list(crew(one, frozenset()))) == len(TEXTS)
    text_bytes = sum(map(len, sent)) / len(TEXTS)
    found = played(replace(NO_NOISE, texts=len(TEXTS), text_bytes=text_bytes, record_bytes=0.0, told_bytes=0.0))
    assert found.pieces == len(sent) == 3 and found.traffic == pytest.approx(sum(map(len, sent)))
