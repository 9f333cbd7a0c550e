"""Records: one attack can be chosen among several, and only one may be read as *the* attack."""

import pytest

from unfooled.evaluation.records import Attack, Record, at, radii


def attack(eps: float) -> Attack:
    return Attack(eps, 1, 0.5, 0.7, (0.6, 0.7), 0.9, 1.0, eps, 0)


def test_radii_and_at_choose_one_attack() -> None:
    records = [Record(0, 1, 1, 0.5, 0.7, attacks=(attack(0.0), attack(0.1)))]
    assert radii(records) == (0.0, 0.1)
    assert at(records, 0.1)[0].attack == attack(0.1)
    assert radii([]) == () == radii([Record(0, 1, 1, 0.5, 0.7)])


def test_a_record_with_several_attacks_has_no_single_one() -> None:
    with pytest.raises(ValueError, match="example 0 has 2 attacks"):
        _ = Record(0, 1, 1, 0.5, 0.7, attacks=(attack(0.0), attack(0.1))).attack
