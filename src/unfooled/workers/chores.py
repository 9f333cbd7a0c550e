"""Work that any process can do: what a worker is told of it, and how it is done there.

A chore is a function by its place and plain values, as a training is a recipe and a folder. What travels is JSON.
While it is done a worker tells how far it is and what there is to say, and at the end what came of it.
"""

import os
import traceback
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Any

from pydantic import JsonValue, TypeAdapter

from unfooled.device import asked_device, on_device
from unfooled.errors import BadInput, Stopped, Taken, either, on_the_command_line
from unfooled.progress import heard
from unfooled.stopping import told_by_another
from unfooled.table import at
from unfooled.workers.faults import plain_fault

Answer = dict[str, JsonValue]
BAR = "training"  # what training calls the bar that counts
BEGINS = b'{"chore":'
UNDER_WAY = ("at", "say")  # answers that others follow


@dataclass(frozen=True)
class Letter:
    """A chore as a worker is told of it: a function by its place, and in which folder and on what it is called."""

    chore: str
    values: dict[str, JsonValue]
    folder: str
    device: str | None
    options: bool  # whether sentences are for a command line


LETTER = TypeAdapter(Letter)


@dataclass(frozen=True, eq=False)
class Chore:
    """Work by its name, the place of a function and its plain values; ``here`` does the same in this process."""

    label: str
    place: str
    values: dict[str, Any]  # as JSON has them
    here: Callable[[], Any]

    def letter(self) -> bytes:
        """What a worker is told."""
        options = bool(either("options", ""))
        return LETTER.dump_json(Letter(self.place, self.values, os.getcwd(), asked_device(), options))


def is_letter(question: bytes) -> bool:
    """Whether a worker is asked to do a chore."""
    return question.startswith(BEGINS)


def run_chore(question: bytes, say: Callable[[Answer], None]) -> None:
    """Do a chore and say everything about it; a stop is left to whoever calls this."""
    told = LETTER.validate_json(question)

    def far(done: int, total: int, note: str) -> None:
        say({"at": done / total if total else 1.0})

    try:
        enter(told.folder)
        with (
            heard(BAR, far, lambda text: say({"say": text})),
            told_by_another(),
            on_device(told.device),
            on_the_command_line() if told.options else nullcontext(),
        ):
            answer = at(told.chore)(**told.values)
        say({"done": answer})
    except Taken as error:
        say({"taken": str(error)})
    except Exception as error:  # whoever asks raises it
        say(plain_fault(error))


def enter(folder: str) -> None:
    """Stand where whoever asks stands: paths are said as seen from there."""
    try:
        os.chdir(folder)
    except OSError as error:
        raise BadInput(
            f"a worker cannot enter {folder} ({error.strerror}); give every machine the same folders, by a shared disk"
        ) from None


def said_meanwhile(question: bytes) -> Iterator[Answer]:
    """What is said of a chore, as it is said: it is done in a thread of its own."""
    answers: SimpleQueue[Answer] = SimpleQueue()

    def work() -> None:
        try:
            run_chore(question, answers.put)
        except Stopped as stopped:
            answers.put({"refused": str(stopped)})
        except BaseException:  # else nobody would ever hear of it
            answers.put({"failed": traceback.format_exc()})

    Thread(target=work, daemon=True).start()
    while True:
        answer = answers.get()
        yield answer
        if is_last(answer):
            return


def is_last(answer: Answer) -> bool:
    """Whether an answer says what came of a chore."""
    return not any(name in answer for name in UNDER_WAY)
