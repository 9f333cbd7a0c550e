"""Bars with an ETA on a terminal, log lines elsewhere, silence in all processes but the first."""

import time
from types import TracebackType
from typing import Self

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from unfooled.terminal import console, say

QUIET_SECONDS = 30.0  # between two log lines where there is no terminal


class Display:
    """Shows how far long work has come."""

    def __init__(self, label: str, total: int, done: int = 0, show: bool = True) -> None:
        self.label, self.total, self.show = label, total, show
        self.console = console(error=True)
        self.live = show and self.console.is_terminal
        self.begun, self.begun_at, self.last_line = time.monotonic(), done, 0.0
        self.bar = Progress(
            TextColumn("{task.description}", style="bold", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", markup=False),
            console=self.console,
            disable=not self.live,
        )
        self.task = self.bar.add_task(label, total=total, completed=done, note="")

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.bar.stop()

    def at(self, done: int, note: str = "") -> None:
        """So much is done now; ``note`` is the latest number worth seeing."""
        self.bar.update(self.task, completed=done, note=note)
        now = time.monotonic()
        if self.show and not self.live and (now - self.last_line > QUIET_SECONDS or done == self.total):
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
        """A line that stays, above the bar or in the log."""
        if not self.show:
            return
        if self.live:
            self.bar.print(text, highlight=False)
        else:
            say(text, error=True)
