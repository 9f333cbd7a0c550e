"""What trials of one model say that cannot all be so: every combination ≤ an attack ≤ the texts as they are.

Both hold of each example, where the attack chose from the same substitutes and the texts are the same. Where they do
not, a log was edited, the model was exchanged, or a search is broken, and no number of either trial is to be trusted.
"""

from collections.abc import Sequence
from itertools import product
from typing import Any, Protocol

import numpy as np

from unfooled.results.log import Header
from unfooled.results.verdict import Judged
from unfooled.trials.inputs import drawn

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


def places(one: Header, other: Header) -> np.ndarray | None:
    """Which unit of another trial each of a trial's is: the same, or that of which it was drawn; None: of other texts.

    A trial with a ``most`` draws its examples from all of the data by the seed; the other has to have all of them.
    """
    if one.task != other.task:
        return None
    if one.examples_hash == other.examples_hash:
        return np.arange(one.examples)
    most, whole = one.settings.get("most"), other.settings.get("most") is None
    alike = all(getattr(one, name) == getattr(other, name) for name in ("data_hash", "source", "seed"))
    if not (whole and alike and isinstance(most, int) and one.examples == most < other.examples):
        return None
    return np.array(drawn(other.examples, most, one.seed))


def contradictions(trials: Sequence[Compared]) -> list[str]:
    """One loud sentence for each pair of trials of a model that cannot both be right."""
    said = []
    for one, other in product(trials, trials):
        if one.model != other.model:
            continue
        found = one.form.contradictions(one.records, other.records, places(one.header, other.header))
        if found:
            names = one.trial if one is other else f"{one.trial} and {other.trial} together"
            said.append(
                f"{IMPOSSIBLE}{one.model}: what is said of {names} cannot be so in {len(found)} cases ({found[0]}); "
                "do not trust these numbers, delete the logs and measure again"
            )
    return said
