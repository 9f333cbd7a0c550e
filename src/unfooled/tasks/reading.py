"""Data read before torch is loaded, so that a slip in a file is told at once; training takes it over as it is."""

from dataclasses import dataclass
from typing import Any

from unfooled.data.sources import DataSettings
from unfooled.tasks import TASKS
from unfooled.tasks.guess import guess


@dataclass(frozen=True)
class ReadData:
    """Data as a task reads it; ``reason`` says why the task was guessed, where something spoke for it."""

    task: str
    reason: str
    data: Any


def read_data(settings: DataSettings, task: str | None, seed: int) -> ReadData:
    """Data as the task named reads it, or else as the task that the data looks made for."""
    name, reason = guess(settings) if task is None else (task, "")
    return ReadData(name, reason, TASKS.find(name).reads(settings, seed))
