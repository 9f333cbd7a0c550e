"""Comparing probabilities that carry rounding errors, so that a batch's shape decides nothing.

The same text in another batch has a probability with other last bits. Two values are therefore different only if
they lie further apart than rounding can bring them, and where they are not, the earlier position is taken. The
errors sit in the logits: of a probability p they leave p(1 − p) times as much. A fixed width would call every word
of a model that is sure of itself equally good, and make that model look robust.

The width is in logits of z / T*, T* the temperature of ``temperature.py``: numerical errors of logits grow as the
logits do, and z / T* is the same whatever all logits are multiplied by. So is what counts as a tie.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

WIDTH = 4e-5  # in logits of z / T*; a probability of one half is then known to 1e-5


@dataclass(frozen=True)
class Yardstick:
    """How exactly a victim's probabilities are known: ``width`` in logits, never better than ``floor``."""

    width: float = WIDTH
    floor: float = 1e-12

    def slack(self, probability: np.ndarray) -> np.ndarray:
        """How far each probability may be off.

        >>> Yardstick().slack(np.array([0.5, 1.0])).round(12).tolist()
        [1.0000001e-05, 1e-12]
        """
        return self.width * probability * (1 - probability) + self.floor

    def predicted(self, row: np.ndarray) -> int:
        """The class of the highest probability, the first of those that cannot be told apart."""
        return first_best(row, self.slack(row))

    def beats(self, row: np.ndarray, one: int, other: int) -> bool:
        """Whether one class is more probable than another by more than rounding."""
        slack = self.slack(row)
        return bool(row[one] - row[other] > slack[one] + slack[other])


def first_best(values: np.ndarray | Sequence[float], slack: np.ndarray | float) -> int:
    """The first place whose value cannot be told from the highest.

    >>> first_best([0.1, 0.3, 0.3000001], 1e-5)
    1
    """
    numbers = np.asarray(values, dtype=np.float64)
    room = np.broadcast_to(slack, numbers.shape)
    top = int(numbers.argmax())
    return int((numbers + room >= numbers[top] - room[top]).argmax())


def descending(values: np.ndarray | Sequence[float], slack: np.ndarray | float) -> list[int]:
    """All places, best first, each the first that cannot be told from the best of those left.

    >>> descending([0.1, 0.3, 0.3000001, 0.2], 1e-5)
    [1, 2, 3, 0]
    """
    left = np.array(values, dtype=np.float64)
    order = []
    for _ in range(len(left)):
        order.append(first_best(left, slack))
        left[order[-1]] = -np.inf
    return order
