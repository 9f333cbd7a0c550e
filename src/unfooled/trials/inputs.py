"""What models are measured on: examples, and whatever else was given with them."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from unfooled.errors import BadInput
from unfooled.seeds import digest
from unfooled.types import Texts


class Example(NamedTuple):
    """A text or pair, and the number of its class, or what else is right."""

    texts: Texts
    label: Any


class Given(NamedTuple):
    """Data by its name and by its hash as a whole; ``asked`` are the options by which it was read."""

    name: str
    hash: str
    asked: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Inputs:
    """Labelled examples; a contrast set, stored adversaries and a folder of stored suites where they were given.

    ``sources`` name and hash what was given: "data", "contrast", "adversaries". ``labels`` are what ``task`` asks for:
    the numbers of classes, or numbers, sets, spans; running text and pairs in two languages have none.
    """

    texts: Sequence[Texts]
    labels: Sequence[Any]
    sources: Mapping[str, Given]
    names: tuple[str, ...] = ()
    contrast: Sequence[Any] | None = None
    adversaries: Sequence[Any] | None = None
    suites: Path | None = field(default=None)
    task: str = "classification"

    @property
    def examples(self) -> list[Example]:
        """Texts and labels, one by one."""
        return [Example(tuple(text), label) for text, label in zip(self.texts, self.labels, strict=True)]

    def some(self, most: int | None, seed: int) -> list[Example]:
        """At most so many examples, drawn by the seed, in their order."""
        every = self.examples
        return [every[row] for row in self.drawn(most, seed)]

    def drawn(self, most: int | None, seed: int) -> list[int]:
        """The rows of at most so many examples, drawn by the seed, in order."""
        return drawn(len(self.texts), most, seed)


def drawn(count: int, most: int | None, seed: int) -> list[int]:
    """The rows of at most so many of ``count`` examples, drawn by the seed, in order.

    >>> drawn(6, 2, seed=0) == sorted(drawn(6, 2, seed=0)), drawn(3, None, seed=0)
    (True, [0, 1, 2])
    """
    rows = range(count)
    if most is None or most >= count:
        return list(rows)
    return sorted(sorted(rows, key=lambda row: digest(seed, "some", row))[:most])


def hash_units(units: Iterable[object]) -> str:
    """The SHA-256 of what a trial is run on, in order."""
    sha = hashlib.sha256()
    for unit in units:
        if hasattr(unit, "texts") and hasattr(unit, "label") and not hasattr(unit, "group"):
            plain: object = [*unit.texts, unit.label]  # no number depends on a revision, only a map of sentences
        else:
            plain = asdict(unit) if is_dataclass(unit) and not isinstance(unit, type) else unit
        sha.update(json.dumps(plain).encode() + b"\n")
    return sha.hexdigest()


def check_inputs(inputs: Inputs) -> None:
    """Refuse examples that nothing can be measured on."""
    texts, labels = inputs.texts, inputs.labels
    if len(texts) == 0:
        raise BadInput("the data holds no examples, so nothing can be measured; give data with texts and labels")
    if len(texts) != len(labels):
        raise BadInput(f"{len(texts)} texts have {len(labels)} labels; give one label for each text")
    for place, text in enumerate(texts):
        # A plain string is a sequence of letters: without this, each letter would pass as a text.
        if not isinstance(text, tuple) or not 1 <= len(text) == len(texts[0]) <= 2:
            raise BadInput(f"example {place} is no text or pair like the first; give tuples of one or two strings")


def check_labels(inputs: Inputs, name: str, labels: Sequence[str]) -> None:
    """Refuse classes that a model does not know."""
    classes = len(labels)
    wrong = [place for place, label in enumerate(inputs.labels) if not 0 <= label < classes]
    if wrong or classes < 2:
        place = wrong[0] if wrong else 0
        raise BadInput(
            f"example {place} has label {inputs.labels[place]}, but {name} knows {classes} classes "
            f"({', '.join(labels)}); use a classifier trained for these labels"
        )
