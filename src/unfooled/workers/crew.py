"""Workers that make the records of a job together: who does what next, and what becomes of what a lost one had.

Each worker is waited for by a thread of this process; records come together here, so that there is one writer. A piece
of work is a share of what is left, large at first and small at the end, so that nobody waits long for the last, and of
a bounded number of units, so that it takes bounded memory here and there. What a lost worker was given and did not give
back is given out again, to another one.
"""

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Protocol, Self

from pydantic import JsonValue

from unfooled.parsing import json_value
from unfooled.results.log import reader_of
from unfooled.results.planned import Planned, here
from unfooled.workers.assignment import ASSIGNMENT, assigned
from unfooled.workers.faults import raise_fault
from unfooled.workers.piece import UnitGroup, piece_of
from unfooled.workers.roll import Roll

UNITS = 2048  # after which a piece is large enough: a search engine has many batches to choose from


class Lost(Exception):
    """A worker is gone; says how that showed."""


def said(line: bytes) -> dict[str, JsonValue]:
    """A worker's answer from its line of JSON."""
    answer = json_value(line)
    assert isinstance(answer, dict), "a worker answers with names and values"
    return answer


class Hand(Protocol):
    """A worker as it is asked: each answer is a line of ``desk``; raises ``Lost`` where it is gone."""

    def begin(self, assignment: Any) -> dict[str, JsonValue]:
        """Have it open an assignment."""

    def work(self, piece: bytes) -> Iterator[dict[str, JsonValue]]:
        """Have it make the records of a piece."""

    def run(self, letter: bytes) -> Iterator[dict[str, JsonValue]]:
        """Have it do a chore; the last answer says what came of it."""

    def stop(self) -> None:
        """Ask it to stop where nothing is lost, and to end."""

    def leave(self) -> None:
        """Wait until it has ended, having been asked to."""

    def end(self) -> None:
        """End it, whatever it is doing."""


class Site(Protocol):
    """Where workers are."""

    def room(self, wanted: int) -> int:
        """How many of so many workers there is room for; what is less is said."""

    def hire(self) -> Hand:
        """A worker more."""

    def shipped(self, assignment: bytes) -> Any:
        """An assignment as workers there are given it."""


@dataclass
class SharedWork:
    """One job under way: groups that nobody has, what each worker has and did not give back, and what they tell.

    ``coming`` are groups that nobody had yet, ``untouched`` how many; ``returned`` are those of lost workers.
    """

    coming: Iterator[UnitGroup]
    untouched: int
    workers: int
    written: Callable[[Sequence[UnitGroup]], bytes]
    returned: deque[UnitGroup] = field(default_factory=deque)
    told: "SimpleQueue[tuple[Hand, str, Any]]" = field(default_factory=SimpleQueue)
    owed: dict[Hand, dict[int, UnitGroup]] = field(default_factory=dict)  # by hand: units, each with its group
    pieces: dict[Hand, set[int]] = field(default_factory=dict)  # by hand: the units of the piece it took last
    moved: set[Hand] = field(default_factory=set)  # those that have made a record of that piece
    turn: threading.Lock = field(default_factory=threading.Lock)

    @property
    def left(self) -> int:
        """How many groups nobody has."""
        return self.untouched + len(self.returned)

    @property
    def is_done(self) -> bool:
        """Whether everything was given out and has come back."""
        with self.turn:
            return not self.left and not any(self.owed.values())

    def take(self, hand: Hand) -> list[UnitGroup]:
        """A piece for a worker: half of its share of what is left, up to so many units, in whole groups."""
        with self.turn:
            some: list[UnitGroup] = []
            share, units = ceil(self.left / (2 * self.workers)), 0
            while len(some) < share and units < UNITS:
                some.append(self.following())
                units += len(some[-1].whole)
            # What was made of the piece before may still be on its way through ``told``.
            self.owed.setdefault(hand, {}).update({unit: group for group in some for unit in group.wanted})
            self.pieces[hand] = {unit for group in some for unit in group.wanted}
            self.moved.discard(hand)
            return some

    def took(self, hand: Hand, unit: int) -> None:
        """A worker has made the record of a unit."""
        with self.turn:
            del self.owed[hand][unit]  # whatever nobody owes would be there twice
            if unit in self.pieces[hand]:  # and not of the one before
                self.moved.add(hand)

    def following(self) -> UnitGroup:
        """The next group that nobody has."""
        if self.returned:
            return self.returned.popleft()
        self.untouched -= 1
        return next(self.coming)

    def give_back(self, hand: Hand) -> int:
        """Put what a lost worker still owes before all else; how many were lost at it, none of which got anywhere."""
        with self.turn:
            groups: dict[int, UnitGroup] = {}
            self.pieces.pop(hand, None)
            for unit, group in self.owed.pop(hand, {}).items():
                wanted = groups[id(group)].wanted if id(group) in groups else ()
                losses = 1 if hand in self.moved else group.losses + 1
                groups[id(group)] = UnitGroup(group.whole, (*wanted, unit), losses)
            self.returned.extendleft(groups.values())
            return max((group.losses for group in groups.values()), default=0)

    def employ(self, hand: Hand, assignment: Any) -> None:
        """What the thread of a worker does: pass on what it says until nothing is left."""
        try:
            self.told.put((hand, "answer", hand.begin(assignment)))
            while piece := self.take(hand):
                for answer in hand.work(self.written(piece)):
                    self.told.put((hand, "answer", answer))
            self.told.put((hand, "rests", None))
        except Lost as loss:
            self.told.put((hand, "lost", str(loss)))
        except BaseException as error:  # shown by the thread that waits for all
            self.told.put((hand, "failed", error))


