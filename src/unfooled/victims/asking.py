"""Questions to a model in chunks: what is asked together does not depend on where an earlier run broke off."""

from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np

from unfooled.errors import BadInput
from unfooled.types import Texts
from unfooled.victims.victim import Victim

Answer = Callable[[Sequence[Texts]], np.ndarray]  # probabilities [n, classes], in the order of the texts

CHUNK = 512  # texts


def asked(
    answer: Answer, units: Sequence[Sequence[Texts]], done: Collection[int] = (), chunk: int = CHUNK
) -> Iterator[tuple[int, np.ndarray]]:
    """Each unit that is not done, by its place, with the probabilities of its texts [n, classes].

    Chunks are cut by the units alone, and one of which a part is done is asked whole. No chunk asks a text twice.

    >>> list(asked(lambda texts: np.array([[len(text[0])] for text in texts]), [[("a",)], [("bb",), ("a",)]], {0}))
    [(1, array([[2],
           [1]]))]
    """
    for places in chunks(units, chunk):
        if all(place in done for place in places):
            continue
        known = {text: row for row, text in enumerate(dict.fromkeys(text for at in places for text in units[at]))}
        answers = checked(np.asarray(answer(list(known))), len(known))
        for place in places:
            if place not in done:
                yield place, answers[[known[text] for text in units[place]]]


def chunks(units: Sequence[Sequence[Texts]], chunk: int = CHUNK) -> Iterator[range]:
    """Runs of units that hold about so many texts."""
    start = held = 0
    for place, unit in enumerate(units):
        held += len(unit)
        if held >= chunk or place == len(units) - 1:
            yield range(start, place + 1)
            start, held = place + 1, 0


def checked(rows: np.ndarray, count: int) -> np.ndarray:
    """The probabilities, if that is what they are."""
    if rows.ndim != 2 or len(rows) != count:
        raise BadInput(f"the model answers {count} texts with an array of shape {rows.shape}; it must give a row each")
    if not np.isfinite(rows).all():
        raise BadInput("the model's answer to some of the texts is not finite; restore or retrain the model")
    return rows


def answering(victim: Victim, batch_size: int) -> Answer:
    """The victim as a function from texts to probabilities, asked in batches of texts of like length."""
    tried: list[Victim] = []

    def answer(texts: Sequence[Texts]) -> np.ndarray:
        if not tried:
            tried.append(victim.tried(texts[0]))
        order = np.argsort(-np.asarray(victim.lengths(texts)), kind="stable")
        rows = np.zeros((len(texts), tried[0].classes))
        for start in range(0, len(order), batch_size):
            some = order[start : start + batch_size]
            rows[some] = tried[0].answer([texts[place] for place in some])
        return rows

    return answer
