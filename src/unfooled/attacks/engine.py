"""One scheduler for many searches: it gathers their questions, fills batches, and sends the answers back.

A search's own repeated questions are answered from its own memory, which is freed when it ends. No answer, and so no
outcome, depends on the number of examples in flight or on the batch size (but see ``yardstick``).
"""

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from pydantic import Field

from unfooled.attacks.attempt import Ask, Compare, Question, Slopes
from unfooled.attacks.likeness import likenesses
from unfooled.attacks.pool import Item, Pool
from unfooled.errors import BadInput, Stopped
from unfooled.settings import Settings
from unfooled.text.document import read
from unfooled.types import Texts
from unfooled.victims.victim import Victim, characters

LOW, HIGH = 8, 256  # batches' worth of open texts below which examples are let in, and above which answers wait
FAILURES = 5  # examples in a row that end in an error, after which the fault is not theirs


class Limits(Settings):
    """How much is under way at once, and how much an example may cost; "none" lifts a limit."""

    in_flight: int = Field(default=128, ge=1)
    batch_size: int = Field(default=64, ge=1)
    queries: int | None = Field(default=5000, ge=1)  # texts that reach the victim
    seconds: float | None = Field(default=None, gt=0)  # makes outcomes depend on the machine


@dataclass(eq=False)
class Flight:
    """A search under way: its texts, its steps, what it has been told, and what it waits for."""

    key: int
    texts: Texts
    column: int
    steps: Generator[Question, np.ndarray, Any]
    judge: Callable[[np.ndarray], np.ndarray] = lambda rows: rows  # from the victim's answers to what it is told
    began: float = field(default_factory=time.monotonic)
    known: dict[str, np.ndarray] = field(default_factory=dict)
    asked: int = 0
    from_cache: int = 0
    question: Question | None = None
    waiting: int = 0
    ended: bool = False

    def whole(self, text: str) -> Texts:
        """The example with this text in the attacked column."""
        return (*self.texts[: self.column], text, *self.texts[self.column + 1 :])


@dataclass(frozen=True)
class Landing:
    """A search that ended: what it returned, or why it could not."""

    flight: Flight
    ending: Literal["returned", "budget", "error"]
    result: Any = None
    error: str | None = None
    by_victim: bool = False  # whether the error is the victim's


@dataclass
class Effort:
    """What a run took: examples that ended, batches and texts that the victim answered, batches it failed on."""

    examples: int = 0
    batches: int = 0
    texts: int = 0
    halved: int = 0
    reason: str | None = None  # of the last failure


