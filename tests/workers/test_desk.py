"""A worker's desk: an assignment, then pieces of work; what goes wrong is an answer too."""

import json
from pathlib import Path
from typing import Any

import pytest
from assigned_ground import INPUTS, job
from attack_ground import save_ground

from unfooled.commands.attack_parts import PARTS_FOR
from unfooled.errors import option
from unfooled.results.log import reader_of
from unfooled.workers import desk as desks
from unfooled.workers.assignment import ASSIGNMENT, assigned
from unfooled.workers.desk import Desk, answers
from unfooled.workers.piece import UnitGroup, piece_of


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_ground(tmp_path_factory.mktemp("ground"), 2)


def plain(ground: Path) -> dict[str, Any]:
    """An assignment whose parts are those of a worker."""
    told: dict[str, Any] = json.loads(ASSIGNMENT.dump_json(assigned(job(ground), PARTS_FOR)))
    told["header"]["settings"]["parts"] = {"similarity": None}
    return told


def test_a_piece_of_work_is_its_records_and_an_end(ground: Path) -> None:
    desk, one = Desk(), job(ground)
    assert list(answers(desk, json.dumps(plain(ground)).encode())) == [{"ready": True}]
    expected = {record.index: record for record in one.trial.run(one.run, frozenset())}
    for piece in ([1], [0], list(range(len(INPUTS.texts)))):
        *records, last = answers(desk, piece_of(one, [UnitGroup((place,), (place,)) for place in piece]))
        read = [reader_of(one.trial.record).validate_python(answer["record"]) for answer in records]
        assert sorted(record.index for record in read) == sorted(piece) and last == {"end": []}
        assert all(record == expected[record.index] for record in read)


def test_a_model_that_is_open_stays_open_and_another_takes_its_place(ground: Path) -> None:
    desk = Desk()
    question = json.dumps(plain(ground)).encode()
    desk.begin(question)
    first = desk.victim
    assert first is not None
    desk.begin(question)
    assert desk.victim is not None and desk.victim.network is first.network


def test_what_is_refused_and_what_fails_are_answers(ground: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [refused] = answers(Desk(), json.dumps({**plain(ground), "model": str(ground / "gone")}).encode())
    assert "gone" in str(refused["refused"])

    def unreadable(*_: Any) -> None:
        raise PermissionError(13, "Permission denied", "model/config.json")

    with monkeypatch.context() as patch:
        patch.setattr(desks, "opened", unreadable)
        [system] = answers(Desk(), json.dumps(plain(ground)).encode())
    assert system == {"system": {"number": 13, "reason": "Permission denied", "file": "model/config.json"}}
    [failed] = answers(Desk(), piece_of(job(ground), [UnitGroup((0,), (0,))]))
    assert "an assignment comes first" in str(failed["failed"])


def test_sentences_are_for_whoever_asked(ground: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    real = desks.opened
    monkeypatch.setattr(desks, "opened", lambda *given: (said.append(option("workers")), real(*given))[1])
    for options in (True, False):
        Desk().begin(json.dumps({**plain(ground), "options": options}).encode())
    assert said == ["--workers", "workers="]
