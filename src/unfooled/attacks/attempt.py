"""One example under attack: what a search is given, what it may ask, what it answers.

A search is a generator. It yields questions and is sent their answers, so that one engine can put the questions of
many examples to the victim together:

    rows = yield Ask(texts)               # probabilities [n, classes], in the order of the texts
    cosines = yield Compare(reference, texts)    # how like the reference each text is [n]
    gains = yield Slopes(document, options, …)   # what each word would do, by the network's own gradient

Texts are those of the column under attack; the engine puts the other column of a pair beside them.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

import numpy as np

from unfooled.attacks.goals import Goal
from unfooled.text.document import Document
from unfooled.victims.rounding import Yardstick


@dataclass(frozen=True)
class Ask:
    """Asks the victim for the probabilities of these texts."""

    texts: Sequence[str]


@dataclass(frozen=True)
class Compare:
    """Asks the sentence encoder how like the reference these texts are."""

    reference: str
    texts: Sequence[str]


@dataclass(frozen=True)
class Slopes:
    """Asks a network's own gradient what putting each option in its word's place would do, to first order.

    The answer has a gain for every option of every word, one word after the other: how much less the network would be
    sure of ``wrong`` (or more of ``wanted``, where that is given). Without options it has one number for every word,
    the size of the gradient there: the sum of the absolute values of its mean over the word's tokens. Words behind what
    the network reads of the text have nan, which is no number.
    """

    document: Document
    options: Sequence[tuple[str, ...]] | None
    wrong: int
    wanted: int | None = None


@dataclass(frozen=True)
class SearchEnd:
    """Where a search ended: the document, whether it reached the goal, how many words had a candidate."""

    document: Document
    fooled: bool
    candidates: int
    similarity: float | None = None  # of the whole adversary with the whole original, where it is scored
    note: str | None = None  # why it has no similarity although it should


@dataclass(frozen=True)
class Attempt:
    """What a search knows of its example."""

    document: Document
    label: int
    clean: np.ndarray  # the victim's probabilities of the text as it is
    goal: Goal
    yardstick: Yardstick
    unknown: str  # the word the victim's vocabulary has for what it does not know
    key: tuple[int, int]  # (seed, index), of which all drawing is a function

    def reached(self, row: np.ndarray) -> bool:
        """Whether these probabilities are what the attack wants."""
        return self.goal.reached(row, self.label, self.yardstick)

    def nearness(self, rows: np.ndarray) -> np.ndarray:
        """How near each row is to the goal."""
        return self.goal.nearness(rows, self.label)

    def slack(self, rows: np.ndarray) -> np.ndarray:
        """How far each row's nearness may be off."""
        return self.yardstick.slack(np.abs(self.nearness(rows)))

    def gains(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """How much nearer each row is than the text as it is, and how far that may be off."""
        clean = self.clean[None]
        return self.nearness(rows) - self.nearness(clean)[0], self.slack(rows) + self.slack(clean)[0]


Question = Ask | Compare | Slopes
Steps = Generator[Question, np.ndarray, SearchEnd]
Search = Callable[[Attempt], Steps]
