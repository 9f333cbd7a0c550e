"""What models are measured on: examples, and whatever else was given with them."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

from unfooled.errors import BadInput
from unfooled.evaluation.asking import Texts
from unfooled.evaluation.contrast import Member
from unfooled.evaluation.transfer import Adversary
from unfooled.seeds import digest


class Example(NamedTuple):
    """A text or pair, and the number of its class."""

    texts: Texts
    label: int


@dataclass(frozen=True)
class Contrasted:
    """An example with a revision of it that a contrast set gives another label."""

    texts: Texts
    label: int
    revision: Texts


class Source(NamedTuple):
    """Data by its name and by its hash as a whole."""

    name: str
    hash: str


@dataclass(frozen=True)
class Material:
    """Labelled examples; a contrast set, stored adversaries and a folder of stored suites where they were given.

    ``sources`` name and hash what was given: "data", "contrast", "adversaries". ``labels`` are the numbers of classes,
    unless ``problem`` says that models are asked for something else than a class: a number, a set, a span.
    """

    texts: Sequence[Texts]
    labels: Sequence[Any]
    sources: Mapping[str, Source]
    names: tuple[str, ...] = ()
    contrast: Sequence[Member] | None = None
    adversaries: Sequence[Adversary] | None = None
    suites: Path | None = field(default=None)
    problem: str = "class"

    @property
    def examples(self) -> list[Example]:
        """Texts and labels, one by one."""
        return [Example(tuple(text), int(label)) for text, label in zip(self.texts, self.labels, strict=True)]

    def some(self, most: int | None, seed: int) -> list[Example]:
        """At most so many examples, drawn by the seed, in their order."""
        every = self.examples
        return [every[row] for row in self.drawn(most, seed)]

    def drawn(self, most: int | None, seed: int) -> list[int]:
        """The rows of at most so many examples, drawn by the seed, in order."""
        rows = range(len(self.texts))
        if most is None or most >= len(rows):
            return list(rows)
        return sorted(sorted(rows, key=lambda row: digest(seed, "some", row))[:most])


def hash_examples(texts: Sequence[Texts], labels: Sequence[int] | Sequence[tuple[int, ...]]) -> str:
    """The SHA-256 of the texts and their classes, or sets of classes, in order."""
    plain = [tuple(map(int, label)) if isinstance(label, tuple) else int(label) for label in labels]
    return hash_units([*text, label] for text, label in zip(texts, plain, strict=True))


def hash_units(units: Iterable[object]) -> str:
    """The SHA-256 of what a trial is run on, in order."""
    sha = hashlib.sha256()
    for unit in units:
        if isinstance(unit, Example | Contrasted):  # no number hangs on a revision, only a map of sentences
            plain: object = [*unit.texts, unit.label]
        else:
            plain = asdict(unit) if is_dataclass(unit) and not isinstance(unit, type) else unit
        sha.update(json.dumps(plain).encode() + b"\n")
    return sha.hexdigest()


def check_examples(material: Material) -> None:
    """Refuse examples that nothing can be measured on."""
    texts, labels = material.texts, material.labels
    if len(texts) == 0:
        raise BadInput("the data holds no examples, so nothing can be measured; give data with texts and labels")
    if len(texts) != len(labels):
        raise BadInput(f"{len(texts)} texts have {len(labels)} labels; give one label for each text")
    for place, text in enumerate(texts):
        # A plain string is a sequence of letters: without this, each letter would pass as a text.
        if not isinstance(text, tuple) or not 1 <= len(text) == len(texts[0]) <= 2:
            raise BadInput(f"example {place} is no text or pair like the first; give tuples of one or two strings")


def check_labels(material: Material, name: str, labels: Sequence[str]) -> None:
    """Refuse labels that a model does not know."""
    classes = len(labels)
    wrong = [place for place, label in enumerate(material.labels) if not 0 <= label < classes]
    if wrong or classes < 2:
        place = wrong[0] if wrong else 0
        raise BadInput(
            f"example {place} has label {material.labels[place]}, but {name} knows {classes} classes "
            f"({', '.join(labels)}); use a classifier trained for these labels"
        )
