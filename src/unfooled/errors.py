"""What goes wrong on the user's side, said in one sentence."""

import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches

_OPTIONS: ContextVar[bool] = ContextVar("options", default=False)  # whether whoever reads has a command line


class BadInput(Exception):
    """Input a person can mend: the message says what is wrong, where, and what to do.

    The command line prints the message alone and exits with code 2.
    """


class Diverged(BadInput):
    """A training whose loss is no number any more: these settings lead nowhere, and would again."""


class Taken(BadInput):
    """Another process is at it: whoever has something else to do may come back later."""


@contextmanager
def on_the_command_line() -> Iterator[None]:
    """While open, sentences name options; elsewhere they name the arguments of Python."""
    before = _OPTIONS.set(True)
    try:
        yield
    finally:
        _OPTIONS.reset(before)


def either(options: str, python: str) -> str:
    """What to give, as it is written on the command line or in Python, whichever is being spoken.

    >>> either("--resume", "resume=True")
    'resume=True'
    """
    return options if _OPTIONS.get() else python


def option(name: str, value: str = "") -> str:
    """What is called alike in both, perhaps with the value to give it.

    >>> option("text"), option("task", "span")
    ('text=', 'task="span"')
    """
    return either(f"--{name} {value}".rstrip(), f'{name}="{value}"' if value else f"{name}=")


def setting(room: str, name: str, value: str) -> str:
    """A setting of a room of the recipe.

    >>> setting("plan", "precision", "fp32")
    'plan={"precision": "fp32"}'
    """
    return either(f"--set {room}.{name}={value}", f'{room}={{"{name}": "{value}"}}')


def measuring(command: str, out: object) -> str:
    """How models are measured into a folder.

    >>> measuring("attack", "runs/pwws")
    "uf.attack(MODEL, DATA, out='runs/pwws')"
    """
    return either(f"unfooled {command} MODEL --data D --out {out}", f"uf.{command}(MODEL, DATA, out={str(out)!r})")


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
