"""A number: its value, its 95 % interval, what it counts, and how it is printed."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

Better = Literal["more", "less", ""]  # which direction is better; neither, where that is not known
SHARE = "share"  # the unit of what is printed in per cent


@dataclass(frozen=True)
class Score:
    """A value, its 95 % interval, the number of examples behind it, and what was counted.

    ``title`` is what tables call it, ``unit`` what it is measured in ("share" is printed in per cent), ``better`` which
    direction is better. An interval that is not finite is none.
    """

    value: float
    low: float
    high: float
    n: int
    definition: str
    title: str = ""
    unit: str = SHARE
    better: Better = "more"

    def called(self, title: str, unit: str = SHARE, better: Better = "more") -> "Score":
        """The same number under a title, in a unit, with a direction that is better."""
        return replace(self, title=title, unit=unit, better=better)

    @property
    def text(self) -> str:
        """The value as it is printed.

        >>> Score(0.8125, 0.7, 0.9, 16, "").text, Score(1.25, 1, 2, 4, "", unit="").text
        ('81.2 %', '1.25')
        """
        return printed(self.value, self.unit)

    @property
    def interval(self) -> str:
        """The interval as it is printed, empty where there is none."""
        if not math.isfinite(self.value + self.low + self.high):
            return ""
        ends = [f"{100 * end:.1f}" if self.unit == SHARE else f"{end:.3g}" for end in (self.low, self.high)]
        return f" {'to' if self.low < 0 else '–'} ".join(ends)


def printed(value: float, unit: str) -> str:
    """A value in its unit: shares in per cent, four digits of anything else."""
    if not math.isfinite(value):
        return "unknown"
    return f"{100 * value:.1f} %" if unit == SHARE else f"{value:.4g}"


def best_of(scores: Sequence[Score | None]) -> float | None:
    """The best of several values of one number; None where none is better than another."""
    known = [score for score in scores if score is not None and math.isfinite(score.value)]
    values = [score.value for score in known]
    if len(values) < 2 or min(values) == max(values) or not known[0].better:
        return None
    return max(values) if known[0].better == "more" else min(values)
