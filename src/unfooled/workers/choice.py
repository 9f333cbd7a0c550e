"""Who computes, from what a person said: this process, several of this machine, or a Ray cluster."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from unfooled.errors import BadInput, option
from unfooled.results.planned import Compute, here
from unfooled.victims.victim import Victim
from unfooled.workers.assignment import refuse_in_hand
from unfooled.workers.crew import Crew
from unfooled.workers.processes import Machine


@contextmanager
def computing(workers: int | None, ray: str | None, victims: Sequence[Victim], parts: str) -> Iterator[Compute]:
    """What makes records while this is open; ``parts`` is where the function stands that makes attacks' parts."""
    if workers is not None and workers < 1:
        raise BadInput(f"{option('workers')} {workers}: nobody would compute; give at least 1")
    if ray is None and workers in (None, 1):
        yield here
        return
    refuse_in_hand(victims)
    if ray is None:
        assert workers is not None
        with Crew(Machine(), workers, parts) as crew:
            yield crew
        return
    from unfooled.workers.cluster import cluster

    with cluster(ray, workers) as site, Crew(site, workers or max(site.processors, 1), parts) as crew:
        yield crew
