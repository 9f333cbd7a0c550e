"""A number: its value, its 95 % interval, what it counts, and how it is printed."""

import math
from dataclasses import dataclass, replace
from typing import Literal

Better = Literal["more", "less", ""]  # which direction is better; neither, where that is not known
SHARE = "share"  # the unit of what is printed in per cent


@dataclass(frozen=True)
class Score:
    """A value, its 95 % interval, the number of examples behind it, and what was counted.

    ``title`` is what tables call it, ``unit`` what it is measured in ("share" is printed in per cent), ``better`` which
    direction is better, ``least`` and ``most`` what it can be. An interval that is not finite is none.
    """

    value: float
    low: float
    high: float
    n: int
    definition: str
    title: str = ""
    unit: str = SHARE
    better: Better = "more"
    least: float = -math.inf
    most: float = math.inf

    def called(self, title: str, unit: str = SHARE, better: Better = "more") -> "Score":
        """The same number under a title, in a unit, with a direction that is better."""
        return replace(self, title=title, unit=unit, better=better)

    def between(self, low: float, high: float) -> "Score":
        """The same number with another interval, cut at what the number can be.

        >>> Score(0.9, 0.8, 1.0, 5, "", least=0.0, most=1.0).between(0.5, 1.3).high
        1.0
        """
        return replace(self, low=max(low, self.least), high=min(high, self.most))

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
