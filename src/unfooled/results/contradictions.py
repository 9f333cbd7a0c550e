"""What trials of one model say that cannot all be so: every combination ≤ an attack ≤ the texts as they are.

Both hold of each example, where the attack chose from the same substitutes and the texts are the same. Where they do
not, a log was edited, the model was exchanged, or a search is broken, and no number of either trial is to be trusted.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any, Protocol

from unfooled.results.log import Header
from unfooled.results.verdict import Judged

IMPOSSIBLE = "IMPOSSIBLE: "


class Compared(Judged, Protocol):
    """A finished trial that knows its model and its header."""

    @property
    def model(self) -> str:
        """The model's name."""

    @property
    def records(self) -> Sequence[Any]:
        """What became of each unit."""

    @property
    def header(self) -> Header:
        """What its log says of itself."""


def contradictions(trials: Sequence[Compared]) -> list[str]:
    """One loud sentence for each pair of trials of a model that cannot both be right."""
    said = []
    for one, other in product(trials, trials):
        if one.model != other.model:
            continue
        aligned = (one.header.examples_hash, one.header.task) == (other.header.examples_hash, other.header.task)
        found = one.form.contradictions(one.records, other.records, aligned)
        if found:
            names = one.trial if one is other else f"{one.trial} and {other.trial} together"
            said.append(
                f"{IMPOSSIBLE}{one.model}: what is said of {names} cannot be so in {len(found)} cases ({found[0]}); "
                "do not trust these numbers, delete the logs and measure again"
            )
    return said
