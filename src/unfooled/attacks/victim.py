"""What can be attacked: anything that turns texts into probabilities."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unfooled.attacks.label_sets import LabelSets
from unfooled.attacks.rounding import WIDTH, Yardstick
from unfooled.errors import BadInput
from unfooled.types import Texts

UNKNOWN = "<unk>"  # for victims that do not say what their vocabulary calls an unknown word


@dataclass(frozen=True)
class Victim:
    """A checked victim.

    ``answer`` takes texts (tuples of one or two strings) and gives probabilities [n, classes]; ``lengths`` says how
    long each text is for it, so that batches are of similar length; ``precision`` is the step between the numbers
    it answers with. One that says sets of labels has ``sets``, and gives each label a probability of its own.
    """

    answer: Callable[[Sequence[Texts]], np.ndarray]
    lengths: Callable[[Sequence[Texts]], Sequence[int]]
    classes: int
    unknown: str
    precision: float
    sets: LabelSets | None = None

    def wrong(self, found: np.ndarray, rows: int) -> str | None:
        """What keeps an array from being its answer to so many texts."""
        return wrong_with(found, rows, self.classes, self.sets is None)

    @property
    def yardstick(self) -> Yardstick:
        """How exactly its probabilities are known."""
        return Yardstick(WIDTH, max(self.precision, 1e-12))


def checked(call: Any, sample: Texts) -> Victim:
    """A callable as a victim, tried on one example; says what is wrong with it.

    Single texts it is given as plain strings, unless it has ``takes_tuples``; pairs always as tuples. It may also
    have ``lengths`` (of tuples of texts), ``unknown``, a word, and ``sets``, where it says sets of labels.
    """
    if isinstance(call, Victim):
        return call
    if not callable(call):
        raise BadInput(f"{type(call).__name__} is no victim; give a callable from texts to probabilities, or a model")
    answer = taking(call, sample)
    try:
        found = answer([sample, sample])
    except Exception as error:
        raise BadInput(f"the victim fails on the first text ({type(error).__name__}: {error})") from error
    sets = getattr(call, "sets", None)
    complaint = wrong_with(found, 2, None if sets is None else len(sets.names), sets is None)
    if complaint:
        raise BadInput(f"the victim does not answer with probabilities: {complaint}")
    return Victim(
        answer=answer,
        lengths=getattr(call, "lengths", characters),
        classes=found.shape[1],
        unknown=getattr(call, "unknown", None) or UNKNOWN,
        precision=float(np.finfo(found.dtype).eps) if found.dtype.kind == "f" else 1e-7,
        sets=sets,
    )


def taking(call: Any, sample: Texts) -> Callable[[Sequence[Texts]], np.ndarray]:
    """The callable under the one signature."""

    def tuples(texts: Sequence[Texts]) -> np.ndarray:
        return np.asarray(call(list(texts)))

    def strings(texts: Sequence[Texts]) -> np.ndarray:
        return np.asarray(call([text[0] for text in texts]))

    if len(sample) > 1 or getattr(call, "takes_tuples", False):
        return tuples
    return strings


def characters(texts: Sequence[Texts]) -> list[int]:
    """The length of each text in characters."""
    return [sum(map(len, text)) for text in texts]


def wrong_with(found: np.ndarray, rows: int, classes: int | None = None, one_class: bool = True) -> str | None:
    """What keeps an array from being the probabilities of so many texts; those of one class each sum to 1."""
    if found.ndim != 2 or found.shape[0] != rows or found.shape[1] < 2 or classes not in (None, found.shape[1]):
        columns = "classes" if classes is None else classes
        return f"it gives an array of shape {found.shape} for {rows} texts instead of ({rows}, {columns})"
    if found.dtype.kind not in "fiu":
        return f"it gives {found.dtype} instead of numbers"
    if not np.isfinite(found).all():
        return "some of them are not finite"
    outside = found.min() < 0 or found.max() > 1 + 1e-3
    if outside and not one_class:
        return "some leave [0, 1], as logits do; apply a sigmoid"
    if outside or (one_class and abs(found.sum(axis=1) - 1).max() > 1e-2):
        return "rows do not sum to 1 or leave [0, 1], as logits do; apply a softmax"
    return None
