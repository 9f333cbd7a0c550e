"""Victims that answer with a set of labels: what they say of a text, and whether that is right.

An attack knows two answers of such a victim, right and wrong. Right is the whole set, said exactly. How sure the victim
is of it is the smallest probability that any label gives to its gold state,

    s = min over labels l of (p_l if l is in the set, else 1 − p_l),

which is above 1/2 where the set is right and below where it is not, and which a search lowers.

A victim that says at least its likeliest label says a set {g} already where no other label reaches 1/2 and none is as
likely as g: of a set of one label, s is then the larger of the above and the smallest, over all l ≠ g, of 1 − p_l and
1/2 + (p_g − p_l)/2.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unfooled.scores.agreement import THRESHOLD

RIGHT = 0
ANSWERS = ("right", "wrong")


@dataclass(frozen=True)
class LabelSets:
    """The labels by name; with ``at_least_one`` the likeliest is said where none reaches 1/2."""

    names: tuple[str, ...]
    at_least_one: bool = False

    def said(self, row: np.ndarray) -> tuple[int, ...]:
        """The labels that probabilities [C] say, by number.

        >>> LabelSets(("a", "b")).said(np.array([0.2, 0.4])), LabelSets(("a", "b"), True).said(np.array([0.2, 0.4]))
        ((), (1,))
        """
        numbers = tuple(np.flatnonzero(row >= THRESHOLD).tolist())
        return (int(row.argmax()),) if self.at_least_one and not numbers else numbers

    def named(self, numbers: Sequence[int]) -> tuple[str, ...]:
        """The names of labels."""
        return tuple(self.names[number] for number in numbers)

    def judged(self, rows: np.ndarray, gold: Sequence[int]) -> np.ndarray:
        """Probabilities of labels [n, C] as those of right and wrong [n, 2], for an example with this set.

        >>> LabelSets(("a", "b", "c")).judged(np.array([[0.9, 0.2, 0.6]]), [0, 2]).tolist()
        [[0.6, 0.4]]
        """
        inside = np.isin(np.arange(rows.shape[1]), gold)
        sure = np.where(inside, rows, 1 - rows).min(axis=1)
        if self.at_least_one and len(gold) == 0:
            sure = np.zeros(len(rows))  # nothing is never said
        if self.at_least_one and len(gold) == 1 and not inside.all():
            other = rows[:, ~inside].max(axis=1)
            sure = np.maximum(sure, np.minimum(1 - other, 0.5 + (rows[:, inside][:, 0] - other) / 2))
        return np.stack([sure, 1 - sure], axis=1)
