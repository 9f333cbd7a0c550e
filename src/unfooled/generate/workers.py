"""Worker processes that make lines of versions; results come in the order of the questions.

A worker reads its questions from a pipe, so it ends when whoever asks ends, however that ends.
"""

import json
import subprocess
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from typing import TypeVar

from unfooled.errors import BadInput, option
from unfooled.generate.lines import lines
from unfooled.interpreter import module_command, same_places
from unfooled.text.versions import VersionSettings

Rows = Sequence[tuple[int, str]]
Made = tuple[bytes, Counter[str]]
Mark = TypeVar("Mark")


def made_in_order(
    batches: Iterable[tuple[Mark, Rows]], settings: VersionSettings, seed: int, workers: int, form: str = "versions"
) -> Iterator[tuple[Mark, Made]]:
    """The lines of each batch with its mark, in order; with one worker in this process."""
    if workers == 1:
        for mark, rows in batches:
            _, made, counts = lines(rows, settings, seed, form)
            yield mark, ("".join(f"{line}\n" for line in made).encode(), counts)
        return
    pool = [Worker(settings, seed, form) for _ in range(workers)]
    idle: SimpleQueue[Worker] = SimpleQueue()
    for worker in pool:
        idle.put(worker)

    def ask(rows: Rows) -> Made:
        worker = idle.get()
        try:
            return worker.ask(rows)
        finally:
            idle.put(worker)

    threads = ThreadPoolExecutor(workers)  # each waits for one process
    waiting: deque[tuple[Mark, Future[Made]]] = deque()
    try:
        for mark, rows in batches:
            waiting.append((mark, threads.submit(ask, rows)))
            if len(waiting) > 2 * workers:  # enough for nobody to wait, and no more in memory
                first, future = waiting.popleft()
                yield first, future.result()
        while waiting:
            first, future = waiting.popleft()
            yield first, future.result()
    finally:
        for worker in pool:
            worker.end()
        threads.shutdown(cancel_futures=True)


class Worker:
    """A process that answers one batch at a time."""

    def __init__(self, settings: VersionSettings, seed: int, form: str = "versions") -> None:
        self.process = subprocess.Popen(  # noqa: S603
            module_command("unfooled.generate.lines"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=same_places(),
        )
        assert self.process.stdin and self.process.stdout
        self.questions, self.answers = self.process.stdin, self.process.stdout
        self._say({"settings": settings.model_dump(mode="json"), "seed": seed, "form": form})

    def ask(self, rows: Rows) -> Made:
        """The lines of some rows, and their counts."""
        self._say(rows)
        head = self.answers.readline()
        if head.endswith(b"\n"):
            facts = json.loads(head)
            body = self.answers.read(facts["bytes"])
            if len(body) == facts["bytes"]:
                return body, Counter(facts["counts"])
        raise self._gone()

    def end(self) -> None:
        """End the process, whatever it is doing."""
        self.process.kill()
        self.process.wait()
        self.answers.close()
        with suppress(OSError):  # what was not yet sent is of no interest
            self.questions.close()

    def _say(self, question: object) -> None:
        try:
            self.questions.write(json.dumps(question).encode() + b"\n")
            self.questions.flush()
        except OSError:
            raise self._gone() from None

    def _gone(self) -> BadInput:
        return BadInput(
            f"a worker process has ended (exit code {self.process.wait()}), perhaps for want of memory; what was "
            f"finished is kept, and the same command, with fewer {option('workers')} if need be, goes on"
        )
