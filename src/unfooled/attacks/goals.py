"""What an attack wants the victim to answer."""

from dataclasses import dataclass

import numpy as np

from unfooled.victims.rounding import Yardstick


@dataclass(frozen=True)
class Goal:
    """Another answer than the gold label (``target`` None), or one answer in particular."""

    target: int | None = None

    def reached(self, row: np.ndarray, label: int, yardstick: Yardstick) -> bool:
        """Whether these probabilities are what was wanted, by more than rounding."""
        wanted = int(row.argmax()) if self.target is None else self.target
        if wanted == label:
            return False
        if self.target is None:
            return yardstick.beats(row, wanted, label)
        return all(yardstick.beats(row, wanted, other) for other in range(len(row)) if other != wanted)

    def nearness(self, rows: np.ndarray, label: int) -> np.ndarray:
        """How near each row [n, classes] is to the goal: the target's probability, or minus the label's."""
        return -rows[:, label] if self.target is None else rows[:, self.target]


UNTARGETED = Goal()


def targeted(label: int) -> Goal:
    """The goal that the victim answers with this class."""
    return Goal(label)
