"""Texts to be read: each with what a model wrote of it, column by column, models side by side."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

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


def side_by_side(form: Passages, models: Mapping[str, Sequence[Any]]) -> list[Passage]:
    """The texts of a trial in the order of their first occurrence, each with the models that have it."""
    whole: dict[tuple[str, str], Passage] = {}
    for model, records in models.items():
        for record in records:
            one = form.passage(record, model)
            if one is not None:
                before = whole.get((one.text, one.word))
                written = {**(before.written if before is not None else {}), **one.written}
                whole[one.text, one.word] = replace(one, written=written)
    return list(whole.values())
