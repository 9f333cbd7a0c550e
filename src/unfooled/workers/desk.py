"""What a worker does: it opens what it is assigned and makes the records of the units it is given.

As a process it reads lines of JSON and writes some: an assignment is answered by ``ready``, a piece of work by its
records and an ``end``, a chore by what is said of it. It ends when whoever asks ends, however that ends; Ctrl-C is
theirs to hear.
"""

import json
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from queue import SimpleQueue
from typing import IO

from pydantic import JsonValue

from unfooled import journal
from unfooled.device import on_device
from unfooled.errors import Stopped, on_the_command_line
from unfooled.parsing import json_value
from unfooled.progress import quietly
from unfooled.table import at
from unfooled.trials.trial import MakeParts, Trial, TrialRun, remembering
from unfooled.victims.victim import Victim
from unfooled.workers.assignment import ASSIGNMENT, Assignment, opened
from unfooled.workers.chores import is_letter, run_chore
from unfooled.workers.faults import plain_fault
from unfooled.workers.piece import PIECE, WorkPiece, is_piece, records_of


class Desk:
    """A worker's state: the model that is open, the parts of attacks that were made, the trial under way."""

    def __init__(self) -> None:
        self.model: tuple[str, str | None] | None = None
        self.victim: Victim | None = None
        self.makers: dict[str, MakeParts] = {}
        self.trial: Trial | None = None
        self.run: TrialRun | None = None

    def begin(self, assignment: bytes) -> None:
        """Open what is assigned; a model that is open already stays so."""
        told = ASSIGNMENT.validate_json(assignment)
        with quietly(), on_device(told.device), on_the_command_line() if told.options else nullcontext():
            same = self.model == (told.model, told.device)
            self.trial, self.run = opened(told, self.victim if same else None, self.maker(told))
        self.model, self.victim = (told.model, told.device), self.run.victim

    def maker(self, told: Assignment) -> MakeParts:
        """What makes the parts of attacks, each once."""
        if told.parts not in self.makers:
            self.makers[told.parts] = remembering(at(told.parts))
        return self.makers[told.parts]

    def work(self, piece: WorkPiece) -> Iterator[dict[str, JsonValue]]:
        """The records of a piece, then what is to be said of them."""
        assert self.trial is not None and self.run is not None, "an assignment comes first"
        self.run.remarks.clear()
        with quietly():
            for record in records_of(piece, self.trial, self.run):
                yield {"record": json_value(journal.line(record))}
        yield {"end": list(self.run.remarks)}


def answers(desk: Desk, question: bytes) -> Iterator[dict[str, JsonValue]]:
    """What is said to a question: a piece of work, or else an assignment."""
    try:
        if is_piece(question):
            yield from desk.work(PIECE.validate_json(question))
        else:
            desk.begin(question)
            yield {"ready": True}
    except Exception as error:  # whoever asks raises it
        yield plain_fault(error)


def one_thread() -> None:
    """Compute in one thread: there are as many workers as processors."""
    import torch

    torch.set_num_threads(1)


def main() -> None:
    """Answer questions until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    says = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no answer
    questions: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=listen, args=(sys.stdin.buffer, questions), daemon=True).start()
    one_thread()
    desk = Desk()

    def say(answer: dict[str, JsonValue]) -> None:
        says.write(json.dumps(answer).encode() + b"\n")
        says.flush()

    while True:
        question = questions.get()
        try:
            if is_letter(question):
                run_chore(question, say)
            else:
                for answer in answers(desk, question):
                    say(answer)
        except Stopped as stopped:  # whoever asks has asked for it
            os._exit(stopped.code)


def listen(file: IO[bytes], questions: "SimpleQueue[bytes]") -> None:
    """Pass questions on; whoever asks being gone, end at once."""
    for line in file:
        questions.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
