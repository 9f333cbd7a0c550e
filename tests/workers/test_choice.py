"""Who computes is what a person said; what cannot be is one sentence before anything is begun."""

from dataclasses import replace
from pathlib import Path

import pytest
from toy_results import toy
from toys import constant

import unfooled as uf
from unfooled.errors import BadInput
from unfooled.results.planned import here
from unfooled.workers.choice import computing
from unfooled.workers.crew import Crew


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
