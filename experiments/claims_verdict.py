"""A claim of a paper, the size it reports, and the verdict that an interval allows."""

import math
from collections.abc import Callable
from dataclasses import dataclass

from fair_differences import Paired

Evidence = Callable[[], Paired | None]


@dataclass(frozen=True)
class Claim:
    """What a paper says, how it is tested here, and the size it reports (its sign says which way)."""

    paper: str
    where: str
    says: str
    test: str
    reported: float
    fair: Evidence
    before: Evidence = lambda: None  # rows of the method before it was mended
    factor: float = 100  # from the difference to what is printed
    unit: str = "points"
    same: bool = True  # whether what the paper prints is of the same measure

    def line(self) -> list[str]:
        """Its line of the table."""
        found = self.fair()
        used = found if found is not None else self.before()
        claim = f"{self.where}: {self.says}"
        reported = f"{self.reported:+g} {self.unit}".strip() if self.same else f"{self.reported:+g}, another measure"
        if used is None:
            return [claim, self.test, "not run yet", "", reported, "", "", ""]
        said = verdict(used, self.reported / self.factor, self.same) + (" (one seed)" if used.seeds == 1 else "")
        if found is None:
            said = f"not run yet; before the mending: {said}"
        known = math.isfinite(used.high)
        digits = 1 if self.factor == 100 or self.unit == "BLEU" else 3
        shown = used.shown(self.factor, digits) if known else f"{self.factor * used.value:+.{digits}f}, no interval"
        least = f"{self.factor * used.least:.{digits}f}" if known else ""
        return [
            claim,
            self.test,
            said,
            shown,
            reported,
            least,
            f"{used.examples:,}" if used.examples else "",
            str(used.seeds),
        ]


def verdict(found: Paired, reported: float, same: bool = True) -> str:
    """What an interval says of a reported difference; of another measure only the direction is asked."""
    low, high = (found.low, found.high) if reported > 0 else (-found.high, -found.low)
    if low > 0:
        return "seen"
    return "not seen" if high < (abs(reported) if same else 0) else "cannot be told at this size"
