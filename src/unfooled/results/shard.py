"""One of n parts of an evaluation, for machines that share nothing but files: ``2/8`` is the second of eight.

A part is every n-th of the groups of units that a trial computes together, so that parts compute what the whole does
and take about equally long. What is fitted to all units (an attack's temperature) each part fits to all of them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from unfooled.errors import BadInput, either, option
from unfooled.results.planned import Planned
from unfooled.trials.places import Places


@dataclass(frozen=True)
class Share:
    """The part of this number, from 1, of so many."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def own(self, groups: Sequence[Sequence[int]]) -> Iterator[int]:
        """The units of this part.

        >>> sorted(Share(2, 2).own([[0, 4], [1], [2], [3]]))
        [1, 3]
        """
        return (unit for group in groups[self.number - 1 :: self.of] for unit in group)

    def job(self, job: Planned) -> Planned:
        """The part of a job, whose header says so."""
        own = Places(job.header.examples, self.own(job.trial.together(job.run)))
        known = sha256(own.bits).hexdigest()[:16]
        header = replace(job.header, shard=str(self), shard_examples=len(own), shard_hash=known)
        return replace(job, header=header, own=own)


def share_of(text: str | None) -> Share | None:
    """The part that ``2/8`` stands for; None where nothing was said.

    >>> share_of("2/8"), share_of(None)
    (Share(number=2, of=8), None)
    """
    if text is None:
        return None
    match = re.fullmatch(r"\s*(\d{1,9})\s*/\s*(\d{1,9})\s*", text) if isinstance(text, str) else None
    if match is None:
        like = either("2/8", '"2/8"')
        raise BadInput(f"{option('shard')} {text} is no part of a whole; write it as in {like}, the second of eight")
    number, of = int(match[1]), int(match[2])
    if not 1 <= number <= of:
        raise BadInput(f"{option('shard')} {text}: there is no part {number} of {of}; parts are counted from 1 to {of}")
    return Share(number, of)
