"""Several workers do chores, of which there are more as long as somebody knows one; other fleets may share them.

Whoever does a chore holds a lock, so that no two do the same: one that is held elsewhere is passed over and returned
to. What a lost worker was at is given to another one, which goes on where its files say. Who stops has all stop.
"""

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from unfooled.errors import Taken, either
from unfooled.progress import Display, Whole
from unfooled.workers.chores import Chore
from unfooled.workers.crew import Hand, Lost, Site
from unfooled.workers.faults import raise_fault
from unfooled.workers.roll import refuse_more

SECONDS = 0.5  # between two looks at what others are at
GRACE = 1.0  # seconds that others have to end where nobody wants to wait: a killed command's workers need a moment
SHOWN = 3  # chores under way that a bar names


class Chores(Protocol):
    """What there is to do, as it turns out."""

    @property
    def total(self) -> int:
        """How many chores there are in all."""

    @property
    def done(self) -> int:
        """How many of them are done."""

    def take(self) -> Chore | None:
        """A chore that nobody is at, which is ours from now on; None where there is none at the moment."""

    def give_back(self, chore: Chore) -> None:
        """It was not done: somebody else is at it, or whoever was at it is lost."""

    def finish(self, chore: Chore, answer: Any) -> None:
        """It was done, and this came of it."""

    def elsewhere(self) -> str:
        """What other processes are at and nobody here is, in words; empty where everything is done."""


class Patience:
    """Waits for what others are at; where nobody wants to wait it is refused after a moment."""

    def __init__(self, wait: bool) -> None:
        self.wait, self.since = wait, 0.0
        self.said = False

    def pause(self, others: str) -> None:
        """Wait a little."""
        self.since = self.since or time.monotonic()
        if self.wait and not self.said:
            Display("", 0).say(f"another process is at {others}; waiting until it ends")
            self.said = True
        if not self.wait and time.monotonic() - self.since > GRACE:
            again = either("--wait", "wait=True")
            raise Taken(
                f"another process is at {others}; everything else is done. Wait until it ends ({again}), or call again "
                "then"
            )
        time.sleep(min(SECONDS, GRACE / 4))

    def renew(self) -> None:
        """There was something to do meanwhile."""
        self.since = 0.0


def one_after_another(chores: Chores, wait: bool, begin: Callable[[Chore], None] = lambda chore: None) -> None:
    """Do all chores in this process; ``begin`` is told of each."""
    patience = Patience(wait)
    while True:
        chore = chores.take()
        if chore is None:
            others = chores.elsewhere()
            if not others:
                return
            patience.pause(others)
            continue
        patience.renew()
        begin(chore)
        try:
            answer = chore.here()
        except Taken:  # by somebody who was quicker
            chores.give_back(chore)
            time.sleep(GRACE / 20)
            continue
        chores.finish(chore, answer)


@dataclass
class UnderWay:
    """A chore in a worker's hands, and how much of it is done."""

    chore: Chore
    share: float = 0.0


