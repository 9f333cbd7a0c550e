"""What a person calls to use a model: ``predict``, for one text, a list of them, or texts as they come."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from unfooled.commands.label_names import opened_by
from unfooled.errors import BadInput
from unfooled.tasks import TASKS
from unfooled.types import Texts
from unfooled.victims.temperature import probabilities
from unfooled.victims.victim import Victim

AT_ONCE = 512  # texts that are held
UNCALIBRATED = "its probabilities are the model's own and not calibrated: no training of unfooled left a temperature"


@dataclass(frozen=True)
class Prediction:
    """What a model says of a text: a label with its probability, or whatever else its task asks for.

    ``probabilities`` are by label. ``calibrated`` says whether they were made likely ones on a validation split: of a
    hundred answers with 80 %, about eighty are then right. Models of other tasks say an ``answer`` alone.
    """

    texts: Texts
    label: str | None = None
    probability: float | None = None
    probabilities: Mapping[str, float] | None = None
    calibrated: bool = False
    answer: Any = None

    def plain(self) -> dict[str, Any]:
        """It as values that JSON can hold."""
        text = self.texts[0] if len(self.texts) == 1 else list(self.texts)
        if self.label is None:
            return {"text": text, "answer": self.answer}
        told = {"label": self.label, "probability": round(self.probability or 0.0, 6)}
        chances = {name: round(value, 6) for name, value in (self.probabilities or {}).items()}
        return {"text": text, **told, "probabilities": chances, "calibrated": self.calibrated}


class Predictor:
    """A model that is asked; ``note`` says what is to be known of its probabilities."""

    def __init__(self, model: Any, labels: Sequence[str] | Mapping[str, str] = (), batch_size: int = 64) -> None:
        if batch_size < 1:
            raise BadInput(f"the batch size is {batch_size}; give at least 1")
        [self.victim] = opened_by([model], labels)
        if self.victim.network is None and TASKS[self.victim.task].head is None:
            raise BadInput(
                f"{self.victim.name} is {TASKS[self.victim.task].said}, which gives texts no labels; predict is for "
                "models that answer text by text"
            )
        self.batch_size = batch_size
        self.temperature: float | None = getattr(self.victim.network, "temperature", None)

    @property
    def says_classes(self) -> bool:
        """Whether its answer to a text is one class."""
        return TASKS[self.victim.task].confusion

    @property
    def note(self) -> str | None:
        """That its probabilities are raw, where they are."""
        return f"{self.victim.name}: {UNCALIBRATED}" if self.says_classes and self.temperature is None else None

    def __call__(self, texts: Iterable[str | Texts]) -> Iterator[Prediction]:
        """What it says of each text, some hundreds asked together."""
        coming = ((text,) if isinstance(text, str) else tuple(text) for text in texts)
        while some := list(islice(coming, AT_ONCE)):
            check(some)
            yield from self.of_classes(some) if self.says_classes else self.of_others(some)

    def of_classes(self, texts: Sequence[Texts]) -> Iterator[Prediction]:
        """The likeliest class of each text, and the chances of all."""
        able = self.victim.tried(texts[0])
        names = able.labels or tuple(map(str, range(able.classes)))
        rows = np.zeros((len(texts), able.classes))
        order = np.argsort(-np.asarray(able.lengths(texts)), kind="stable")
        for start in range(0, len(order), self.batch_size):
            places = order[start : start + self.batch_size]
            rows[places] = self.chances(able, [texts[place] for place in places])
        for text, row in zip(texts, rows, strict=True):
            best = int(row.argmax())
            chances = dict(zip(names, map(float, row), strict=True))
            yield Prediction(text, names[best], float(row[best]), chances, self.temperature is not None)

    def chances(self, able: Victim, texts: Sequence[Texts]) -> np.ndarray:
        """Probabilities, at the temperature that training has kept."""
        if self.temperature is None or not able.logits:
            return able.answer(texts)
        return probabilities(able.raw(texts), self.temperature)

    def of_others(self, texts: Sequence[Texts]) -> Iterator[Prediction]:
        """Numbers, sets of labels or answers, as the task says them."""
        task = TASKS[self.victim.task]
        for text, said in zip(texts, task.says(self.victim.model, texts, self.batch_size), strict=True):
            yield Prediction(text, answer=list(said) if isinstance(said, tuple) else said)


def check(texts: Sequence[Texts]) -> None:
    """Refuse what is no text, or no pair like the first."""
    for text in texts:
        if not 1 <= len(text) == len(texts[0]) <= 2 or not all(isinstance(part, str) for part in text):
            raise BadInput(f"{text!r:.60} is no text or pair like the first; give strings, or tuples of two")


def predict(
    model: Any,
    texts: str | Texts | Iterable[str | Texts],
    labels: Sequence[str] | Mapping[str, str] = (),
    batch_size: int = 64,
) -> list[Prediction]:
    """What a model says of a text, or of each of several; pairs are tuples of two.

    Classifiers that were trained here have calibrated probabilities; those of others are their own.
    """
    alone = isinstance(texts, str) or (
        isinstance(texts, tuple) and len(texts) == 2 and all(isinstance(one, str) for one in texts)
    )
    return list(Predictor(model, labels, batch_size)([texts] if alone else texts))  # type: ignore[list-item]
