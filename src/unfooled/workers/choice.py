"""Who computes, from what a person said: this process, several of this machine, or a Ray cluster."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from numbers import Integral

from unfooled.errors import BadInput, option
from unfooled.progress import Whole
from unfooled.results.planned import Compute, here
from unfooled.victims.victim import Victim
from unfooled.workers.assignment import refuse_in_hand
from unfooled.workers.chores import Chore
from unfooled.workers.crew import Crew, Hand, Site
from unfooled.workers.fleet import Chores, Fleet, one_after_another
from unfooled.workers.processes import Machine


@dataclass
class Staff:
    """Workers of a site, at most so many, who stay for what comes next."""

    site: Site
    most: int
    hands: list[Hand] = field(default_factory=list)

    def dismiss(self) -> None:
        """End all of them."""
        while self.hands:
            self.hands.pop().end()


_STAFF: ContextVar[Staff | None] = ContextVar("staff", default=None)


def alone(workers: int | None, ray: str | None) -> bool:
    """Whether this process computes by itself."""
    if workers is not None and not isinstance(workers, Integral):
        raise BadInput(f"{option('workers')} {workers!r} is no whole number; give how many there are to be, as in 2")
    if ray is not None and not isinstance(ray, str):
        raise BadInput(f"{option('ray')} {ray!r} is no address; give auto, local or one as in 10.0.0.1:6379")
    if workers is not None and workers < 1:
        raise BadInput(f"{option('workers')} {workers}: nobody would compute; give at least 1")
    return ray is None and workers in (None, 1)


@contextmanager
def site_of(workers: int | None, ray: str | None, least: int = 0) -> Iterator[tuple[Site, int]]:
    """Where workers are while this is open, and how many are wanted; each takes ``least`` bytes or more."""
    if ray is None:
        yield Machine(least), workers or 1
        return
    from unfooled.workers.cluster import cluster

    with cluster(ray, workers, least) as site:
        yield site, workers or max(site.processors, 1)


@contextmanager
def staffed(workers: int | None, ray: str | None, least: int = 0) -> Iterator[Staff | None]:
    """Workers for all that is computed while this is open; None where this process is alone."""
    if alone(workers, ray):
        yield None
        return
    with site_of(workers, ray, least) as (site, wanted):
        staff = Staff(site, site.room(wanted))
        before = _STAFF.set(staff)
        try:
            yield staff
        finally:
            _STAFF.reset(before)
            staff.dismiss()


def do_all(staff: Staff | None, chores: Chores, label: str, whole: Whole | None, wait: bool) -> None:
    """Have chores done: by a staff under one label of a bar, or here, each under its own."""
    if staff is None or staff.most < 1 or whole is None:

        def begin(chore: Chore) -> None:
            if whole is not None:
                whole.begin(chore.label)

        one_after_another(chores, wait, begin)
        return
    Fleet(staff.site, staff.most, staff.hands)(chores, label, whole, wait)


@contextmanager
def computing(workers: int | None, ray: str | None, victims: Sequence[Victim], parts: str) -> Iterator[Compute]:
    """What makes records while this is open; ``parts`` is where the function stands that makes attacks' parts."""
    if alone(workers, ray):
        yield here
        return
    refuse_in_hand(victims)
    staff = _STAFF.get()
    if staff is not None:
        yield Crew(staff.site, staff.most, parts, staff.hands)
        return
    with site_of(workers, ray) as (site, wanted), Crew(site, wanted, parts) as crew:
        yield crew
