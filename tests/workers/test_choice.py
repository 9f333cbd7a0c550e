"""Who computes is what a person said; what cannot be is one sentence before anything is begun."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chores_ground import Numbers, squares
from toy_results import toy
from toys import constant

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.progress import overall
from unfooled.results.planned import here
from unfooled.workers.choice import computing, do_all, staffed
from unfooled.workers.crew import Crew
from unfooled.workers.processes import Machine


@pytest.mark.parametrize("workers", [None, 1])
def test_one_worker_is_this_process(workers: int | None) -> None:
    with computing(workers, None, [toy()], "") as compute:
        assert compute is here


def test_several_are_a_crew_that_begins_nothing_before_there_is_work() -> None:
    with computing(2, None, [replace(toy(), place="a/folder")], "") as compute:
        assert isinstance(compute, Crew) and compute.most == 2 and not compute.hands


@pytest.mark.parametrize("how", [{"workers": 2}, {"ray": "local"}], ids=str)
def test_an_object_in_hand_is_refused(how: dict[str, object], tmp_path: Path) -> None:
    data = {"text": ["good", "bad"], "label": ["no", "yes"]}
    with pytest.raises(BadInput, match="is an object of this process, which no worker can open; save it, or leave wor"):
        uf.attack(constant, data, out=tmp_path, labels=("no", "yes"), similarity=None, **how)
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_hashed_is_refused(tmp_path: Path) -> None:
    served = replace(toy(), place="http://127.0.0.1:9", hash="")
    with pytest.raises(BadInput, match="has no hash by which workers could tell"), computing(2, None, [served], ""):
        pass


def test_no_workers_are_refused() -> None:
    with pytest.raises(BadInput, match="workers= 0: nobody would compute; give at least 1"), computing(0, None, [], ""):
        pass


@pytest.mark.parametrize(
    ("workers", "ray", "why"),
    [
        ("2", None, "workers= '2' is no whole number; give how many there are to be, as in 2"),
        (2.0, "local", "workers= 2.0 is no whole number"),
        (2, 6379, "ray= 6379 is no address; give auto, local or one as in 10.0.0.1:6379"),
    ],
)
def test_what_is_no_number_and_what_is_no_address_are_refused(workers: Any, ray: Any, why: str) -> None:
    with pytest.raises(BadInput, match=why), computing(workers, ray, [toy()], ""):
        pass


class Hired:
    """A worker that does whatever it is asked, and whether it was ended."""

    ended = False

    def run(self, letter: bytes) -> Iterator[dict[str, Any]]:
        yield {"done": json.loads(letter)["values"]["number"] ** 2}

    def end(self) -> None:
        self.ended = True


def test_who_has_trained_also_measures_and_is_ended_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    hired: list[Hired] = []

    def hire(machine: Machine) -> Hired:
        hired.append(Hired())
        return hired[-1]

    monkeypatch.setattr(Machine, "hire", hire)
    monkeypatch.setattr(Machine, "room", lambda machine, wanted: min(wanted, 2))
    numbers = Numbers(5)
    with staffed(3, None) as staff, overall(show=False) as whole:
        assert staff is not None and staff.most == 2
        do_all(staff, numbers, "all", whole, False)
        assert numbers.answers == squares(5) and len(hired) == 2
        with computing(3, None, [replace(toy(), place="a/folder")], "") as compute:
            assert isinstance(compute, Crew) and compute.hands is staff.hands and compute.most == 2
            assert compute.asked_for_room  # the memory of those who are there is taken already
        assert not any(hand.ended for hand in hired)
    assert all(hand.ended for hand in hired)
    with computing(3, None, [replace(toy(), place="a/folder")], "") as compute:
        assert isinstance(compute, Crew) and not compute.hands


@pytest.mark.parametrize(("workers", "room"), [(None, 9), (1, 9), (2, 0)])
def test_without_workers_or_memory_for_them_this_process_does_it(
    workers: int | None, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Machine, "room", lambda machine, wanted: min(wanted, room))
    begun: list[str] = []
    numbers = Numbers(2)
    with staffed(workers, None) as staff, overall(show=False) as whole:
        monkeypatch.setattr(whole, "begin", begun.append)
        do_all(staff, numbers, "all", whole, False)
    assert numbers.order == [0, 1] and begun == ["number 0", "number 1"]


def test_no_staff_of_none() -> None:
    with pytest.raises(BadInput, match="workers= 0: nobody would compute"), staffed(0, None):
        pass
