"""The one victim, from the command line to the engine: who is asked, how, and what is known of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unfooled.errors import BadInput, Stopped
from unfooled.types import Texts
from unfooled.victims.label_sets import LabelSets
from unfooled.victims.rounding import WIDTH, Yardstick
from unfooled.victims.temperature import FLOOR, probabilities

UNKNOWN = "<unk>"  # for victims that do not say what their vocabulary calls an unknown word


def characters(texts: Sequence[Texts]) -> list[int]:
    """The length of each text in characters."""
    return [sum(map(len, text)) for text in texts]


@dataclass(frozen=True)
class Victim:
    """A model by name and hash (none for a callable), its labels and task, and how it is asked.

    ``hash`` is of its weights and words, ``rules`` of what else decides its answers where that may change without them.
    ``call`` takes texts and gives probabilities [n, classes], or logits where ``logits`` says so: tuples of one or two
    strings with ``takes_tuples``, else plain strings, unless the texts are pairs. ``lengths`` says how long each text
    is for it, so that batches are of similar length; one that says sets of labels has ``sets``, and gives each label a
    probability (a logit) of its own. ``network`` is what some trials look into. ``classes`` and ``precision`` (the step
    between its probabilities) are known once it was ``tried``. ``temperature`` is what an attack divides logits by;
    without one a victim answers with the probabilities that the model itself has. One with ``labels_only`` does not
    say how sure it is: its rows are of 0 and 1. ``place`` is what it was opened by, for whoever is to open it too; an
    object in hand has none.
    """

    name: str
    call: Callable[..., Any]
    hash: str = ""
    rules: str = ""
    labels: tuple[str, ...] = ()
    task: str = "classification"
    max_length: int | None = None
    lengths: Callable[[Sequence[Texts]], Sequence[int]] = characters
    unknown: str = UNKNOWN
    takes_tuples: bool = False
    logits: bool = False
    labels_only: bool = False
    temperature: float | None = None
    sets: LabelSets | None = None
    network: Any = None
    slopes: Callable[..., np.ndarray] | None = None  # what exchanging words would do, by a network's own gradient
    trained_on: str | None = None
    learnt_nothing: bool = False  # as its training found
    classes: int = 0
    precision: float = 0.0
    place: str = ""

    def answer(self, texts: Sequence[Texts]) -> np.ndarray:
        """Probabilities [n, classes] of texts, which are tuples of one or two strings."""
        rows = self.raw(texts)
        if not self.logits or rows.ndim != 2 or rows.dtype.kind not in "fiu":  # of which ``wrong`` says what it is
            return rows
        if self.temperature is None:
            return probabilities(rows, sets=self.sets is not None)
        return np.maximum(probabilities(rows, self.temperature, self.sets is not None), FLOOR)

    def calibrated(self, temperature: float | None) -> "Victim":
        """The victim as an attack sees it; one that gives no logits is attacked as it is."""
        return replace(self, temperature=temperature) if self.logits else self

    def raw(self, texts: Sequence[Texts]) -> np.ndarray:
        """What it gives for texts: logits or probabilities [n, classes]."""
        plain = not self.takes_tuples and len(texts[0]) == 1
        return np.asarray(self.call([text[0] for text in texts] if plain else list(texts)))

    def tried(self, sample: Texts) -> "Victim":
        """The victim after it has answered one example; says what is wrong with it."""
        if self.classes:
            return self
        try:
            rows = self.answer([sample, sample])
        except (BadInput, Stopped):  # which say what to do
            raise
        except Exception as error:
            raise BadInput(
                f"{self.name} fails on the first text ({type(error).__name__}: {error}); ask it one text to see where"
            ) from error
        complaint = wrong_with(rows, 2, None if self.sets is None else len(self.sets.names), self.sets is None)
        if complaint:
            raise BadInput(f"{self.name} does not answer with probabilities: {complaint}")
        if self.labels and len(set(self.labels)) != rows.shape[1]:
            raise BadInput(
                f"{self.name} answers with {rows.shape[1]} classes but has {len(set(self.labels))} names for them "
                f"({', '.join(self.labels)}); give labels=(…) in the order of its columns"
            )
        precision = float(np.finfo(rows.dtype).eps) if rows.dtype.kind == "f" else 1e-7
        return replace(self, classes=rows.shape[1], precision=precision)

    def wrong(self, rows: np.ndarray, count: int) -> str | None:
        """What keeps an array from being its answer to so many texts."""
        return wrong_with(rows, count, self.classes, self.sets is None)

    @property
    def yardstick(self) -> Yardstick:
        """How exactly its probabilities are known."""
        return Yardstick(WIDTH, max(self.precision, FLOOR))

    @property
    def model(self) -> Any:
        """The network itself, which some trials look into."""
        if self.network is None:
            raise BadInput(f"{self.name} is no network that can be looked into; leave out the trials that do")
        return self.network


@dataclass(frozen=True)
class Kind:
    """A kind of victim: whether something given is of it, and how it is opened; labels name classes without names."""

    takes: Callable[[Any], bool]
    open: Callable[[Any, tuple[str, ...]], Victim]


def wrong_with(rows: np.ndarray, count: int, classes: int | None = None, one_class: bool = True) -> str | None:
    """What keeps an array from being the probabilities of so many texts; those of one class each sum to 1."""
    if rows.ndim != 2 or rows.shape[0] != count or rows.shape[1] < 2 or classes not in (None, rows.shape[1]):
        columns = "classes" if classes is None else classes
        return f"it gives an array of shape {rows.shape} for {count} texts instead of ({count}, {columns})"
    if rows.dtype.kind not in "fiu":
        return f"it gives {rows.dtype} instead of numbers"
    if not np.isfinite(rows).all():
        return "some of them are not finite"
    outside = rows.min() < 0 or rows.max() > 1 + 1e-3
    if outside and not one_class:
        return "some leave [0, 1], as logits do; apply a sigmoid, or give the callable logits = True"
    if outside or (one_class and abs(rows.sum(axis=1) - 1).max() > 1e-2):
        return "rows do not sum to 1 or leave [0, 1], as logits do; apply a softmax, or give the callable logits = True"
    return None
