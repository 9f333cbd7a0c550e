"""What goes wrong on the user's side, said in one sentence."""

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


class Stopped(Exception):
    """Long work was asked to stop, saved itself and can be resumed; the message says how."""
