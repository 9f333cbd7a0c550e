"""Who is measured: a network of ours or of transformers, or anything that turns texts into probabilities."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unfooled.attacks.victim import Victim, checked
from unfooled.errors import BadInput
from unfooled.evaluation.asking import Answer, Texts
from unfooled.models import TextModel, probabilities


@dataclass(frozen=True)
class Subject:
    """A model by name and hash (none for a callable), its labels, how it is asked, and its network if there is one."""

    name: str
    hash: str
    labels: tuple[str, ...]
    max_length: int | None
    call: Callable[..., Any]
    model: TextModel | None = None

    @property
    def problem(self) -> str:
        """What it is asked for, by its name in PROBLEMS; a callable says classes."""
        return "class" if self.model is None else self.model.problem

    @property
    def network(self) -> TextModel:
        """The network itself, which some trials look into."""
        if self.model is None:
            raise BadInput(f"{self.name} is no network that can be looked into; leave out pgd, hits and shift for it")
        return self.model


class Asked:
    """A classifier as a callable; it takes tuples of texts."""

    takes_tuples = True

    def __init__(self, model: TextModel) -> None:
        self.model = model

    def __call__(self, texts: Sequence[Texts]) -> np.ndarray:
        """Probabilities [n, classes]."""
        return probabilities(self.model, texts, max(len(texts), 1))


def subject_of(model: "TextModel | Subject") -> Subject:
    """A classifier as a subject; a subject is one already."""
    if isinstance(model, Subject):
        return model
    return Subject(model.name, model.fingerprint(), model.labels, model.max_length, Asked(model), model)


def answering(subject: Subject, batch_size: int) -> Answer:
    """The subject as a function from texts to probabilities, asked in batches of texts of like length."""
    known: list[Victim] = []

    def answer(texts: Sequence[Texts]) -> np.ndarray:
        if not known:
            known.append(checked(subject.call, texts[0]))
            check_classes(subject, known[0])
        victim = known[0]
        order = np.argsort(-np.asarray(victim.lengths(texts)), kind="stable")
        rows = np.zeros((len(texts), victim.classes))
        for start in range(0, len(order), batch_size):
            some = order[start : start + batch_size]
            rows[some] = victim.answer([texts[place] for place in some])
        return rows

    return answer


def check_classes(subject: Subject, victim: Victim) -> None:
    """Refuse a subject that answers with other classes than its labels name."""
    if victim.classes != len(subject.labels):
        raise BadInput(
            f"{subject.name} answers with {victim.classes} classes but has {len(subject.labels)} names for them "
            f"({', '.join(subject.labels)}); give labels=(…) in the order of its columns"
        )
