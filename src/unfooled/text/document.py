"""A text and its words. Whatever is done to a word, every other character stays as it was.

A word is a run of letters, digits and combining marks that begins with a letter or a digit. Apostrophes, hyphens
and invisible joiners belong to it where letters or digits stand on both sides: "don't", "well-made", "rock" in
"rock-". An underscore divides words. Scripts written without spaces give one word per run.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

# In the text as the pattern sees it every combining mark is an underscore, and no underscore is anything else.
WORD = re.compile("[^\\W_]\\w*(?:['’\u2010\u2011\u00ad\u200c\u200d-][^\\W_]\\w*)*")


@dataclass(frozen=True)
class Document:
    """A text with the character spans of its words, in order; a word's number is its place for good."""

    text: str
    spans: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        return self.text

    def __len__(self) -> int:
        return len(self.spans)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words, in order; a deleted word is empty and keeps its place."""
        return tuple([self.text[start:end] for start, end in self.spans])

    def replace(self, changes: Mapping[int, str]) -> "Document":
        """The document with new words at some places; a new word may be empty or several words.

        >>> str(read("A good film, really!").replace({1: "very bad", 3: "sadly"}))
        'A very bad film, sadly!'
        """
        if not all(0 <= place < len(self.spans) for place in changes):
            raise IndexError(f"places {sorted(changes)} are not all among the {len(self.spans)} words")
        pieces: list[str] = []
        spans = list(self.spans)
        done = moved = 0
        first = min(changes, default=len(spans))
        for place in range(first, len(spans)):
            start, end = self.spans[place]
            longer = 0
            if place in changes:
                word = changes[place]
                pieces += self.text[done:start], word
                done, longer = end, len(word) - (end - start)
            spans[place] = (start + moved, end + moved + longer)
            moved += longer
        pieces.append(self.text[done:])
        return Document("".join(pieces), tuple(spans))


def read(text: str) -> Document:
    """The document of any string.

    >>> read("Don't say 'well-made'…").words
    ("Don't", 'say', 'well-made')
    """
    seen = text if text.isascii() and "_" not in text else text.translate(disguise(text))
    return Document(text, tuple([match.span() for match in WORD.finditer(seen)]))


def disguise(text: str) -> dict[int, str]:
    """What the pattern reads instead of a text's underscores and combining marks, one character for one."""
    marks = (char for char in set(text) if unicodedata.category(char).startswith("M"))
    return {ord("_"): " "} | {ord(mark): "_" for mark in marks}


def changed(before: Document, after: Document) -> tuple[int, ...]:
    """The places whose words differ between two states of one document."""
    pairs = zip(before.words, after.words, strict=True)
    return tuple([place for place, (old, new) in enumerate(pairs) if old != new])
