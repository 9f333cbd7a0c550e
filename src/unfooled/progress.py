"""Bars with an ETA on a terminal, log lines elsewhere, silence in all processes but the first or where it is asked for.

``Display`` is of one piece of work, ``Whole`` of several after one another: one bar, which says what is running and
when all of it will be done. A display that is opened inside a whole is a part of it.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from unfooled.terminal import console, say

QUIET_SECONDS = 30.0  # between two log lines where there is no terminal
TELLING_SECONDS = 0.2  # between two words of a worker on how far it is
_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)
_WHOLE: "ContextVar[Whole | None]" = ContextVar("whole", default=None)


@contextmanager
def quietly(when: bool = True) -> Iterator[None]:
    """While open, nothing is shown but warnings."""
    before = _QUIET.set(when or _QUIET.get())
    try:
        yield
    finally:
        _QUIET.reset(before)


class Shown:
    """A bar on a terminal, and lines that stay."""

    def __init__(self, show: bool, *columns: ProgressColumn) -> None:
        self.console = console(error=True)
        self.show, self.quiet = show, _QUIET.get()
        self.live = show and self.console.is_terminal and not self.quiet
        self.bar = Progress(*columns, console=self.console, disable=not self.live)

    def __enter__(self) -> Self:
        if self.live:
            self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live:  # rich before 14.2 ends a bar that nobody saw with an empty line
            self.bar.stop()

    @property
    def logs(self) -> bool:
        """Whether lines take the place of a bar."""
        return self.show and not self.live and not self.quiet

    def say(self, text: str) -> None:
        """A line that stays, above the bar or in the log; where all is quiet, a warning alone."""
        if not self.show or (self.quiet and not text.lower().startswith("warning")):
            return
        if self.live:
            self.bar.print(text.replace("\n", "⟨U+000A⟩"), highlight=False)
        else:
            say(text, error=True)


class Display(Shown):
    """Shows how far long work has come."""

    def __init__(self, label: str, total: int, done: int = 0, show: bool = True) -> None:
        self.whole = _WHOLE.get() if show else None
        super().__init__(
            show and self.whole is None,
            TextColumn("{task.description}", style="bold", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", markup=False),
        )
        self.label, self.total = label, total
        self.begun, self.begun_at, self.last_line = time.monotonic(), done, 0.0
        self.task = self.bar.add_task(label, total=total, completed=done, note="")
        if self.whole is not None and total:
            self.whole.inside(label, done, total)

    def at(self, done: int, note: str = "") -> None:
        """So much is done now; ``note`` is the latest number worth seeing."""
        if self.whole is not None:
            self.whole.inside(self.label, done, self.total, note)
        self.bar.update(self.task, completed=done, note=note)
        now = time.monotonic()
        if self.logs and (now - self.last_line > QUIET_SECONDS or done == self.total):
            self.last_line = now
            rate = (done - self.begun_at) / max(now - self.begun, 1e-9)
            left = f", about {(self.total - done) / rate:.0f} s left" if rate > 0 else ""
            self.say(f"{self.label}: {done}/{self.total}{left} {note}".rstrip())

    def over(self, label: str, done: int, total: int, note: str = "") -> None:
        """So much of a named part is done; a new name starts a new count."""
        if label != self.label:
            self.begun, self.begun_at, self.last_line = time.monotonic(), done, 0.0
            self.bar.reset(self.task, description=label, total=total, completed=done)
        self.label, self.total = label, total
        self.at(done, note)

    def say(self, text: str) -> None:
        """A line that stays, said by the whole where this is a part of one."""
        if self.whole is not None:
            self.whole.say(text)
        else:
            super().say(text)


@dataclass(frozen=True)
class Part:
    """A part of the work by its name; parts of one kind are expected to take equally long, several pieces so often."""

    label: str
    kind: str
    pieces: int = 1


class Whole(Shown):
    """One bar over several pieces of work, told beforehand."""

    def __init__(self, show: bool = True) -> None:
        super().__init__(
            show,
            TextColumn("{task.description}", style="bold", markup=False),
            BarColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[left]}", markup=False),
            TextColumn("{task.fields[note]}", markup=False),
        )
        self.parts: list[Part] = []
        self.place, self.done, self.last_line = 0, 0.0, 0.0
        self.begun: float = time.monotonic()
        self.begun_at: float | None = None  # how much of the part under way was done when it was first told of
        self.seconds: dict[str, list[float]] = {}  # that whole parts of a kind have taken
        self.task = self.bar.add_task("", total=1, note="", left="")

    def foretell(self, parts: Sequence[Part]) -> None:
        """Say what is to come: all of it, or what the part under way consists of."""
        self.parts[self.place : self.place + 1] = parts
        self._enter(self.place)

    def begin(self, label: str) -> None:
        """The part of this name is under way; parts that were passed over had been done before."""
        places = [place for place, part in enumerate(self.parts) if part.label == label]
        later = [place for place in places if place >= self.place]
        if later and later[0] != self.place:
            self._leave()
            self._enter(later[0])
        elif places and not later:  # it was passed over and is begun after all, as what another process left
            self._leave()
            self.parts.insert(self.place, self.parts.pop(places[0]))
            self._enter(self.place)

    def over(self, label: str, done: float, total: int, note: str = "") -> None:
        """So much of a part is done."""
        if self.parts and self.parts[min(self.place, len(self.parts) - 1)].label != label:
            self.begin(label)
        self._at(done, total, note)

    def inside(self, label: str, done: int, total: int, note: str = "") -> None:
        """So much is done of what runs inside the part under way."""
        self._at(done, total, f"{label} {note}".rstrip())

    def left(self) -> float | None:
        """The seconds until all is done, None where nothing can be told yet.

        A kind that has not been seen is expected to take as long as those that have on average.
        """
        if not self.parts:
            return None
        part, spent = self.parts[min(self.place, len(self.parts) - 1)], time.monotonic() - self.begun
        gained = self.gained
        known = {kind: sum(times) / len(times) for kind, times in self.seconds.items()}
        if gained > 0:
            known[part.kind] = spent / gained / part.pieces
        if not known:
            return None
        usual = sum(known.values()) / len(known)
        to_come = sum(known.get(later.kind, usual) * later.pieces for later in self.parts[self.place + 1 :])
        return to_come + known.get(part.kind, usual) * part.pieces * (1 - self.done)

    @property
    def gained(self) -> float:
        """How much of the part under way was done since it was first told of."""
        return 0.0 if self.begun_at is None else self.done - self.begun_at

    def _at(self, done: float, total: int, note: str) -> None:
        share = done / total if total else 1.0
        if self.begun_at is None or share < self.done:  # the first word of a part, or of another work inside it
            self.begun, self.begun_at = time.monotonic(), share
        self.done = share
        left, counted = self.left(), f"{done:,}/{total:,}" if isinstance(done, int) else f"{done:,.1f}/{total:,}"
        told = "" if left is None else f"about {duration(left)} left"
        self.bar.update(
            self.task,
            description=f"{self._title()} {counted}",
            total=max(len(self.parts), 1),
            completed=self.place + share,
            left=told,
            note=note,
        )
        now = time.monotonic()
        if self.logs and now - self.last_line > QUIET_SECONDS:
            self.last_line = now
            self.say(f"{self._title()}: {counted}{f', {told} in all' if told else ''} {note}".rstrip())

    def _title(self) -> str:
        part = self.parts[min(self.place, len(self.parts) - 1)] if self.parts else Part("", "")
        return f"{self.place + 1} of {len(self.parts)}: {part.label}"

    def _enter(self, place: int) -> None:
        self.place, self.done, self.begun, self.begun_at = place, 0.0, time.monotonic(), None
        self.last_line = 0.0
        self.bar.update(self.task, description=self._title(), total=max(len(self.parts), 1), completed=place)

    def _leave(self) -> None:
        if self.gained > 0:
            part, spent = self.parts[self.place], time.monotonic() - self.begun
            self.seconds.setdefault(part.kind, []).append(spent / self.gained / part.pieces)


class Heard(Whole):
    """Shows nothing, and tells functions what is to be seen inside: how far a bar of some name is, and lines."""

    def __init__(self, bar: str, far: Callable[[int, int, str], None], line: Callable[[str], None]) -> None:
        super().__init__(show=False)
        self.name, self.far, self.line = bar, far, line
        self.told = 0.0

    def inside(self, label: str, done: int, total: int, note: str = "") -> None:
        """Tell of the bar of that name, not too often."""
        now = time.monotonic()
        if label == self.name and (now - self.told > TELLING_SECONDS or done == total):
            self.told = now
            self.far(done, total, note)

    def say(self, text: str) -> None:
        """Tell of a line."""
        self.line(text)


@contextmanager
def heard(bar: str, far: Callable[[int, int, str], None], line: Callable[[str], None]) -> Iterator[None]:
    """While open, nothing is shown: functions are told of it, for whoever shows what several processes do."""
    before = _WHOLE.set(Heard(bar, far, line))
    try:
        yield
    finally:
        _WHOLE.reset(before)


@contextmanager
def overall(show: bool = True) -> Iterator[Whole]:
    """One bar over what is done meanwhile; inside another one, that one."""
    outer = _WHOLE.get()
    if outer is not None:
        yield outer
        return
    with Whole(show) as whole:
        before = _WHOLE.set(whole)
        try:
            yield whole
        finally:
            _WHOLE.reset(before)


def duration(seconds: float) -> str:
    """Seconds as a person says them.

    >>> duration(42), duration(170), duration(8000)
    ('42 s', '3 min', '2.2 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
