"""The task that data asks for, guessed from how it looks; said in a note, and overruled by ``--task``."""

from contextlib import suppress

from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput
from unfooled.tasks import TASKS
from unfooled.tasks.glimpse import Glimpse


def guess(settings: DataSettings) -> tuple[str, str]:
    """A task, and the reason in a few words; the table's first, for no reason, where nothing speaks for another."""
    glimpse = Glimpse(settings)
    for name, task in TASKS.items():
        with suppress(BadInput):  # what cannot be read as a task's data is not for it
            if (reason := task.guess(glimpse)) is not None:
                return name, reason
    return next(iter(TASKS)), ""
