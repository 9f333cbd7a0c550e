"""What a worker is sent is what it works on: its units, the batches they are in, and nothing else."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from assigned_ground import job
from attack_ground import save_ground
from kills import same_results

import unfooled as uf
from unfooled.commands.attack_parts import PARTS_FOR
from unfooled.errors import BadInput
from unfooled.results.planned import here
from unfooled.workers import processes
from unfooled.workers.assignment import ASSIGNMENT, assigned
from unfooled.workers.piece import PIECE, UnitGroup, is_piece, piece_of, records_of
from unfooled.workers.processes import WorkerProcess


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("ground"), 12)


def test_a_piece_holds_its_own_units_and_the_done_ones_of_their_batch(ground: Path) -> None:
    one = job(ground)
    sent = piece_of(one, [UnitGroup((1,), (1,))])
    assert is_piece(sent) and b"a bad plot" in sent and b"a good film" not in sent
    clean = job(ground, name="clean")
    told = PIECE.validate_json(piece_of(clean, [UnitGroup([1, 0], [0])]))
    assert (told.places, told.done, len(told.units)) == ([0, 1], [1], 2)
    everything = job(ground, name="exhaustive")
    assert PIECE.validate_json(piece_of(everything, [UnitGroup((1,), (1,))])).units == []


def test_records_of_a_piece_are_those_of_the_whole(ground: Path) -> None:
    for name in ("deepwordbug", "clean", "pgd", "shift", "exhaustive"):
        one = job(ground, name=name)
        expected = {record.index: record for record in here(one, frozenset())}
        units = one.run.units if one.trial.among_all else []
        told = PIECE.validate_json(piece_of(one, [UnitGroup([0, 1], [1])]))
        [record] = records_of(told, one.trial, replace(one.run, units=units, first=one.run.units[0]))
        assert record == expected[1], name


def test_units_that_arrive_as_others_are_refused(ground: Path) -> None:
    one = job(ground)
    told = PIECE.validate_json(piece_of(one, [UnitGroup((0,), (0,))]))
    odd = replace(told, units=PIECE.validate_json(piece_of(one, [UnitGroup((1,), (1,))])).units)
    with pytest.raises(BadInput, match="a worker has read another attacked example than it was sent; give all mach"):
        list(records_of(odd, one.trial, one.run))


def test_no_worker_is_sent_a_unit_that_it_does_not_work_on(ground: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real processes: everything that goes through each pipe is read along."""
    pipes: dict[int, list[bytes]] = {}
    given: dict[int, set[int]] = {}
    both = threading.Barrier(2, timeout=300)  # else whoever is ready first may have done all before the other is

    class Watched(WorkerProcess):
        def _say(self, question: bytes) -> None:
            pipes.setdefault(self.process.pid, []).append(question)
            super()._say(question)

        def _answer(self) -> dict[str, Any]:
            answer = super()._answer()
            if "ready" in answer:
                both.wait()
            if isinstance(record := answer.get("record"), dict):
                given.setdefault(self.process.pid, set()).add(record["index"])
            return answer

    monkeypatch.setattr(processes, "WorkerProcess", Watched)
    monkeypatch.chdir(ground)
    how: dict[str, Any] = {"similarity": None, "seed": 3}
    whole = uf.attack("model", "reviews.csv", "pwws", "whole", **how)
    uf.attack("model", "reviews.csv", "pwws", "parted", workers=2, **how)
    same_results(ground / "whole", ground / "parted")
    texts = {record.index: record.texts[0] for record in whole.records}
    assert len(pipes) == 2 and len(set(texts.values())) == len(texts) == 12
    for number, questions in pipes.items():
        assignment, *pieces = questions
        told = ASSIGNMENT.validate_json(assignment)
        assert told.units == [] and texts[0] in str(told.first)
        sent = [place for piece in pieces for place in PIECE.validate_json(piece).places]
        assert len(set(sent)) == len(sent) and set(sent) == given[number]
        traffic = b"".join(pieces).decode()
        assert {index for index, text in texts.items() if text in traffic} == given[number]


def test_what_a_worker_is_told_first_does_not_grow_with_the_units(ground: Path) -> None:
    one = job(ground)
    many = replace(one, run=replace(one.run, units=list(one.run.units) * 500))
    small, large = (ASSIGNMENT.dump_json(assigned(each, PARTS_FOR)) for each in (one, many))
    assert small == large
