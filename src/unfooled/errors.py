"""What goes wrong on the user's side, said in one sentence."""

import signal
from collections.abc import Iterable
from difflib import get_close_matches


class BadInput(Exception):
    """Input a person can mend: the message says what is wrong, where, and what to do.

    The command line prints the message alone and exits with code 2.
    """


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint naming the closest known spelling, or all of them where none is close.

    >>> nearest("frelb", ["finetune", "freelb"])
    'did you mean freelb?'
    >>> nearest("x", ["finetune", "freelb"])
    'known: finetune, freelb'
    >>> nearest("x", [])
    'none is known'
    """
    names = sorted(known)
    close = get_close_matches(name, names, n=1)
    return f"did you mean {close[0]}?" if close else f"known: {', '.join(names)}" if names else "none is known"


class Stopped(BaseException):
    """Long work was asked to stop by a signal; the message says how it goes on.

    No ``Exception``: what catches those takes it for a fault of a text or a victim, logs it as one, and goes on.
    """

    def __init__(self, message: str, number: int = signal.SIGINT) -> None:
        super().__init__(message)
        self.code = 128 + number  # the exit code that shells give a process which that signal ended
