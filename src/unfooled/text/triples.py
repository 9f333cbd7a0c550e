"""Triples of a text, one word of it replaced by a synonym, and one replaced by an antonym (CLINE 4.6).

Paper says / we do, because:
- "replacing a word": the same word in both, where one has a synonym and an antonym, because then nothing but the
  meaning tells the two apart; elsewhere one word each.
- synonyms are the first WordNet has for the word's part of speech that a reader would take for it, antonyms direct
  before indirect, both in the word's form, with "a" or "an" before them as they ask for; the paper does not say.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from unfooled.seeds import digest
from unfooled.text.document import read
from unfooled.text.english.swaps import antonyms_of, exchanged, synonyms_of
from unfooled.text.english.tagging import tag


@dataclass(frozen=True)
class Triple:
    """A text of a data set, by its place there, with its synonym and antonym versions."""

    index: int
    original: str
    synonym: str
    antonym: str


def triples(texts: Sequence[str | tuple[str, ...]], seed: int = 0) -> list[Triple]:
    """A triple of every text that has words to replace; of a pair, of its last text.

    >>> triples(["An easy film.", "Of the"])
    [Triple(index=0, original='An easy film.', synonym='An easy movie.', antonym='A difficult film.')]
    """
    every = [triple_of(index, text if isinstance(text, str) else text[-1], seed) for index, text in enumerate(texts)]
    return [triple for triple in every if triple is not None]


def triple_of(index: int, text: str, seed: int = 0) -> Triple | None:
    """The triple of one text, if there is one; which words are replaced is a function of (seed, index)."""
    document = read(text)
    tagged = list(enumerate(zip(document.words, tag(document.words), strict=True)))
    alike = {place: some[0] for place, (word, kind) in tagged if (some := synonyms_of(word, kind))}
    contrary = {place: some[0] for place, (word, kind) in tagged if (some := antonyms_of(word, kind))}
    if not alike or not contrary:
        return None

    def drawn(places: Sequence[int]) -> int:
        return min(places, key=lambda place: digest(seed, "triple", index, place))

    both = [place for place in contrary if place in alike]
    one = drawn(both) if both else drawn(list(alike))
    other = one if both else drawn(list(contrary))
    return Triple(index, text, exchanged(document, {one: alike[one]}), exchanged(document, {other: contrary[other]}))
