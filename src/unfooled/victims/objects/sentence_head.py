"""A sentence encoder with a head over its vectors, both in hand: ``(SentenceTransformer(…), head)``."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from unfooled.victims.objects.estimator import class_names, gives_chances, name_of
from unfooled.victims.victim import Kind, Victim


class EncodedTexts:
    """An encoder and its head as a callable."""

    def __init__(self, encoder: Any, head: Any) -> None:
        self.encoder, self.head = encoder, head

    def __call__(self, texts: Sequence[Any]) -> np.ndarray:
        """The head's probabilities of the texts' vectors."""
        vectors = np.asarray(self.encoder.encode(list(texts), show_progress_bar=False))
        return np.asarray(self.head.predict_proba(vectors))


def takes(model: Any) -> bool:
    """Whether it is something that encodes texts, and something that has probabilities for vectors."""
    pair = isinstance(model, tuple) and len(model) == 2
    return pair and callable(getattr(model[0], "encode", None)) and gives_chances(model[1])


def opened(model: tuple[Any, Any], labels: tuple[str, ...]) -> Victim:
    """An encoder under a head, by the head's names of classes."""
    encoder, head = model
    name = f"{type(encoder).__name__} + {name_of(head)}"
    return Victim(name=name, call=EncodedTexts(encoder, head), labels=class_names(head, labels))


SENTENCE_HEAD = Kind(takes, opened)
