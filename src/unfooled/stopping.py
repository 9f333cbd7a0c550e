"""Ctrl-C and SIGTERM: a command ends within a second, training at the end of the update under way; both go on later.

A signal's handler runs between two steps of Python, so whoever is inside one call of torch stops when that returns.
"""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import FrameType

from unfooled.errors import Stopped

SIGNALS = (signal.SIGINT, signal.SIGTERM)
GOES_ON = "stopped; the same command goes on from what was finished (train: with --resume)"
PATIENT = "\nstopping at the end of the update under way; a second signal stops at once\n"
_TOLD_BY_ANOTHER: ContextVar[bool] = ContextVar("told_by_another", default=False)
INSISTED = 0.2  # seconds after which a stop that something swallowed is raised again


@contextmanager
def stoppable() -> Iterator[None]:
    """While open, Ctrl-C and SIGTERM raise ``Stopped`` wherever the work is.

    Python swallows what is raised while it takes an object away, and libraries have ``except:``; so it is raised again
    until it arrives. Where it is on its way already, what is being cleared up is left in peace.
    """
    clock = getattr(signal, "SIGALRM", None)
    asked: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        if clock is not None:
            signal.setitimer(signal.ITIMER_REAL, INSISTED, INSISTED)
        raise Stopped(GOES_ON, number)

    def insist(number: int, frame: FrameType | None) -> None:
        if not under_way(sys.exception()):
            raise Stopped(GOES_ON, asked[0])

    answers = {**dict.fromkeys(SIGNALS, stop), **({} if clock is None else {clock: insist})}
    before = {number: signal.signal(number, answer) for number, answer in answers.items()}
    try:
        with swallowed_in_silence():
            yield
    except Exception as error:
        if asked:  # Python and libraries make other errors of a stop, as of one in the midst of an import
            raise Stopped(GOES_ON, asked[0]) from error
        raise
    finally:
        if clock is not None:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def swallowed_in_silence() -> Iterator[None]:
    """While open, Python shows no traceback of a stop that it swallows; of anything else it does as before."""
    before = sys.unraisablehook
    sys.unraisablehook = lambda told: None if isinstance(told.exc_value, Stopped) else before(told)
    try:
        yield
    finally:
        sys.unraisablehook = before


def under_way(error: BaseException | None) -> bool:
    """Whether what is being handled is a stop, or came up while one was."""
    while error is not None and not isinstance(error, Stopped):
        error = error.__context__
    return error is not None


class StopAsked:
    """Whether a signal has asked for a stop, which is not yet made."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._now = False
        self._in_peace = False
        self._insisted = False

    def __bool__(self) -> bool:
        return self.number is not None

    def ask(self, number: int, frame: FrameType | None = None) -> None:
        """What a signal does: the first asks, a second one, or one that need not wait, stops at once."""
        again, self.number = bool(self), number
        if again or self._now:
            self._insisted = True
            if not self._in_peace:
                raise Stopped(GOES_ON, number)
            return
        if os.environ.get("RANK", "0") == "0" and not _TOLD_BY_ANOTHER.get():
            with suppress(OSError):  # not by print, in the midst of which the signal may have come
                os.write(2, PATIENT.encode())

    @contextmanager
    def in_peace(self) -> Iterator[None]:
        """While open, not even a second signal stops; it is heard at the end: for what may not be left half done."""
        self._in_peace = True
        try:
            yield
        finally:
            self._in_peace = False
        if self._insisted and self.number is not None:
            raise Stopped(GOES_ON, self.number)

    @contextmanager
    def at_once(self, when: bool = True) -> Iterator[None]:
        """While open, nobody waits for the end of an update; a stop that was asked for before is made."""
        self._now = when
        try:
            if when and self.number is not None:
                raise Stopped(GOES_ON, self.number)
            yield
        finally:
            self._now = False


@contextmanager
def told_by_another() -> Iterator[None]:
    """While open, who is asked to stop says nothing of it: the process that asks has."""
    before = _TOLD_BY_ANOTHER.set(True)
    try:
        yield
    finally:
        _TOLD_BY_ANOTHER.reset(before)


@contextmanager
def asked_to_stop() -> Iterator[StopAsked]:
    """While open, Ctrl-C and SIGTERM ask for a stop at the next step; a second one stops at once."""
    asked = StopAsked()
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return
    before = {number: signal.signal(number, asked.ask) for number in SIGNALS}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def left_to_the_system(when: bool = True) -> Iterator[None]:
    """While open, a signal ends this process by the system's own hand: for waiting below Python, which hears none."""
    if not when or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.SIG_DFL) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def goes_on() -> Iterator[None]:
    """While open, a stop tells of the same command alone: it has no --resume, though a training inside it has."""
    try:
        yield
    except Stopped as stopped:
        stopped.args = ("stopped; the same command goes on from what was finished", *stopped.args[1:])
        raise
