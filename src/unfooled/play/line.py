"""One queue for all that is asked of the models: errands run one after the other, in order, and hear their place."""

import ctypes
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from threading import Condition, Event, Thread
from typing import Any

from pydantic import JsonValue

from unfooled import terminal
from unfooled.errors import BadInput
from unfooled.play.wording import say

MOST_WAITING = 100  # errands
Tell = Callable[[str, JsonValue], None]  # the name of what happened, and what is to be known of it


class Halted(BaseException):
    """Nobody waits for this errand any more; no ``except Exception`` on its way may hold it up."""


class Crowded(Exception):
    """Too many errands are waiting already."""


@dataclass(eq=False)
class Errand:
    """One piece of work for somebody who is told of it while it waits and runs."""

    work: Callable[["Errand"], JsonValue]
    tell: Tell
    halted: Event = field(default_factory=Event)

    def check(self) -> None:
        """End here where nobody waits for the rest."""
        if self.halted.is_set():
            raise Halted

    def run(self) -> None:
        """Work, and tell how it ended; whatever goes wrong is a sentence."""
        try:
            self.check()
            self.tell("done", self.work(self))
        except Halted:
            self.tell("stopped", {})
        except BadInput as error:
            self.tell("error", {"error": str(error)})
        except Exception as error:  # the page goes on; the terminal says what it was
            terminal.say(f"unfooled play: {type(error).__name__}: {error}", error=True)
            self.tell("error", {"error": say("broken")})


class WaitingLine:
    """The queue and its one worker, which opens what is played with before anything else.

    ``chores`` are done one by one whenever nobody waits. Where the opening fails nothing is ever run: ``failure`` says
    why, and ``failed`` is called.
    """

    def __init__(self, opening: Callable[[Callable[[str], None]], None], failed: Callable[[], None]) -> None:
        self.opening, self.failed = opening, failed
        self.waiting: deque[Errand] = deque()
        self.chores: deque[Callable[[], Any]] = deque()
        self.running: Errand | None = None
        self.news = ""
        self.failure: BadInput | None = None
        self.closed = False
        self.changed = Condition()
        self.thread = Thread(target=self.work, name="play", daemon=True)

    def join(self, errand: Errand) -> None:
        """Stand in the queue; the errand is told how many are before it whenever that changes."""
        with self.changed:
            if self.failure is not None:
                errand.tell("error", {"error": str(self.failure)})
                return
            if len(self.waiting) >= MOST_WAITING:
                raise Crowded
            self.waiting.append(errand)
            self.tell_place(errand, len(self.waiting) - 1)
            self.changed.notify()

    def tell_place(self, errand: Errand, before: int) -> None:
        """Tell an errand its place, and what the opening is at."""
        errand.tell("place", {"ahead": before + (self.running is not None), "news": self.news})

    def tell_places(self) -> None:
        """Tell every errand its place."""
        for before, errand in enumerate(self.waiting):
            self.tell_place(errand, before)

    def announce(self, news: str) -> None:
        """Say what the opening is at to everybody who waits."""
        with self.changed:
            self.news = news
            self.tell_places()

    def halt(self, errand: Errand) -> None:
        """Nobody waits for an errand: it leaves the queue, or ends where it next looks up."""
        with self.changed:
            errand.halted.set()
            if errand in self.waiting:
                self.waiting.remove(errand)
                self.tell_places()

    def close(self) -> None:
        """End: what runs is halted, what waits is dropped."""
        with self.changed:
            self.closed = True
            for errand in (*self.waiting, *([self.running] if self.running else [])):
                errand.halted.set()
            self.waiting.clear()
            self.changed.notify()

    def work(self) -> None:
        """What the worker does from the first to the last moment."""
        try:
            self.opening(self.announce)
        except BadInput as error:
            self.give_up(error)
            return
        except Exception as error:
            self.give_up(BadInput(f"the models could not be opened ({type(error).__name__}: {error})"))
            return
        self.announce("")
        while (errand := self.next()) is not None:
            errand.run()
            give_back()
            with self.changed:
                self.running = None

    def give_up(self, error: BadInput) -> None:
        """Nothing could be opened: everybody is told why."""
        with self.changed:
            self.failure = error
            for errand in self.waiting:
                errand.tell("error", {"error": str(error)})
            self.waiting.clear()
        self.failed()

    def next(self) -> Errand | None:
        """The next errand, waited for; chores fill the time. None at the end."""
        while True:
            with self.changed:
                if self.closed:
                    return None
                if self.waiting:
                    self.running = self.waiting.popleft()
                    self.tell_places()
                    return self.running
                chore = self.chores.popleft() if self.chores else None
                if chore is None:
                    self.changed.wait()
            if chore is not None:
                chore()


def give_back() -> None:
    """Give freed memory back to the system, where the C library can: it kept 2 GB after five minutes of attacks."""
    if (trim := trimming()) is not None:
        trim(0)


@cache
def trimming() -> Callable[[int], int] | None:
    """What gives memory back: glibc's own call; other libraries do it unasked."""
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):  # not this library, or not this system
        return None
