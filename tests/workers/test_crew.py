"""Who does what next: workers are threads here, lost at any moment; none of their units is, and none comes twice."""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_results import TEXTS, job, measure

from unfooled.errors import BadInput
from unfooled.journal import line
from unfooled.parsing import json_value
from unfooled.results.planned import Planned, here
from unfooled.workers import crew as crews
from unfooled.workers import roll as rolls
from unfooled.workers.crew import Crew, Lost
from unfooled.workers.piece import PIECE, records_of


class Thread:
    """A worker that is lost after so many records of all that its site makes."""

    def __init__(self, site: "Site") -> None:
        self.site, self.ended = site, False

    def begin(self, assignment: Any) -> dict[str, Any]:
        return {"ready": True}

    def work(self, piece: bytes) -> Iterator[dict[str, Any]]:
        told, job = PIECE.validate_json(piece), self.site.job
        self.site.pieces.append([place for place in told.places if place not in told.done])
        for record in records_of(told, job.trial, replace(job.run, units=[])):
            with self.site.turn:
                self.site.made += 1
                if self.site.made in self.site.losses:
                    raise Lost("exit code -9")
            yield {"record": json_value(line(record))}
        yield {"end": ["said once"]}

    def end(self) -> None:
        self.ended = True


class Site:
    """Where such workers are."""

    def __init__(self, job: Planned, losses: Sequence[int] = (), most: int = 9) -> None:
        self.job, self.losses, self.most = job, set(losses), most
        self.made, self.turn = 0, threading.Lock()
        self.hired: list[Thread] = []
        self.pieces: list[list[int]] = []

    def room(self, wanted: int) -> int:
        return min(wanted, self.most)

    def hire(self) -> Thread:
        self.hired.append(Thread(self))
        return self.hired[-1]

    def shipped(self, assignment: bytes) -> bytes:
        return assignment


def placed(one: Planned) -> Planned:
    """The job of a victim that stands somewhere, with the temperature of its log's header."""
    able, fitted = replace(one.run.victim, place="a/folder"), one.run.temperature or 1.0
    return replace(one, run=replace(one.run, victim=able, temperature=fitted))


@settings(max_examples=25)
@given(st.integers(1, 4), st.lists(st.integers(1, 14), max_size=6), st.frozensets(st.integers(0, 6)))
def test_every_unit_comes_once_whoever_is_lost(workers: int, losses: list[int], done: frozenset[int]) -> None:
    one = placed(job(Path("nowhere"), "deepwordbug"))
    site = Site(one, losses)
    found: list[Any] = []
    with Crew(site, workers, "") as crew, suppress(BadInput):  # where too many are lost, what was made is kept
        for record in crew(one, done):
            found.append(record)
        assert len(found) == len(TEXTS) - len(done)
        assert one.run.remarks == (["said once"] if found else [])
    indices = [record.index for record in found]
    assert len(set(indices)) == len(indices) and not set(indices) & done
    assert all(hand.ended for hand in site.hired)
    expected = {record.index: record for record in here(one, frozenset())}
    assert all(record == expected[record.index] for record in found)


def test_workers_lost_one_after_the_other_are_no_accident(tmp_path: Path) -> None:
    one = placed(job(tmp_path, "deepwordbug"))
    site = Site(one, [1, 2, 3])
    with (
        Crew(site, 1, "") as crew,
        pytest.raises(BadInput, match=r"3 workers have ended at the same work .* \(exit code -9\), perhaps"),
    ):
        list(crew(one, frozenset()))
    assert [hand.ended for hand in site.hired] == [True] * 3
    site = Site(one, [1, 2, 4, 5])  # a record between them
    with Crew(site, 1, "") as crew:
        assert len(list(crew(one, frozenset()))) == len(TEXTS)


