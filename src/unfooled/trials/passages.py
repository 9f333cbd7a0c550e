"""Texts to be read: each with what a model wrote of it, column by column, models side by side."""

from array import array
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

AS_IT_IS, MOVED = "as it is", "with the word moved"
HOW_MARKED = (
    "Words that the move brought in are marked, those it took away struck out; texts for which it did come first."
)


@dataclass(frozen=True)
class Passage:
    """A text, the word of it that is moved or asked about, its reference, and what each model wrote by column.

    ``start`` is where the word stands in the text, -1 where none is.
    """

    text: str
    word: str
    reference: str
    written: Mapping[str, tuple[str, ...]]
    start: int = -1

    @property
    def moved(self) -> bool:
        """Whether some model wrote one thing in one column and another in the next."""
        return any(len(set(columns)) > 1 for columns in self.written.values())

    @property
    def cut(self) -> tuple[str, str, str]:
        """The text before the word, the word, and the text behind it.

        >>> Passage("the old man", "old", "", {}, 4).cut
        ('the ', 'old', ' man')
        """
        if self.start < 0 or not self.word:
            return self.text, "", ""
        end = self.start + len(self.word)
        return self.text[: self.start], self.word, self.text[end:]


@dataclass(frozen=True)
class Passages:
    """How a trial's records are read as texts: the section's title, what a terminal calls it, and its columns.

    ``says`` tells, given the settings, how the section is read; ``passage`` makes one of a record and its model's name.
    """

    title: str
    heading: str
    columns: tuple[str, ...]
    says: Callable[[Mapping[str, Any]], str]
    passage: Callable[[Any, str], Passage | None]


def side_by_side(
    form: Passages, models: Mapping[str, Sequence[Any]], wanted: Collection[int] | None = None
) -> list[Passage]:
    """The texts of a trial in the order of their first occurrence, each with the models that have it.

    ``wanted`` are the marks of those that are; without it all of them are.
    """
    whole: dict[tuple[str, str], Passage] = {}
    for model, records in models.items():
        for one in passages(form, model, records):
            if wanted is None or mark(one) in wanted:
                before = whole.get((one.text, one.word))
                written = {**(before.written if before is not None else {}), **one.written}
                whole[one.text, one.word] = replace(one, written=written)
    return list(whole.values())


def passages(form: Passages, model: str, records: Sequence[Any]) -> Iterator[Passage]:
    """What a model's records are to be read as, one after the other."""
    made = (form.passage(record, model) for record in records)
    return (one for one in made if one is not None)


def mark(one: Passage) -> int:
    """A number that tells a text from others, as long as this process lasts."""
    return hash((one.text, one.word))


def most_telling(form: Passages, models: Mapping[str, Sequence[Any]], most: int) -> tuple[list[Passage], int]:
    """At most so many texts, those first in which something moved, and how many there are; the others are not kept."""
    marks, moved = array("q"), bytearray()
    for model, records in models.items():
        for one in passages(form, model, records):
            marks.append(mark(one))
            moved.append(one.moved)
    distinct, first, place = np.unique(np.array(marks), return_index=True, return_inverse=True)
    still = np.ones(len(distinct), dtype=bool)
    still[place[np.frombuffer(moved, dtype=bool)]] = False
    chosen = distinct[np.lexsort((first, still))[:most]]
    found = side_by_side(form, models, frozenset(chosen.tolist()))
    return sorted(found, key=lambda one: not one.moved), len(distinct)
