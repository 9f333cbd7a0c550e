"""One example under attack: what a search is given, what it may ask, what it answers.

A search is a generator. It yields questions and is sent their answers, so that one engine can put the questions of
many examples to the victim together:

    rows = yield Score(texts)               # probabilities [n, classes], in the order of the texts
    cosines = yield Similar(reference, texts)    # how like the reference each text is [n]

Texts are those of the column under attack; the engine puts the other column of a pair beside them.
"""

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

import numpy as np

from unfooled.attacks.goals import Goal
from unfooled.attacks.rounding import Yardstick
from unfooled.text.document import Document


@dataclass(frozen=True)
class Score:
    """Asks the victim for the probabilities of these texts."""

    texts: Sequence[str]


@dataclass(frozen=True)
class Similar:
    """Asks the sentence encoder how like the reference these texts are."""

    reference: str
    texts: Sequence[str]


@dataclass(frozen=True)
class Found:
    """Where a search ended: the document, whether it reached the goal, how many words had a candidate.

    ``similarity`` is that of the whole adversary with the whole original, where the attack scores it; ``note`` says
    why it has none although it should.
    """

    document: Document
    fooled: bool
    candidates: int
    similarity: float | None = None
    note: str | None = None


@dataclass(frozen=True)
class Attempt:
    """What a search knows of its example.

    ``clean`` are the victim's probabilities of the text as it is; ``unknown`` is the word the victim's vocabulary
    has for what it does not know; ``key`` is (seed, index), of which all drawing is a function.
    """

    document: Document
    label: int
    clean: np.ndarray
    goal: Goal
    yardstick: Yardstick
    unknown: str
    key: tuple[int, int]

    def reached(self, row: np.ndarray) -> bool:
        """Whether these probabilities are what the attack wants."""
        return self.goal.reached(row, self.label, self.yardstick)

    def nearness(self, rows: np.ndarray) -> np.ndarray:
        """How near each row is to the goal."""
        return self.goal.nearness(rows, self.label)

    def slack(self, rows: np.ndarray) -> np.ndarray:
        """How far each row's nearness may be off."""
        return self.yardstick.slack(np.abs(self.nearness(rows)))


Question = Score | Similar
Steps = Generator[Question, np.ndarray, Found]
Search = Callable[[Attempt], Steps]
