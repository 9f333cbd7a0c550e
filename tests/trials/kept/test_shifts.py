"""What is kept of records of shifts while their numbers are read."""

import numpy as np

from unfooled.trials.kept.shifts import PAIRED, Move, Shift, ShiftRecord, drawn_places, gathered


def record(index: int, vector: tuple[float, ...], moved: tuple[float, ...] | None, *names: str) -> ShiftRecord:
    shifts = tuple(Shift(name, (Move(0.9, 1.0, 0.8, 2.0),), 0.5, 3.0) for name in names)
    return ShiftRecord(index, 0, ("x",), shifts, vector, moved)


def test_shifts_are_gathered_by_their_cause() -> None:
    records = [record(0, (1.0,), None, "typos", "pgd 0.1"), record(1, (1.0,), None, "pgd 0.1")]
    found = gathered(records).causes
    assert list(found) == ["typos", "pgd 0.1"]
    assert [moves.table.tolist() for moves in found.values()] == [
        [[0.5, 3.0, 0.9, 1.0, 0.8, 2.0]] * count for count in (1, 2)
    ]
    assert found["pgd 0.1"].cosines(2).tolist() == [0.5, 0.5] and np.isnan(found["typos"].cosines(2)).tolist() == [
        False,
        True,
    ]


def test_labels_distances_and_features_stand_in_the_order_of_the_texts() -> None:
    one, other = (1.0, 0.0), (0.0, 1.0)
    found = gathered([record(0, one, other), record(1, other, None), record(2, one, one)])
    assert (found.labels.tolist(), found.distances.tolist()) == ([0, 0, 0], [2.0, 0.0])
    assert found.drawn == [one, other, one] and found.causes == {}


def test_some_of_many_are_drawn_and_the_same_ones_again() -> None:
    assert drawn_places(PAIRED) == list(range(PAIRED))
    drawn = drawn_places(PAIRED + 1000)
    assert len(set(drawn)) == PAIRED and drawn == drawn_places(PAIRED + 1000)
    assert 0.4 < sum(place % 2 for place in drawn) / PAIRED < 0.6