class Fleet:
    """At most so many workers of a site, which do chores; they are begun where there are chores, and stay."""

    def __init__(self, site: Site, most: int, hands: list[Hand]) -> None:
        self.site, self.most, self.hands = site, most, hands
        self.heard: SimpleQueue[tuple[Hand, Any]] = SimpleQueue()
        self.under_way: dict[Hand, UnderWay] = {}
        self.met: set[Hand] = set()  # those that have said anything: others may wait for room in a cluster
        self.losses: Counter[str] = Counter()  # workers that were lost at each chore and came no further than others
        self.furthest: dict[str, float] = {}  # the share of each such chore that was done
        self.looked = 0.0  # when it was last looked for chores

    def __call__(self, chores: Chores, label: str, whole: Whole, wait: bool) -> None:
        """Have all chores done, with one bar of a label over all workers."""
        finished = False
        try:
            self.work(chores, label, whole, wait)
            finished = True
        finally:
            if not finished:
                self.stop(whole)

    def work(self, chores: Chores, label: str, whole: Whole, wait: bool) -> None:
        """Give out chores and hear of them until there are no more."""
        patience = Patience(wait)
        while True:
            if not self.under_way or time.monotonic() - self.looked > SECONDS:  # to look takes a turn at a file
                self.give_out(chores)
            self.show(chores, label, whole)
            if not self.under_way:
                others = chores.elsewhere()
                if not others:
                    return
                patience.pause(others)
                continue
            patience.renew()
            try:
                hand, told = self.heard.get(timeout=SECONDS if len(self.under_way) < self.most else None)
            except Empty:  # whoever rests may find what another process has left, or what somebody never began
                self.recall(chores)
                continue
            self.hear(hand, told, chores, whole)

    def give_out(self, chores: Chores) -> None:
        """Give a chore to everybody who has none."""
        while len(self.under_way) < self.most and (chore := chores.take()) is not None:
            hand = next((hand for hand in self.hands if hand not in self.under_way), None)
            if hand is None:
                hand = self.site.hire()
                self.hands.append(hand)
            self.under_way[hand] = UnderWay(chore)
            threading.Thread(target=self.employ, args=(hand, chore.letter()), daemon=True).start()

        self.looked = time.monotonic()

    def recall(self, chores: Chores) -> None:
        """Take from whoever has not begun what somebody who rests can do."""
        resting = sum(hand not in self.under_way for hand in self.hands)
        for hand in [hand for hand in self.under_way if hand not in self.met][:resting]:
            chores.give_back(self.under_way.pop(hand).chore)
            self.hands.remove(hand)
            hand.end()
            self.looked = 0.0

    def employ(self, hand: Hand, letter: bytes) -> None:
        """What the thread of a worker does: pass on what it says."""
        try:
            for answer in hand.run(letter):
                self.heard.put((hand, answer))
        except BaseException as error:  # shown by the thread that waits for all
            self.heard.put((hand, error))

    def hear(self, hand: Hand, told: Any, chores: Chores, whole: Whole) -> None:
        """What a worker says of its chore."""
        now = self.under_way.get(hand)
        if now is None:  # it was done without
            return
        if not isinstance(told, BaseException):
            self.met.add(hand)
        if isinstance(told, Lost):
            self.looked = 0.0
            del self.under_way[hand]
            self.hands.remove(hand)
            hand.end()
            chores.give_back(now.chore)
            refuse_more(self.lost(now), str(told))
            whole.say(f"warning: a worker was lost ({told}); another one goes on with {now.chore.label}")
        elif isinstance(told, BaseException):
            raise told
        elif "at" in told:
            now.share = max(now.share, float(told["at"]))
        elif "say" in told:
            whole.say(f"{told['say']} ({now.chore.label})")
        else:
            self.looked = 0.0
            del self.under_way[hand]
            self.end_of(now.chore, told, chores)

    def lost(self, now: UnderWay) -> int:
        """How many workers were lost at a chore since one of them came further than all before."""
        name = now.chore.label
        self.losses[name] = 1 if now.share > self.furthest.get(name, 0.0) else self.losses[name] + 1
        self.furthest[name] = max(now.share, self.furthest.get(name, 0.0))
        return self.losses[name]

    def end_of(self, chore: Chore, told: dict[str, Any], chores: Chores) -> None:
        """What came of a chore."""
        raise_fault(told, chore.label)
        if "taken" in told:
            chores.give_back(chore)
            return
        chores.finish(chore, told["done"])

    def show(self, chores: Chores, label: str, whole: Whole) -> None:
        """One bar over all workers: chores that are done, and shares of those under way."""
        shares = [(now.chore.label, now.share) for now in self.under_way.values()]
        named = [f"{name} {share:.0%}" for name, share in shares[:SHOWN]] + ["…"] * (len(shares) > SHOWN)
        whole.over(label, chores.done + sum(share for _, share in shares), chores.total, " · ".join(named))

    def stop(self, whole: Whole) -> None:
        """Have all workers stop at the end of the update under way; who is interrupted meanwhile ends them at once."""
        try:
            if self.under_way and not isinstance(sys.exception(), Exception):
                whole.say("stopping at the end of the update under way; a second signal stops at once")
            for hand in self.hands:
                hand.stop()
            for hand in self.under_way:
                hand.leave()
        finally:
            while self.hands:
                self.hands.pop().end()