def test_a_machine_that_takes_all_its_workers_with_it_is_an_accident(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = placed(job(tmp_path, "deepwordbug"))
    site, together, real = Site(one), threading.Barrier(4), Thread.work

    def works(hand: Thread, piece: bytes) -> Iterator[dict[str, Any]]:
        if hand in site.hired[:4]:
            together.wait(60)  # each has a piece, and none has made a record
            raise Lost("its machine is gone")
        yield from real(hand, piece)

    monkeypatch.setattr(Thread, "work", works)
    with Crew(site, 4, "") as crew:
        assert len(list(crew(one, frozenset()))) == len(TEXTS)


def test_whoever_never_finds_room_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = threading.Event()

    def waits(hand: Thread, assignment: Any) -> dict[str, Any]:
        if hand is hand.site.hired[0]:
            gone.wait(60)  # as an actor does for which a cluster has no processor
        return {"ready": True}

    monkeypatch.setattr(Thread, "begin", waits)
    monkeypatch.setattr(rolls, "PATIENCE", 0.1)
    one = placed(job(tmp_path, "deepwordbug"))
    site = Site(one)
    with Crew(site, 2, "") as crew:
        assert len(list(crew(one, frozenset()))) == len(TEXTS) and not gone.is_set()
        assert site.hired[0].ended and site.hired[0] not in crew.hands
    gone.set()


def test_that_nobody_has_begun_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def late(hand: Thread, assignment: Any) -> dict[str, Any]:
        time.sleep(0.5)  # as an actor does for which a cluster has no processor yet
        return {"ready": True}

    monkeypatch.setattr(Thread, "begin", late)
    monkeypatch.setattr(rolls, "PATIENCE", 0.1)
    one = placed(job(tmp_path, "deepwordbug"))
    with Crew(Site(one), 2, "") as crew:
        assert len(list(crew(one, frozenset()))) == len(TEXTS)
    assert capsys.readouterr().err.count("no worker has begun within 0.1 s") == 1


def test_workers_that_never_begin_are_not_begun_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def begins(hand: Thread, assignment: Any) -> dict[str, Any]:
        if hand is not hand.site.hired[0]:
            raise Lost("exit code -9")
        return {"ready": True}

    monkeypatch.setattr(Thread, "begin", begins)
    one = placed(job(tmp_path, "deepwordbug"))
    site = Site(one)
    real = Thread.work

    def works(hand: Thread, piece: bytes) -> Iterator[dict[str, Any]]:
        while len(site.hired) < 1 + rolls.LOSSES:  # so that the others are lost meanwhile
            time.sleep(0.01)
        yield from real(hand, piece)

    monkeypatch.setattr(Thread, "work", works)
    with Crew(site, 2, "") as crew:
        assert len(list(crew(one, frozenset()))) == len(TEXTS)
    assert len(site.hired) == 1 + rolls.LOSSES
    assert "3 workers ended before they began (exit code -9); the others go on" in capsys.readouterr().err


def test_what_is_given_back_when_the_others_rest_already_is_made(tmp_path: Path) -> None:
    one = placed(job(tmp_path, "deepwordbug"))
    heard, stillborn = threading.Event(), threading.Event()

    class Odd(Thread):
        """The first is lost with its piece, the second works, the next three are lost before they begin."""

        def begin(self, assignment: Any) -> dict[str, Any]:
            number = self.site.hired.index(self)
            if 2 <= number < 5:
                raise Lost("exit code -9")
            return {"ready": True}

        def work(self, piece: bytes) -> Iterator[dict[str, Any]]:
            number = self.site.hired.index(self)
            if number == 0 and not heard.is_set():
                heard.wait(60)
                raise Lost("exit code -9")
            stillborn.wait(60)
            yield from super().work(piece)

    class OddSite(Site):
        def hire(self) -> Thread:
            self.hired.append(Odd(self))
            if len(self.hired) == 5:
                threading.Timer(0.3, stillborn.set).start()
            return self.hired[-1]

    found = []
    with Crew(OddSite(one), 3, "") as crew:
        for record in crew(one, frozenset()):
            found.append(record.index)
            if len(found) == 1:
                heard.set()
                time.sleep(0.5)  # meanwhile the first is lost and the second finds nothing left
    assert sorted(found) == list(range(len(TEXTS)))


def test_pieces_are_large_at_first_and_bounded_and_groups_stay_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = placed(job(tmp_path, "deepwordbug"))
    site = Site(one)
    with Crew(site, 1, "") as crew:
        list(crew(one, frozenset()))
    assert [len(piece) for piece in site.pieces] == [4, 2, 1]
    monkeypatch.setattr(crews, "UNITS", 2)
    site = Site(one)
    with Crew(site, 1, "") as crew:
        list(crew(one, frozenset()))
    assert [len(piece) for piece in site.pieces] == [2, 2, 2, 1]
    clean = placed(job(tmp_path, "clean"))
    site = Site(clean)
    with Crew(site, 2, "") as crew:
        list(crew(clean, frozenset({2})))
    assert site.pieces == [[0, 1, 3, 4, 5, 6]] and len(site.hired) == 1


def test_workers_stay_for_the_next_job_and_end_with_the_crew(tmp_path: Path) -> None:
    one = placed(job(tmp_path, "deepwordbug"))
    site = Site(one)
    with Crew(site, 2, "") as crew:
        assert len(list(crew(one, frozenset()))) == len(list(crew(one, frozenset()))) == len(TEXTS)
        assert len(site.hired) == 2 and not any(hand.ended for hand in site.hired)
    assert all(hand.ended for hand in site.hired)


def test_whoever_stops_listening_leaves_nobody_at_work(tmp_path: Path) -> None:
    one = placed(job(tmp_path, "deepwordbug"))
    site = Site(one)
    crew = Crew(site, 2, "")
    records = crew(one, frozenset())
    next(records)
    records.close()
    assert all(hand.ended for hand in site.hired) and not crew.hands


def test_what_a_worker_refuses_is_refused_and_its_fault_is_shown(tmp_path: Path) -> None:
    one = placed(job(tmp_path, "deepwordbug"))
    for answer, error, told in (
        ({"refused": "another model"}, BadInput, "another model"),
        ({"system": {"number": 13, "reason": "denied", "file": "a.csv"}}, PermissionError, "denied: 'a.csv'"),
        ({"failed": "Traceback: ValueError"}, RuntimeError, "a worker failed:\nTraceback: ValueError"),
    ):
        site = Site(one)
        site.hire = lambda said=answer, site=site: type("Odd", (Thread,), {"begin": lambda self, _: said})(site)
        with Crew(site, 2, "") as crew, pytest.raises(error, match=told):
            list(crew(one, frozenset()))


def test_without_room_this_process_computes(tmp_path: Path) -> None:
    one = placed(job(tmp_path, "deepwordbug"))
    site = Site(one, most=0)
    with Crew(site, 2, "") as crew:
        assert len(list(crew(one, frozenset()))) == len(TEXTS)
    assert not site.hired


def test_a_whole_evaluation_by_a_crew_is_that_of_one_process(tmp_path: Path) -> None:
    def by_crew(one: Planned, done: frozenset[int]) -> Iterator[Any]:
        with Crew(Site(one, [3]), 2, "") as crew:
            yield from crew(placed(one), done)

    counts: list[int] = []
    whole = measure(tmp_path / "whole")
    parted = measure(tmp_path / "parted", compute=by_crew, show=lambda label, done, total, note: counts.append(done))
    assert parted.rows == whole.rows and counts == [*range(8), *range(8)]  # one bar over all workers
