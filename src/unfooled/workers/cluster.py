"""Workers as actors of a Ray cluster, each of which opens the model by its path; what passes between is JSON.

An actor says first what it has installed: one without this package, or with another version of what computes the
numbers, is refused by its machine. Ray itself is imported here alone, where somebody asks for it.
"""

import json
import os
import signal
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from pydantic import JsonValue

from unfooled.errors import BadInput, option
from unfooled.files import versions
from unfooled.stopping import SIGNALS
from unfooled.workers.crew import Lost, said
from unfooled.workers.processes import Machine

ALIKE = ("unfooled", "torch", "transformers", "tokenizers")  # whose versions must be the same everywhere
AUTO, LOCAL = "auto", "local"
PLACES = f"a head node as in 10.0.0.1:6379, {AUTO}, or {LOCAL}"
SECONDS = 3.0  # that a machine may take to answer at all


@contextmanager
def cluster(address: str, workers: int | None, least: int = 0) -> Iterator["Cluster"]:
    """A Ray of this machine for the time being ("local"), or the one at an address; ``least`` bytes an actor."""
    try:
        import ray
    except ImportError:
        raise BadInput(f"{option('ray')} needs Ray; run: pip install 'unfooled[ray]'") from None
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is sent anywhere
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # as later versions do it; the others warn
    os.environ.setdefault("RAY_worker_niceness", "0")  # 15 unless told: next to nothing where others compute
    how: dict[str, Any] = {"include_dashboard": False, "num_cpus": workers} if address == LOCAL else {}
    refuse_client(address)
    if ":" in address:
        refuse_silent(address)
    with own_signals():
        try:
            ray.init(address=address, configure_logging=False, log_to_driver=False, **how)
        except Exception as error:  # a version of Ray or Python that does not fit, no Ray at all, …
            raise BadInput(f"{option('ray')} {address}: {' '.join(str(error).split())[:300]}") from None
    try:
        yield Cluster(ray, address, least)
    finally:
        ray.shutdown()


def refuse_client(address: str) -> None:
    """Refuse an address of Ray Client, as ray:// begins it; Ray would import whatever module stands before the ://."""
    variable = os.environ.get("RAY_ADDRESS", "") if address == AUTO else ""  # where Ray looks first
    if "://" in (variable or address):
        told = f"RAY_ADDRESS={variable}" if variable else f"{option('ray')} {address}"
        raise BadInput(f"{told}: Ray Client cannot send records as they are made; give {PLACES}")


def refuse_silent(address: str) -> None:
    """Refuse an address at which nobody answers; Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), SECONDS).close()
    except (OSError, ValueError, OverflowError) as error:
        raise BadInput(f"{option('ray')} {address}: nobody answers there ({error}); give {PLACES}") from None


@contextmanager
def own_signals() -> Iterator[None]:
    """Keep who hears signals: Ray would put itself in the place of SIGTERM's handler."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class Cluster:
    """A cluster on which actors of one processor each are begun."""

    def __init__(self, ray: Any, address: str, least: int = 0) -> None:
        self.ray, self.address, self.least = ray, address, least
        self.kind = actor_kind(ray)

    @property
    def processors(self) -> int:
        """How many actors it has room for at once."""
        return int(self.ray.cluster_resources().get("CPU", 0))

    def room(self, wanted: int) -> int:
        """As many as the memory of this machine holds; elsewhere Ray itself finds room, and waits for it."""
        return Machine(self.least).room(wanted) if self.address == LOCAL else wanted

    def hire(self) -> "Actor":
        """An actor more."""
        return Actor(self.ray, self.kind.remote())

    def shipped(self, assignment: bytes) -> Any:
        """An assignment is put into the cluster once, however many actors are given it."""
        return [self.ray.put(assignment)]


class Actor:
    """An actor that answers one question at a time."""

    def __init__(self, ray: Any, handle: Any) -> None:
        self.ray, self.handle = ray, handle
        self.known = False

    def begin(self, assignment: Sequence[Any]) -> dict[str, JsonValue]:
        """Have it open an assignment, if it is of this version."""
        self._meet()
        return said(self._got(self.handle.begin.remote(assignment[0])))

    def work(self, piece: bytes) -> Iterator[dict[str, JsonValue]]:
        """Have it make the records of a piece, each sent as it is made."""
        for reference in self.handle.work.options(num_returns="streaming").remote(piece):
            yield said(self._got(reference))

    def run(self, letter: bytes) -> Iterator[dict[str, JsonValue]]:
        """Have it do a chore, if it is of this version; what it says comes as it is said."""
        self._meet()
        yield {"at": 0.0}
        for reference in self.handle.run.options(num_returns="streaming").remote(letter):
            yield said(self._got(reference))

    def stop(self) -> None:
        """End it at once: an actor hears no signal, and what it wrote is whole."""
        self.end()

    def leave(self) -> None:
        """It has ended."""

    def end(self) -> None:
        """End the actor, whatever it is doing."""
        with suppress(Exception):  # a cluster that is gone has ended it
            self.ray.kill(self.handle)

    def _meet(self) -> None:
        if not self.known:
            refuse_other_version(self._got(self.handle.about.remote()))
            self.known = True

    def _got(self, reference: Any) -> Any:
        try:
            return self.ray.get(reference)
        except self.ray.exceptions.RayError as error:
            raise Lost(f"{type(error).__name__} of Ray") from None


def actor_kind(ray: Any) -> Any:
    """What an actor is made of. It stands inside a function, so that Ray sends it whole to machines that lack us."""

    class WorkerActor:
        def about(self) -> dict[str, str]:
            import platform

            try:
                from unfooled.files import versions
                from unfooled.workers.desk import Desk, one_thread

                one_thread()
                self.desk = Desk()
                return {"machine": platform.node(), **versions()}
            except Exception as error:
                return {"machine": platform.node(), "missing": f"{type(error).__name__}: {error}"}

        def begin(self, assignment: bytes) -> bytes:
            from unfooled.workers.desk import answers

            return json.dumps(next(answers(self.desk, assignment))).encode()

        def work(self, piece: bytes) -> Iterator[bytes]:
            from unfooled.workers.desk import answers

            for answer in answers(self.desk, piece):
                yield json.dumps(answer).encode()

        def run(self, letter: bytes) -> Iterator[bytes]:
            from unfooled.workers.chores import said_meanwhile

            for answer in said_meanwhile(letter):
                yield json.dumps(answer).encode()

    return ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(WorkerActor)


def refuse_other_version(about: Mapping[str, str]) -> None:
    """Refuse a machine without this package, or with another version of what computes the numbers."""
    own = versions()
    if "missing" in about:
        raise BadInput(
            f"machine {about['machine']} of the Ray cluster cannot import unfooled ({about['missing']}); install "
            f"unfooled {own['unfooled']} on all of them"
        )
    odd = next((name for name in ALIKE if about.get(name) != own[name]), None)
    if odd is not None:
        raise BadInput(
            f"machine {about['machine']} of the Ray cluster has {odd} {about.get(odd)}, and this one {own[odd]}; "
            "install the same everywhere"
        )
