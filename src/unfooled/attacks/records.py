"""What became of one attacked example: the primary output of every attack."""

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["fooled", "held", "already wrong", "no candidates", "budget", "error"]
OUTCOMES: tuple[Outcome, ...] = ("fooled", "held", "already wrong", "no candidates", "budget", "error")
ATTACKED = ("fooled", "held", "no candidates", "budget")  # answered rightly, and attacked without an error
SAFE = ("held", "no candidates")  # answered rightly, and not fooled
SURE = 1 - 1e-6  # a probability above which six places, and soon a float, hide what a word changes
CLOSE = 1e-3  # of a probability: answers that another batch or machine may turn


@dataclass(frozen=True)
class Change:
    """A word that was replaced: its place among the words, what it was and what it became."""

    place: int
    old: str
    new: str


@dataclass(frozen=True)
class Sets:
    """The labels of an example by name: those that are right, those said of its text and of its adversary."""

    right: tuple[str, ...]
    before: tuple[str, ...] | None = None
    after: tuple[str, ...] | None = None


@dataclass(frozen=True)
class AttackRecord:
    """One example: what it is, how its attack ended, and what that took.

    Outcomes: ``fooled``; ``held``, everything was tried in vain; ``already wrong``, so not attacked; ``no
    candidates``, no word could be replaced, which says nothing of the victim; ``budget``, the queries or the time
    ran out; ``error``, with its message. Only ``held`` speaks for the victim.
    ``before`` and ``after`` are the probabilities the attack saw, rounded to six places: those of logits at the
    temperature that the log's header has, not the model's own; ``prediction`` and ``fooled_into`` are the classes they
    stand for. ``asked`` counts every text the search asked about, ``from_cache`` those of them that had been asked
    before and did not reach the victim. ``candidates`` counts the words that had a substitute.
    ``note`` says what is missing from a record that is otherwise whole, and why. Where the victim says sets of labels
    there are two classes, right and wrong, and ``sets`` are what was said.
    """

    index: int
    label: int
    texts: tuple[str, ...]
    outcome: Outcome
    prediction: int | None
    before: tuple[float, ...]
    adversary: tuple[str, ...] | None
    fooled_into: int | None
    after: tuple[float, ...]
    changes: tuple[Change, ...]
    words: int
    candidates: int | None
    asked: int
    from_cache: int
    similarity: float | None
    error: str | None
    note: str | None = None
    sets: Sets | None = None

    @property
    def queries(self) -> int:
        """The texts that reached the victim."""
        return self.asked - self.from_cache

    @property
    def changed(self) -> int:
        """How many words were replaced."""
        return len(self.changes)

    @property
    def saturated(self) -> bool | None:
        """Whether the answer to the text as it is leaves no room for a search by scores; None without an answer."""
        return max(self.before) >= SURE if self.before else None

    @property
    def sure(self) -> bool:
        """Whether the answer to the text as it is was no close call."""
        first, second, *_ = sorted([*self.before, 0.0, 0.0], reverse=True)
        return first - second > CLOSE