class Crew:
    """At most so many workers of a site; made where there is work, kept for the next job, ended with the crew.

    ``hands`` are workers that are there already, whom whoever began them ends.
    """

    def __init__(self, site: Site, most: int, parts: str, hands: list[Hand] | None = None) -> None:
        self.site, self.most, self.parts = site, most, parts
        self.hands: list[Hand] = [] if hands is None else hands
        self.asked_for_room = hands is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.dismiss()

    def dismiss(self) -> None:
        """End all workers."""
        while self.hands:
            self.hands.pop().end()

    def __call__(self, job: Planned, done: Collection[int]) -> Iterator[Any]:
        """The records of a job but for those that are done, as they come."""
        if not self.asked_for_room:
            self.most, self.asked_for_room = self.site.room(self.most), True
        if self.most < 1:
            yield from here(job, done)
            return
        shared = shared_work(job, done, self.most)
        if not shared.left:
            return
        finished = False
        try:
            yield from self.records(job, shared)
            finished = True
        finally:
            if not finished:  # whoever is in the midst of a piece cannot be asked anything else
                self.dismiss()

    def records(self, job: Planned, shared: SharedWork) -> Iterator[Any]:
        """What workers make of shared work, each record once."""
        assignment = self.site.shipped(ASSIGNMENT.dump_json(assigned(job, self.parts)))
        reader = reader_of(job.trial.record)
        while len(self.hands) < min(self.most, shared.left):
            self.hands.append(self.site.hire())
        roll = Roll(list(self.hands))
        for hand in roll.busy:
            start(shared, hand, assignment)
        while roll.busy:
            is_done = shared.is_done
            try:
                hand, what, told = shared.told.get(timeout=roll.patience(is_done))
            except Empty:
                if roll.is_over(is_done):
                    break
                roll.nobody()
                continue
            if what == "failed":
                raise told
            if what == "answer":
                yield from received(told, shared, hand, reader, job.run.remarks)
                roll.answered(hand, "record" in told)
                continue
            roll.busy.remove(hand)
            if what == "lost":
                self.leave(hand)
                roll.lost(hand, shared.give_back(hand), told)
            resting = any(one not in roll.busy for one in self.hands)  # perhaps since before something was given back
            if shared.left and (resting or not roll.busy or (what == "lost" and roll.may_grow)):
                roll.busy.append(self.another(roll.busy))
                start(shared, roll.busy[-1], assignment)
        for hand in roll.busy:  # whoever has not come by now is not needed any more
            self.leave(hand)

    def leave(self, hand: Hand) -> None:
        """Do without a worker."""
        self.hands.remove(hand)
        hand.end()

    def another(self, busy: Sequence[Hand]) -> Hand:
        """A worker that rests already, or a new one."""
        resting = next((hand for hand in self.hands if hand not in busy), None)
        if resting is None:
            resting = self.site.hire()
            self.hands.append(resting)
        return resting


def shared_work(job: Planned, done: Collection[int], workers: int) -> SharedWork:
    """A job of which some units are done; no list grows with the others."""
    groups = job.trial.together(job.run)

    def coming() -> Iterator[UnitGroup]:
        for group in groups:
            wanted = [unit for unit in group if unit not in done] if done else group
            if wanted:
                yield UnitGroup(group, wanted)

    untouched = sum(1 for _ in coming()) if done else len(groups)
    return SharedWork(coming(), untouched, workers, partial(piece_of, job))


def start(shared: SharedWork, hand: Hand, assignment: Any) -> None:
    """Have a thread wait for a worker."""
    threading.Thread(target=shared.employ, args=(hand, assignment), daemon=True).start()


def received(answer: dict[str, Any], shared: SharedWork, hand: Hand, reader: Any, remarks: list[str]) -> Iterator[Any]:
    """The record that a worker's answer holds, if it is one; what went wrong is raised here."""
    raise_fault(answer)
    remarks += [remark for remark in answer.get("end", ()) if remark not in remarks]
    if "record" in answer:
        record = reader.validate_python(answer["record"])
        shared.took(hand, record.index)
        yield record
