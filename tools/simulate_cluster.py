"""What an attack by many workers would take, played through: ``tools/simulate_cluster.py --texts 1e8 --workers 1000``.

Who does what next is decided by the crew's own ``SharedWork``; what is played is time. Workers start, are sent a piece,
work on it, ask for the next; some are slow, some are lost, and what these had not given back is asked again. The driver
is one processor: what it does before the first piece, pieces that it writes, records that it reads and logs stand in
one queue. Numbers are those that ``bench/scale.py`` measures, unless told. Nothing here is a measurement.
"""

import argparse
import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from math import ceil, inf
from typing import Any

import numpy as np

from unfooled.workers.crew import SharedWork
from unfooled.workers.piece import UnitGroup

MOST_GROUPS = 2_000_000  # that are played one by one; with more texts than that a group stands for several
HELP = {
    "texts": "how many texts are attacked",
    "workers": "how many workers there are",
    "seconds": "processor seconds that a text takes a worker",
    "spread": "standard deviation of these over their mean",
    "stragglers": "share of workers that are slow",
    "slowness": "how many times longer slow ones take",
    "loss_hours": "hours after which a worker is lost, on average; inf for never",
    "start": "seconds until a worker has opened the model",
    "before": "seconds a text that the driver takes alone before the first piece: reading, hashing, calibration",
    "piece": "seconds a text that the driver takes to write it into a piece",
    "record": "seconds a record that the driver takes to read, check and log it",
    "text_bytes": "bytes of a text in a piece",
    "record_bytes": "bytes of a record, on the wire and in the log",
    "told_bytes": "bytes of what a worker is told once",
    "network": "bytes a second that the driver can send or receive",
    "driver_bytes": "bytes that the driver has before it reads a text",
    "driver_text_bytes": "bytes a text that the driver keeps",
    "driver_worker_bytes": "bytes a worker that the driver keeps",
    "seed": "of all that is drawn",
}


@dataclass(frozen=True)
class Cluster:
    """A cluster and a job in numbers; ``HELP`` says what each is."""

    texts: int = 100_000
    workers: int = 10
    seconds: float = 0.32
    spread: float = 1.0
    stragglers: float = 0.02
    slowness: float = 3.0
    loss_hours: float = 1000.0
    start: float = 7.0
    before: float = 0.0093
    piece: float = 5.6e-6
    record: float = 1.05e-4
    text_bytes: float = 168.0
    record_bytes: float = 420.0
    told_bytes: float = 1600.0
    network: float = 1e9
    driver_bytes: float = 5.4e8
    driver_text_bytes: float = 4350.0
    driver_worker_bytes: float = 2e5
    seed: int = 0


@dataclass(frozen=True)
class Outcome:
    """What came of it; ``behind`` is the share of time in which the driver had more than a second of work waiting."""

    makespan: float
    efficiency: float
    before: float
    driver_busy: float
    behind: float
    traffic: float
    memory: float
    pieces: int
    lost: int
    asked_again: int
    records: int


@dataclass(eq=False)
class Worker:
    """A worker: how slow it is, when it will be lost, and the piece it has."""

    slow: float
    lost_at: float
    piece: Sequence[UnitGroup] = ()
    since: float = 0.0
    until: float = 0.0


@dataclass
class Queue:
    """The driver as one processor: work in seconds that waits, and how long there was any or too much."""

    waiting: float = 0.0
    rate: float = 0.0  # seconds of work that arrive in a second
    now: float = 0.0
    busy: float = 0.0
    behind: float = 0.0
    most: float = 0.0

    def until(self, moment: float) -> None:
        """Let time pass."""
        while self.now < moment:
            net = self.rate - 1.0
            ends = self.now + self.waiting / -net if net < 0 and self.waiting > 0 else inf
            second = self.now + (self.waiting - 1.0) / -net if net < 0 and self.waiting > 1.0 else inf
            after = min(moment, ends, second)
            passed = max(after - self.now, 1e-12 * max(after, 1.0))
            full = self.waiting > 0 or net >= 0
            self.busy += passed * (1.0 if full else self.rate)
            self.behind += passed * (self.waiting > 1.0 + 1e-9 or (self.waiting > 1e-9 and net > 1e-12))
            self.waiting = max(self.waiting + passed * net, 0.0) if full else 0.0
            self.waiting = 0.0 if self.waiting < 1e-9 else self.waiting
            self.most = max(self.most, self.waiting)
            self.now += passed


