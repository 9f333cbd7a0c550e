"""As much of a large corpus as is wanted: stretches of paragraphs, evenly drawn, so that the rest is not tokenised."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from unfooled.seeds import digest

STRETCH = 64  # paragraphs that stay together: blocks are cut from text that runs on
SMALL = 50_000_000  # bytes that are tokenised in any case, once for whatever part is wanted: about a minute
BYTES_PER_TOKEN = 8  # more than the mean, so that rarely too little is taken
UNPACKED = 2  # times the size of a .gz file, at least, is what it holds
MARGIN = 1.2  # times what the first try suggests is taken at the second


@dataclass(frozen=True)
class Stretches:
    """A share of the paragraphs of a text, in stretches drawn by a seed."""

    share: float = 1.0
    seed: int = 0

    def of(self, paragraphs: Iterable[str]) -> Iterator[str]:
        """The paragraphs of the stretches that are drawn: stretch s where frac(u + s · share) < share.

        >>> len(list(Stretches(0.25).of(["a"] * 64 * 8)))
        128
        """
        begin = digest(self.seed, "stretches") % 2**32 / 2**32
        for number, paragraph in enumerate(paragraphs):
            if self.share >= 1 or math.modf(begin + number // STRETCH * self.share)[0] < self.share:
                yield paragraph

    def wider(self, wanted: int, found: int) -> "Stretches":
        """The part that holds so many blocks, where this one was found to hold fewer.

        >>> Stretches(0.1).wider(300, 100).share, Stretches(0.5).wider(3, 1).share
        (0.36, 1.0)
        """
        return Stretches(min(round(self.share * MARGIN * wanted / max(found, 1), 6), 1.0), self.seed)

    def told(self) -> list[str]:
        """What is to be said of it."""
        how = f"in stretches of {STRETCH}, drawn by the seed: data.limit and data.fraction want no more"
        return [f"train: {self.share:.2%} of the paragraphs are tokenised, {how}"] if self.share < 1 else []


ALL = Stretches()


def enough(files: Iterable[Path], length: int, limit: int | None, fraction: float, seed: int) -> Stretches:
    """The part of files that holds so many blocks of so many tokens, or such a fraction of all; all of a small text."""
    size = sum(file.stat().st_size * (UNPACKED if file.suffix == ".gz" else 1) for file in files)
    wanted = size * fraction if limit is None else min(size * fraction, limit * length * BYTES_PER_TOKEN)
    share = max(wanted, SMALL) / max(size, 1)
    return Stretches(share, seed) if share < 1 else ALL
