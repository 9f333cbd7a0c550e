"""Which of so many units are done: a bit each, where a set of numbers takes some hundred."""

from collections.abc import Iterable, Iterator, Set

import numpy as np


class Places(Set[int]):
    """A set of places from 0 to ``size``, exclusive.

    >>> places = Places(20, [3, 17])
    >>> 17 in places, 4 in places, 99 in places, len(places), list(places)
    (True, False, False, 2, [3, 17])
    """

    def __init__(self, size: int, places: Iterable[int] = ()) -> None:
        self.size, self.count = size, 0
        self.bits = bytearray(size + 7 >> 3)
        for place in places:
            self.add(place)

    def add(self, place: int) -> None:
        """Put a place in."""
        if not 0 <= place < self.size:
            raise IndexError(f"there is no place {place} among {self.size}")
        self.count += place not in self
        self.bits[place >> 3] |= 1 << (place & 7)

    def others(self) -> "Places":
        """The places that are not in it.

        >>> list(Places(4, [1, 2]).others())
        [0, 3]
        """
        turned = Places(self.size)
        turned.bits = bytearray(~np.frombuffer(self.bits, dtype=np.uint8))
        if self.size & 7:
            turned.bits[-1] &= (1 << (self.size & 7)) - 1
        turned.count = self.size - self.count
        return turned

    @classmethod
    def _from_iterable(cls, places: Iterable[int]) -> frozenset[int]:  # type: ignore[override]
        """What set operations give, whose size nobody knows."""
        return frozenset(places)

    def __contains__(self, place: object) -> bool:
        return isinstance(place, int) and 0 <= place < self.size and bool(self.bits[place >> 3] >> (place & 7) & 1)

    def __iter__(self) -> Iterator[int]:
        return (place for place in range(self.size) if place in self)

    def __len__(self) -> int:
        return self.count
