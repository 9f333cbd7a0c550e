"""Which units of a trial are computed in one go, and records of some of the units alone."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any, overload


class EachAlone(Sequence[tuple[int, ...]]):
    """Every unit by itself, without a list that would grow with the units.

    >>> list(EachAlone(3)), EachAlone(9)[1::4]
    ([(0,), (1,), (2,)], [(1,), (5,)])
    """

    def __init__(self, units: int) -> None:
        self.places = range(units)

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, number: int) -> tuple[int, ...]: ...
    @overload
    def __getitem__(self, number: slice) -> list[tuple[int, ...]]: ...
    def __getitem__(self, number: int | slice) -> Any:
        if isinstance(number, slice):
            return [(place,) for place in self.places[number]]
        return (self.places[number],)


def made_of_part(
    run: Callable[[Any, frozenset[int]], Iterator[Any]], part: Any, places: Sequence[int], done: Collection[int]
) -> Iterator[Any]:
    """The records of a run that holds some of a trial's units, whole groups of them, under their places in the whole.

    A trial counts the units it is given. Places rise, so that whatever is ordered by a length has the order of the
    whole, and is cut into the groups of the whole.
    """
    own = frozenset(index for index, place in enumerate(places) if place in done)
    for record in run(replace(part, places=places), own):
        yield replace(record, index=places[record.index])
