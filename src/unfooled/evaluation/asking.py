"""Questions to a model in chunks: what is asked together does not depend on where an earlier run broke off."""

from collections.abc import Callable, Collection, Iterator, Sequence

import numpy as np

from unfooled.errors import BadInput

Texts = tuple[str, ...]  # one text, or two of a pair
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
        found = checked(np.asarray(answer(list(known))), len(known))
        for place in places:
            if place not in done:
                yield place, found[[known[text] for text in units[place]]]


def chunks(units: Sequence[Sequence[Texts]], chunk: int) -> Iterator[range]:
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
