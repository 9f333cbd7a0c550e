"""Answers to questions of likeness, from whatever scores it."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from unfooled.attacks.attempt import Compare


def likenesses(similarity: Any, questions: Sequence[Compare]) -> list[np.ndarray | Exception]:
    """How like its reference each text of each question is; all from one call where the scorer has ``vectors``.

    What fails is asked again question by question, so that the fault stays where it belongs.
    """
    try:
        if hasattr(similarity, "vectors"):
            return list(together(similarity, questions))
        return [cosines(similarity(question.reference, question.texts), question) for question in questions]
    except Exception as error:
        if len(questions) == 1:
            return [error]
        return [answer for question in questions for answer in likenesses(similarity, [question])]


def together(similarity: Any, questions: Sequence[Compare]) -> Iterator[np.ndarray]:
    """The cosines of several questions from one call of the encoder."""
    asked = [text for question in questions for text in (question.reference, *question.texts)]
    places = {text: place for place, text in enumerate(dict.fromkeys(asked))}
    vectors = np.asarray(similarity.vectors(list(places)), dtype=np.float64)
    for question in questions:
        rows = vectors[[places[text] for text in question.texts]]
        yield cosines(rows @ vectors[places[question.reference]], question)


def cosines(answer: Any, question: Compare) -> np.ndarray:
    """What a scorer answers, if it is a number for each text: candidates that no number judges must not just fail."""
    likenesses = np.asarray(answer, dtype=np.float64)
    if likenesses.shape != (len(question.texts),) or not np.isfinite(likenesses).all():
        raise ValueError(f"the similarity does not answer with a finite number for each of {len(question.texts)} texts")
    return likenesses
