"""Open questions of many examples, handed out in batches of similar length."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Generic, TypeVar

Owner = TypeVar("Owner")


@dataclass(frozen=True, eq=False)
class Item(Generic[Owner]):
    """A text that waits for its answer, and whose it is."""

    owner: Owner
    text: str


@dataclass
class Pool(Generic[Owner]):
    """Items in order of length.

    A batch is built around the most urgent item, which is one of the smallest question: an example that asks about
    one text at a time moves on at once, and the large questions of others fill its batches.
    """

    items: list[tuple[int, int, Item[Owner]]] = field(default_factory=list)
    urgent: list[tuple[int, int, int]] = field(default_factory=list)
    open: set[int] = field(default_factory=set)
    numbers: Iterable[int] = field(default_factory=count)

    def __len__(self) -> int:
        return len(self.items)

    def add(self, items: Sequence[Item[Owner]], lengths: Sequence[int], sizes: Sequence[int]) -> None:
        """Let items in: how long each is, and how many texts its question has."""
        for number, item, length, size in zip(self.numbers, items, lengths, sizes, strict=False):
            self.items.append((length, number, item))
            heappush(self.urgent, (size, number, length))
            self.open.add(number)
        self.items.sort(key=lambda entry: entry[:2])

    def take(self, size: int) -> list[Item[Owner]]:
        """The most urgent item with those nearest to it in length; nothing only where nothing is left."""
        while self.urgent and self.urgent[0][1] not in self.open:
            heappop(self.urgent)
        if not self.urgent:
            return []
        _, number, length = heappop(self.urgent)
        start = self.window(bisect_left(self.items, (length, number), key=lambda entry: entry[:2]), size)
        taken = self.items[start : start + size]
        del self.items[start : start + size]
        self.open.difference_update(entry[1] for entry in taken)
        if len(self.urgent) > 2 * len(self.open) + 1000:  # what was taken along with others
            self.urgent = sorted(entry for entry in self.urgent if entry[1] in self.open)
        return [entry[2] for entry in taken]

    def window(self, place: int, size: int) -> int:
        """Where the batch around a place begins that needs the least padding."""
        size = min(size, len(self.items))
        low, high = max(place - size + 1, 0), min(place, len(self.items) - size)
        total = sum(entry[0] for entry in self.items[low : low + size])
        best = (size * self.items[low + size - 1][0] - total, low)
        for start in range(low + 1, high + 1):
            total += self.items[start + size - 1][0] - self.items[start - 1][0]
            best = min(best, (size * self.items[start + size - 1][0] - total, start))
        return best[1]

    def drop(self, owner: Owner) -> None:
        """Forget what an owner still waits for."""
        gone = {entry[1] for entry in self.items if entry[2].owner is owner}
        self.items = [entry for entry in self.items if entry[1] not in gone]
        self.open -= gone
