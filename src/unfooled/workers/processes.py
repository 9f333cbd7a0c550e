"""Workers as processes of this machine, of one thread each, that are asked by pipes."""

import subprocess
from collections.abc import Iterator
from contextlib import suppress

from pydantic import JsonValue

from unfooled.interpreter import module_command, same_places
from unfooled.progress import Display
from unfooled.workers.chores import is_last
from unfooled.workers.crew import Lost, said
from unfooled.workers.memory import affordable, free_bytes, own_bytes

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class Machine:
    """This machine, on which as many processes are begun as its free memory holds, each taking ``least`` or more."""

    def __init__(self, least: int = 0) -> None:
        self.least = least

    def room(self, wanted: int) -> int:
        """How many workers the memory holds; less than two are none, for this process can do their work."""
        own, free = own_bytes(), free_bytes()
        if own is None or free is None:
            return wanted
        each = max(own, self.least)
        most = affordable(wanted, each, free)
        if most < wanted:
            able = "this process computes alone" if most < 2 else f"{most} of {wanted} workers are used"
            told = f"each takes about {each / 1e9:.1f} GB, and {free / 1e9:.1f} GB are free"
            Display("", 0).say(f"warning: there is no memory for {wanted} workers ({told}); {able}")
        return most if most > 1 or most == wanted else 0

    def hire(self) -> "WorkerProcess":
        """A process more."""
        return WorkerProcess()

    def shipped(self, assignment: bytes) -> bytes:
        """An assignment goes through the pipe as it is."""
        return assignment


class WorkerProcess:
    """A process that answers one question at a time."""

    def __init__(self) -> None:
        environment = {**same_places(), **dict.fromkeys(THREADS, "1"), "TOKENIZERS_PARALLELISM": "false"}
        self.process = subprocess.Popen(  # noqa: S603
            module_command("unfooled.workers.desk"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            process_group=0,  # a terminal's Ctrl-C is for whoever asks; one that is only starting could not ignore it
        )
        assert self.process.stdin and self.process.stdout
        self.questions, self.answers = self.process.stdin, self.process.stdout

    def begin(self, assignment: bytes) -> dict[str, JsonValue]:
        """Have it open an assignment."""
        self._say(assignment)
        return self._answer()

    def work(self, piece: bytes) -> Iterator[dict[str, JsonValue]]:
        """Have it make the records of a piece; the last answer is their end."""
        self._say(piece)
        while True:
            answer = self._answer()
            yield answer
            if "record" not in answer:
                return

    def run(self, letter: bytes) -> Iterator[dict[str, JsonValue]]:
        """Have it do a chore; the last answer says what came of it."""
        self._say(letter)
        yield {"at": 0.0}
        while True:
            answer = self._answer()
            yield answer
            if is_last(answer):
                return

    def stop(self) -> None:
        """Ask it to stop: in training at the end of the update under way, else at once."""
        self.process.terminate()

    def leave(self) -> None:
        """Wait until it has ended."""
        self.process.wait()

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.questions, self.answers):
            with suppress(OSError, ValueError):  # what was not yet sent is of no interest
                pipe.close()

    def _say(self, question: bytes) -> None:
        try:
            self.questions.write(question + b"\n")
            self.questions.flush()
        except (OSError, ValueError):
            raise self._lost() from None

    def _answer(self) -> dict[str, JsonValue]:
        try:
            line = self.answers.readline()
        except (OSError, ValueError):
            line = b""
        if not line.endswith(b"\n"):
            raise self._lost()
        return said(line)

    def _lost(self) -> Lost:
        return Lost(f"exit code {self.process.wait()}")
