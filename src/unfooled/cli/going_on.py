"""Commands that go on by themselves: called again, they take up what was finished."""

from collections.abc import Iterator
from contextlib import contextmanager

from unfooled.errors import Stopped


@contextmanager
def goes_on() -> Iterator[None]:
    """While open, a stop tells of the same command alone: it has no --resume, though a training inside it has."""
    try:
        yield
    except Stopped as stopped:
        stopped.args = ("stopped; the same command goes on from what was finished", *stopped.args[1:])
        raise
