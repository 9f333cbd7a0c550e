"""Units one by one, and records of a part under their places in the whole."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from trial_ground import run_of

from unfooled.trials.groups import EachAlone, made_of_part
from unfooled.trials.trial import TrialRun


def test_units_one_by_one_are_a_sequence_that_holds_none_of_them() -> None:
    some = EachAlone(10**12)
    assert len(some) == 10**12 and some[7] == (7,) and some[-1] == (10**12 - 1,)
    assert EachAlone(5)[1::2] == [(1,), (3,)] and list(EachAlone(2)) == [(0,), (1,)]
    with pytest.raises(IndexError):
        EachAlone(2)[2]


@dataclass(frozen=True)
class Counted:
    """A unit, and what it was drawn by."""

    index: int
    unit: str
    place: int


def counted(trial: TrialRun, done: frozenset[int]) -> Iterator[Counted]:
    for index, unit in enumerate(trial.units):
        if index not in done:
            yield Counted(index, unit, trial.place(index))


def test_records_of_a_part_stand_at_their_places_and_are_drawn_by_them() -> None:
    whole = run_of(lambda texts: [[0.5, 0.5]] * len(texts), list("abcdef"))
    every = list(counted(whole, frozenset()))
    part = run_of(lambda texts: [[0.5, 0.5]] * len(texts), ["b", "d", "f"])
    assert list(made_of_part(counted, part, [1, 3, 5], done=[3])) == [every[1], every[5]]
