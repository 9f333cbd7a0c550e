"""Who of a crew is at work, who has answered, and who was lost: when to go on, and when it is no accident any more."""

from dataclasses import dataclass, field
from typing import Any

from unfooled.errors import BadInput, option
from unfooled.progress import Display

LOSSES = 3  # workers that are lost at the same work, none of which made a record of it: that is no accident
PATIENCE = 30.0  # seconds for whoever has not begun, or is not needed any more: a cluster may never have room for it


@dataclass
class Roll:
    """The workers of one job; others than those that have answered may wait for room in a cluster, or never begin."""

    busy: list[Any]
    ready: set[Any] = field(default_factory=set)
    stillborn: int = 0  # lost before they answered
    idle: int = 0  # lost with nothing in their hands, since the last record
    waited: bool = False  # whether it was said that nobody has begun

    def patience(self, is_done: bool) -> float | None:
        """Seconds to wait for a word: while nobody has begun, and when all is done that those who have could do."""
        unbegun = not self.ready and not self.waited
        return PATIENCE if unbegun or self.is_over(is_done) else None

    def is_over(self, is_done: bool) -> bool:
        """Whether everything is done, and whoever is left has not begun."""
        return is_done and self.ready.isdisjoint(self.busy)

    def nobody(self) -> None:
        """No worker has begun within the time: that is said, once."""
        self.waited = True
        Display("", 0).say(f"warning: no worker has begun within {PATIENCE:g} s; there may be no room for one")

    def answered(self, hand: Any, with_record: bool) -> None:
        """A worker has said something."""
        self.ready.add(hand)
        self.idle = 0 if with_record else self.idle

    def lost(self, hand: Any, owing: int, reason: str) -> None:
        """A worker that is no longer busy is lost; ``owing``: so many were, at what it had in hand."""
        self.idle += not owing and (hand in self.ready or not self.busy)
        self.stillborn += hand not in self.ready
        refuse_more(max(owing, self.idle), reason)
        if self.stillborn == LOSSES and hand not in self.ready:
            Display("", 0).say(f"warning: {LOSSES} workers ended before they began ({reason}); the others go on")

    @property
    def may_grow(self) -> bool:
        """Whether somebody takes the place of whoever is lost."""
        return self.stillborn < LOSSES


def refuse_more(losses: int, reason: str) -> None:
    """Give up where one worker after the other is lost at the same work."""
    if losses >= LOSSES:
        raise BadInput(
            f"{losses} workers have ended at the same work without an answer ({reason}), perhaps for want of memory; "
            f"what was finished is kept, and the same command, with fewer {option('workers')} if need be, goes on"
        )
