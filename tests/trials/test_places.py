"""A bit for each unit is a set of them."""

import sys

import pytest

from unfooled.trials.places import Places


@pytest.mark.parametrize("size", [0, 1, 7, 8, 9, 64, 1001])
def test_places_are_a_set_of_numbers(size: int) -> None:
    wanted = {place for place in range(size) if place % 3 == 1}
    places = Places(size, wanted)
    assert places == wanted and len(places) == len(wanted) and list(places) == sorted(wanted)
    assert places.others() == set(range(size)) - wanted and len(places.others()) == size - len(wanted)
    assert places.others().others() == wanted
    assert all((place in places) == (place in wanted) for place in range(-3, size + 9))


def test_a_place_twice_counts_once_and_one_beyond_is_refused() -> None:
    places = Places(10, [3, 3])
    places.add(3)
    assert len(places) == 1 and "3" not in places
    for beyond in (-1, 10):
        with pytest.raises(IndexError):
            places.add(beyond)


def test_a_million_places_are_an_eighth_of_a_megabyte() -> None:
    assert sys.getsizeof(Places(1_000_000, range(0, 1_000_000, 50)).bits) < 130_000
