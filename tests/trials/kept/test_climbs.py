"""Records of k-PGD, radius by radius, and what is kept of them."""

from pathlib import Path

import numpy as np
import pytest
from results_ground import save_trial

from unfooled.errors import BadInput
from unfooled.results.records import open_log
from unfooled.trials.columns import numbers
from unfooled.trials.kept.climbs import BRIEF, AtRadius, PGDRecord, WorstPoint, at, by_radius, radii, with_features


def point(eps: float, prediction: int = 1) -> WorstPoint:
    return WorstPoint(eps, prediction, 0.5, 0.7, (0.6, 0.7), 0.9, 1.0, eps, 0)


TWICE = PGDRecord(0, 1, 1, 0.5, 0.7, 1.0, (point(0.0), point(0.1, 0)))


def climbed(seed: int) -> tuple[WorstPoint, ...]:
    draw = np.random.default_rng(seed)

    def drawn(eps: float) -> WorstPoint:
        losses, (cosine, distance) = tuple(draw.random(3).tolist()), draw.random(2).tolist()
        return WorstPoint(eps, int(draw.integers(2)), 0.5, 0.7, losses, cosine, distance, eps, 0)

    return tuple(map(drawn, (0.0, 0.1, 0.5)))


def test_radii_and_at_choose_one_point() -> None:
    assert radii([TWICE]) == (0.0, 0.1)
    assert list(at([TWICE], 0.1)) == [AtRadius(0, 1, 1, 0, 0.9, 1.0)]
    assert radii([]) == () == radii([PGDRecord(0, 1, 1, 0.5, 0.7, 1.0)])
    with pytest.raises(BadInput, match="attacked in different ways"):
        radii([TWICE, PGDRecord(1, 1, 1, 0.5, 0.7, 1.0, (point(0.0), point(0.2)))])


def test_a_record_with_several_radii_has_no_single_point() -> None:
    with pytest.raises(ValueError, match="example 0 has 2 radii"):
        _ = TWICE.attack


def test_each_radius_has_its_own_numbers_in_memory_and_in_a_log(tmp_path: Path) -> None:
    records = [PGDRecord(index, 0, 0, 0.5, 0.7, float(index % 2), climbed(index)) for index in range(9)]
    _, kept = open_log(save_trial(tmp_path, "m", "pgd", records[::-1])) or (None, ())
    assert set(BRIEF) == set(kept.briefs.columns) and not {"vector", "attacks"} & set(BRIEF)
    for own in (records, kept):
        assert radii(own) == (0.0, 0.1, 0.5)
        for place, eps in enumerate(radii(own)):
            there = [record.attacks[place] for record in records]
            assert list(at(own, eps)) == [
                AtRadius(one.index, 0, 0, hit.prediction, hit.cosine, hit.distance)
                for one, hit in zip(records, there, strict=True)
            ]
            assert by_radius(own, "paths")[:, place].tolist() == [list(hit.losses) for hit in there]
        assert numbers(own, "flat").tolist() == [index % 2 == 0 for index in range(9)]


def test_records_without_features_are_left_out_where_these_are_read() -> None:
    first, second = (PGDRecord(index, 1, 1, 0.5, 0.7, 1.0, (), (0.6, 0.8)) for index in range(2))
    older = PGDRecord(2, 1, 1, 0.5, 0.7, 1.0)
    assert list(with_features([first, older, second])) == [first, second] and not len(with_features([older]))
    assert not len(with_features([]))