@dataclass
class SearchEngine:
    """Runs searches; ``similarity`` answers questions about likeness where searches ask them."""

    victim: Victim
    limits: Limits
    similarity: Any = None
    answered: Texts | None = None  # what the victim answered last, or is known to answer
    work: Effort = field(default_factory=Effort)
    size: int = 0  # of a batch, smaller from the moment on that memory does not suffice for more
    pool: Pool[Flight] = field(default_factory=Pool)
    fresh: list[tuple[Item[Flight], int]] = field(default_factory=list)
    ready: deque[Flight] = field(default_factory=deque)
    comparing: list[Flight] = field(default_factory=list)
    landed: list[Landing] = field(default_factory=list)
    held_back: list[Landing] = field(default_factory=list)
    flying: int = 0

    def __post_init__(self) -> None:
        self.size = self.limits.batch_size

    def run(self, flights: Iterable[Flight]) -> Iterator[Landing]:
        """Every flight's landing, as they land."""
        coming = iter(flights)
        while True:
            self.resume()
            self.admit(coming)
            yield from self.arrivals()
            if not self.flying:
                break
            self.file()
            waiting = sum(len(one.question.texts) for one in self.comparing if isinstance(one.question, Compare))
            if self.comparing and (waiting >= self.size or len(self.pool) < self.size):
                self.compare()
            else:
                self.ready += self.ask(self.pool.take(self.size))
        yield from self.held_back

    def has_room(self, batches: int) -> bool:
        """Whether fewer texts wait than so many batches take."""
        return len(self.pool) + len(self.fresh) < batches * self.size

    def resume(self) -> None:
        """Let every search go on whose question is answered in full, unless too many texts wait already."""
        while self.ready and self.has_room(HIGH):
            flight = self.ready.popleft()
            if not flight.ended:
                self.step(flight, remembered(flight))

    def admit(self, coming: Iterator[Flight]) -> None:
        """Let searches begin while there are too few texts to choose batches of one length from."""
        while self.flying < self.limits.in_flight and self.has_room(LOW):
            flight = next(coming, None)
            if flight is None:
                return
            self.flying += 1
            flight.began = time.monotonic()
            self.step(flight, None)

    def arrivals(self) -> Iterator[Landing]:
        """What has landed; errors only once it is clear that not everything fails."""
        for landing in self.landed:
            if landing.ending == "error":
                self.held_back.append(landing)
                if len(self.held_back) < FAILURES:
                    continue
                if not self.texts_at_fault():
                    raise BadInput(
                        f"{FAILURES} examples in a row could not be attacked ({landing.error}); mend the victim, or "
                        "try it on one text first"
                    )
            yield from self.held_back
            self.held_back.clear()
            if landing.ending != "error":
                yield landing
        self.landed.clear()

    def texts_at_fault(self) -> bool:
        """Whether what failed is the victim's answer to each of these texts, while it still answers another."""
        if self.answered is None or not all(landing.by_victim for landing in self.held_back):
            return False
        try:
            return self.victim.wrong(np.asarray(self.victim.answer([self.answered])), 1) is None
        except Exception:
            return False

    def land(self, landing: Landing) -> None:
        """A search has ended; nothing of it is answered any more."""
        if landing.flight.waiting:
            self.pool.drop(landing.flight)
        landing.flight.steps.close()
        landing.flight.ended = True
        self.flying -= 1
        self.landed.append(landing)

    def step(self, flight: Flight, answer: np.ndarray | Exception | None) -> None:
        """Send a search its answer and take its next question, as long as its own memory can answer."""
        while True:
            try:
                if isinstance(answer, Exception):
                    question = flight.steps.throw(answer)
                else:
                    question = flight.steps.send(answer)  # type: ignore[arg-type]  # the first send must be None
            except StopIteration as end:
                return self.land(Landing(flight, "returned", end.value))
            except Exception as error:
                return self.land(Landing(flight, "error", error=said(error)))
            flight.question = question
            if isinstance(question, Compare):
                self.comparing.append(flight)
                return None
            if isinstance(question, Slopes):
                flight.asked += 1  # a gradient is a question too
                answer = self.slopes(flight, question)
                continue
            # Time counts neither before the first question nor once the adversary is found.
            seconds = self.limits.seconds
            late = bool(flight.asked) and seconds is not None and time.monotonic() - flight.began > seconds
            new = None if late else self.unheard(flight, question.texts)
            if new is None:
                return self.land(Landing(flight, "budget"))
            flight.asked += len(question.texts)
            flight.from_cache += len(question.texts) - len(new)
            if new:
                flight.waiting = len(new)
                self.fresh += [(Item(flight, text), len(new)) for text in new]
                return None
            answer = remembered(flight)

    def slopes(self, flight: Flight, question: Slopes) -> np.ndarray | Exception:
        """The gains that a search asks for, or why there are none."""
        assert self.victim.slopes is not None, "an attack says that it looks inside"
        others = tuple(read(text) for text in flight.texts)
        rows = (*others[: flight.column], question.document, *others[flight.column + 1 :])
        try:
            asked = question.options, question.wrong, question.wanted
            return self.victim.slopes(rows, flight.column, *asked, self.victim.temperature or 1.0)
        except Exception as error:
            return error

    def unheard(self, flight: Flight, texts: Sequence[str]) -> list[str] | None:
        """The texts a flight has not been told about; None, without looking further, where they pass its budget."""
        new: dict[str, None] = {}
        most, spent = self.limits.queries, flight.asked - flight.from_cache
        for text in texts:
            if text not in flight.known:
                new[text] = None
                if most is not None and spent + len(new) > most:
                    return None
        return list(new)

    def file(self) -> None:
        """Put new questions into the pool, measured together: tokenizers are quick in bulk."""
        asked = [(item, size) for item, size in self.fresh if not item.owner.ended]
        self.fresh.clear()
        if not asked:
            return
        items, sizes = [item for item, _ in asked], [size for _, size in asked]
        texts = [item.owner.whole(item.text) for item in items]
        try:
            lengths = [int(length) for _, length in zip(texts, self.victim.lengths(texts), strict=True)]
        except Exception:  # a victim that cannot measure a text may still answer the others
            lengths = characters(texts)
        self.pool.add(items, lengths, sizes)

    def ask(self, items: Sequence[Item[Flight]]) -> list[Flight]:
        """The searches that a batch completes; a batch that fails is halved until the text at fault is alone."""
        live = [item for item in items if not item.owner.ended]
        if not live:
            return []
        try:
            rows = np.asarray(self.victim.answer([item.owner.whole(item.text) for item in live]))
            complaint = self.victim.wrong(rows, len(live))
            if complaint:
                raise ValueError(f"the victim does not answer with probabilities: {complaint}")
        except Stopped:  # a budget is at its end: no fault of any text
            raise
        except Exception as error:
            if len(live) == 1:
                self.land(Landing(live[0].owner, "error", error=said(error), by_victim=True))
                return []
            return self.halve(live, error)
        self.work.batches, self.work.texts = self.work.batches + 1, self.work.texts + len(live)
        self.answered = live[-1].owner.whole(live[-1].text)
        ready = []
        for item, row in zip(live, rows.astype(np.float64), strict=True):
            item.owner.known[item.text] = row
            item.owner.waiting -= 1
            if not item.owner.waiting:
                ready.append(item.owner)
        return ready

    def halve(self, live: Sequence[Item[Flight]], error: Exception) -> list[Flight]:
        """Ask a batch that failed in two; where memory was too small, all batches from now on are smaller."""
        self.work.halved, self.work.reason = self.work.halved + 1, said(error)
        middle = len(live) // 2
        if isinstance(error, MemoryError) or "out of memory" in str(error).lower():
            self.size = max(min(self.size, middle), 1)
        return [*self.ask(live[:middle]), *self.ask(live[middle:])]

    def compare(self) -> None:
        """Ask the sentence encoder for everything that waits for it; what it cannot answer is the search's to mend."""
        flights, self.comparing = [flight for flight in self.comparing if not flight.ended], []
        questions = [flight.question for flight in flights if isinstance(flight.question, Compare)]
        for flight, likeness in zip(flights, likenesses(self.similarity, questions), strict=True):
            self.step(flight, likeness)


def remembered(flight: Flight) -> np.ndarray:
    """The answer to a flight's question, from what it has been told."""
    assert isinstance(flight.question, Ask)
    texts = flight.question.texts
    return flight.judge(np.stack([flight.known[text] for text in texts])) if texts else np.zeros((0, 2))


def said(error: Exception) -> str:
    """An exception as one short line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
