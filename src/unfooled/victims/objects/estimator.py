"""Whatever has ``predict_proba``, as a pipeline of scikit-learn does; one that has ``predict`` alone says labels."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from unfooled.errors import BadInput
from unfooled.victims.victim import Kind, Victim


class Predicted:
    """An estimator without probabilities as a callable: rows of 0 and 1."""

    def __init__(self, estimator: Any) -> None:
        self.estimator, self.classes = estimator, [str(label) for label in estimator.classes_]

    def __call__(self, texts: Sequence[Any]) -> np.ndarray:
        """1 for the class that is predicted."""
        said = [str(label) for label in self.estimator.predict(list(texts))]
        return np.eye(len(self.classes))[[self.classes.index(label) for label in said]]


def gives_chances(model: Any) -> bool:
    """Whether it turns what it reads into probabilities."""
    return callable(getattr(model, "predict_proba", None))


def takes(model: Any) -> bool:
    """Whether it is an object that predicts classes."""
    predicts = callable(getattr(model, "predict", None)) and hasattr(model, "classes_")
    return not isinstance(model, type) and (gives_chances(model) or predicts)


def opened(estimator: Any, labels: tuple[str, ...]) -> Victim:
    """An estimator that reads texts, by its own names of classes."""
    own = class_names(estimator, labels)
    call = estimator.predict_proba if gives_chances(estimator) else Predicted(estimator)
    return Victim(name=name_of(estimator), call=call, labels=own, labels_only=isinstance(call, Predicted))


def class_names(estimator: Any, labels: tuple[str, ...]) -> tuple[str, ...]:
    """What an estimator calls its classes, or else what the caller does; refused where they are two things."""
    own = tuple(str(label) for label in getattr(estimator, "classes_", ()))
    if own and labels and set(own) != set(labels):
        raise BadInput(
            f"{name_of(estimator)} answers with {', '.join(own)}, not with {', '.join(labels)}; leave labels out"
        )
    return own or labels


def name_of(estimator: Any) -> str:
    """The class of an estimator, or of the steps of a pipeline.

    >>> name_of(3)
    'int'
    """
    steps = getattr(estimator, "steps", None)
    parts = [step for _, step in steps] if isinstance(steps, list) else [estimator]
    return " + ".join(type(part).__name__ for part in parts)


ESTIMATOR = Kind(takes, opened)