@dataclass
class Play:
    """A job under way: the crew's own book of who has what, and a calendar of what happens when."""

    cluster: Cluster
    grain: int
    shared: SharedWork
    random: np.random.Generator
    driver: Queue = field(default_factory=Queue)
    calendar: list[tuple[float, int, str, Worker]] = field(default_factory=list)
    written: float = 0.0  # the moment at which the last piece so far is written
    ended: float = 0.0
    sent: int = 0
    numbers: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("pieces", "lost", "again", "records"), 0))
    count: int = 0

    def note(self, moment: float, what: str, worker: Worker) -> None:
        """Something will happen."""
        self.count += 1
        heapq.heappush(self.calendar, (moment, self.count, what, worker))

    def hire(self, moment: float) -> None:
        """A worker begins to open the model."""
        of = self.cluster
        slow = of.slowness if self.random.random() < of.stragglers else 1.0
        lives = self.random.exponential(of.loss_hours * 3600) if of.loss_hours < inf else inf
        self.note(moment + of.start * slow, "asks", Worker(slow, moment + lives))

    def asks(self, moment: float, worker: Worker) -> None:
        """A worker takes a piece, if there is any; the driver writes it, one after the other, and sends it."""
        worker.piece = self.shared.take(worker)  # type: ignore[arg-type]  # it is only a name there
        if not worker.piece:
            return
        of, texts = self.cluster, sum(len(group.whole) for group in worker.piece)
        self.numbers["pieces"] += 1
        self.sent += texts
        self.driver.waiting += texts * of.piece
        self.written = max(self.written, moment) + texts * of.piece
        worker.since = self.written + texts * of.text_bytes / of.network
        worker.until = worker.since + self.drawn(len(worker.piece)) * worker.slow
        self.driver.rate += self.flow(worker)
        self.note(min(worker.until, max(worker.lost_at, moment)), "ends", worker)

    def drawn(self, groups: int) -> float:
        """Seconds that so many groups take: gamma times, whose sums are gamma too."""
        of, each = self.cluster, self.cluster.seconds * self.grain
        if not of.spread:
            return groups * each
        shape = groups * self.grain / of.spread**2
        return float(self.random.gamma(shape, groups * each / shape))

    def flow(self, worker: Worker) -> float:
        """Seconds of the driver's work that the records of a worker bring in a second, while it has its piece."""
        texts = sum(len(group.whole) for group in worker.piece)
        return texts * self.cluster.record / max(worker.until - worker.since, 1e-9)

    def ends(self, moment: float, worker: Worker) -> None:
        """A piece is done, or its worker is lost: what it made until then stays."""
        self.driver.rate = max(self.driver.rate - self.flow(worker), 0.0)
        lost = worker.lost_at < worker.until
        took = max(worker.until - worker.since, 1e-9)
        share = min(max((moment - worker.since) / took, 0.0), 1.0) if lost else 1.0
        made = worker.piece[: int(share * len(worker.piece))]
        for group in made:
            del self.shared.owed[worker][group.wanted[0]]  # type: ignore[index]
        self.numbers["records"] += sum(len(group.whole) for group in made)
        self.ended = max(self.ended, moment)
        if not lost:
            self.asks(moment, worker)
            return
        self.numbers["lost"] += 1
        self.numbers["again"] += sum(len(group.whole) for group in worker.piece[len(made) :])
        if self.shared.give_back(worker):  # type: ignore[arg-type]
            self.hire(moment)


def groups_of(texts: int, grain: int) -> Iterator[UnitGroup]:
    """Texts in groups, each known by its first."""
    for start in range(0, texts, grain):
        yield UnitGroup(range(start, min(start + grain, texts)), (start,))


def played(of: Cluster) -> Outcome:
    """A job on a cluster from the first text read to the last record written."""
    grain = ceil(of.texts / MOST_GROUPS)
    shared = SharedWork(groups_of(of.texts, grain), ceil(of.texts / grain), of.workers, lambda groups: b"")
    play = Play(of, grain, shared, np.random.default_rng(of.seed))
    alone = of.texts * of.before
    for _ in range(min(of.workers, shared.left)):
        play.hire(alone)
    play.driver.now = alone
    while play.calendar:
        moment, _, what, worker = heapq.heappop(play.calendar)
        play.driver.until(moment)
        getattr(play, what)(moment, worker)
    play.driver.until(play.ended)
    play.driver.rate = 0.0
    play.driver.until(play.ended + play.driver.waiting)
    return outcome(of, play, alone)


def outcome(of: Cluster, play: Play, alone: float) -> Outcome:
    """What is told of a job that was played."""
    traffic = play.sent * of.text_bytes + of.texts * of.record_bytes + of.workers * of.told_bytes
    makespan = max(play.driver.now, alone + traffic / of.network)
    waiting = play.driver.most / of.record * of.record_bytes if of.record else 0.0
    return Outcome(
        makespan=makespan,
        efficiency=of.texts * of.seconds / of.workers / makespan,
        before=alone / makespan,
        driver_busy=(alone + play.driver.busy) / makespan,
        behind=play.driver.behind / makespan,
        traffic=traffic,
        memory=of.driver_bytes + of.texts * of.driver_text_bytes + of.workers * of.driver_worker_bytes + waiting,
        pieces=play.numbers["pieces"],
        lost=play.numbers["lost"],
        asked_again=play.numbers["again"],
        records=play.numbers["records"],
    )


def said(seconds: float) -> str:
    """Seconds as people say them."""
    for size, name in ((86400.0, "d"), (3600.0, "h"), (60.0, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {name}"
    return f"{seconds:.1f} s"


def row(of: Cluster, found: Outcome) -> str:
    """A line of the table."""
    return (
        f"| {of.texts:,} | {of.workers:,} | {said(found.makespan)} | {found.efficiency:.1%} | {found.before:.1%} "
        f"| {found.driver_busy:.1%} | {found.behind:.1%} | {found.traffic / 1e9:.2f} | {found.memory / 1e9:.2f} "
        f"| {found.lost:,} | {found.asked_again:,} |"
    )


def main() -> None:
    """Play what was asked for, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    for one in fields(Cluster):
        many = one.name in ("texts", "workers")
        kind: Any = int if one.name == "seed" else float
        name = "--" + one.name.replace("_", "-")
        parser.add_argument(name, type=kind, nargs="+" if many else None, default=one.default, help=HELP[one.name])
    given = vars(parser.parse_args())
    texts, workers = (np.atleast_1d(given.pop(name)).tolist() for name in ("texts", "workers"))
    print(
        "| texts | workers | from start to end | efficiency | driver alone, before | driver busy | driver behind "
        "| traffic, GB | driver's memory, GB | lost | texts asked again |\n" + "|---" * 11 + "|"
    )
    for some in texts:
        for many in workers:
            of = replace(Cluster(**given), texts=int(some), workers=int(many))
            print(row(of, played(of)), flush=True)


if __name__ == "__main__":
    main()
