"""Where a word's candidates come from: one line a source.

A source gives, for every word of a document, what may stand in its place. Most know the document alone; typos are
drawn anew each time they are asked for, and the mask is the network's own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from unfooled.errors import BadInput
from unfooled.models.encoders.similarity import Similarity
from unfooled.substitution.near import counter_fitted_table, neighbour_table
from unfooled.substitution.substitutes import Substitutes, neighbours, wordnet
from unfooled.text.document import Document, read
from unfooled.text.english.candidates import candidates, english
from unfooled.text.english.inflection import cased
from unfooled.text.english.stop_words import STOP_WORDS
from unfooled.text.english.tagging import tag
from unfooled.text.typos import LONGEST, edits, misspellings
from unfooled.types import Texts

Lists = Sequence[tuple[str, ...]]  # for every word of a document, its candidates

TYPOS = 8  # of a word, of which the worst is taken
READ_TYPOS = 4  # of a word, where each of them has to be read
SAMPLED = 1000  # texts, evenly spread, by which it is seen whether they are English
NEAR, LEAST = 50, 0.5  # near words of a word, and the least cosine of one, as TextFooler has them


@cache
def same_kind() -> Substitutes:
    """WordNet's synonyms of the word's part of speech, in its form."""
    return wordnet()


@cache
def any_sense() -> Substitutes:
    """WordNet's synonyms of any part of speech, as they are listed."""
    return wordnet(same_kind=False, reinflect=False, possessives=False)


def near() -> Substitutes:
    """Counter-fitted neighbours, or those of the default sentence encoder."""
    table = counter_fitted_table()
    return neighbours(neighbour_table(Similarity(), NEAR, LEAST)[0] if table is None else table)


def inflections() -> Substitutes:
    """Other forms of the word."""

    @lru_cache(1 << 14)
    def of(word: str, tagged: str) -> tuple[str, ...]:
        if word.lower() in STOP_WORDS:
            return ()
        forms = (candidates(word, tagged) or {}).get("inflection", ())
        return tuple(cased(form, word) for form in forms)

    return lambda document: [of(word, tagged) for word, tagged in zip(document.words, tag(document.words), strict=True)]


# Sources that are a function of the document, by name.
STATIC: Mapping[str, Callable[[], Substitutes]] = {
    "wordnet": same_kind,
    "any_sense": any_sense,
    "near": near,
    "inflections": inflections,
}
TYPING, HIDING = "typos", "mask"
DRAWN = (TYPING, HIDING)
SOURCES = (*STATIC, *DRAWN)


def usable(names: Sequence[str], mask: str | None, texts: Sequence[Texts]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those of the sources that can be had for these texts and this mask token, and what to say of the others.

    What is a function of the document knows English alone; texts of another language are misspelt and hidden.
    """
    notes = []
    own = tuple(names)
    if any(name in STATIC for name in own) and not in_english(texts):
        drawn = tuple(name for name in own if name in DRAWN) or DRAWN
        own = drawn if HIDING in drawn else (*drawn, HIDING)  # in the place of the lists
        notes.append("the texts are not English: their words are exchanged for misspellings and the mask alone")
    if HIDING in own and mask is None:
        own = tuple(name for name in own if name != HIDING)
        notes.append("the tokenizer has no mask token: no word is hidden")
    if not own:
        raise BadInput("words could only be hidden, and the tokenizer has no mask token; name other method.sources")
    return own, tuple(notes)


def in_english(texts: Sequence[Texts]) -> bool:
    """Whether most of some texts may be, by a sample of them."""
    sample = [texts[int(place)] for place in np.unique(np.linspace(0, len(texts) - 1, min(len(texts), SAMPLED)))]
    return english(word for row in sample for text in row for word in read(text).words)


@dataclass(frozen=True)
class Candidates:
    """The sources that are in use; ``mask`` is the token that hides a word, None where there is none.

    With ``look_alikes`` a word's misspellings are those drawn and all by look-alike letters: which of these a tokenizer
    knows is no chance.
    """

    substitutes: Mapping[str, Substitutes]
    mask: str | None
    look_alikes: bool = False
    typos: int = TYPOS

    @classmethod
    def of(cls, names: Sequence[str], mask: str | None, look_alikes: bool = False, typos: int = TYPOS) -> "Candidates":
        """The sources of these names, each opened once."""
        return cls({name: STATIC[name]() for name in STATIC if name in names}, mask, look_alikes, typos)

    def lists(self, document: Document, names: Sequence[str], random: np.random.Generator) -> list[tuple[str, ...]]:
        """The candidates of every word, of all the sources named, each once."""
        merged: list[dict[str, None]] = [{} for _ in document.words]
        for name in names:
            for word, own in zip(merged, self.listed(document, name, random), strict=True):
                word.update(dict.fromkeys(own))
        return [tuple(own) for own in merged]

    def listed(self, document: Document, name: str, random: np.random.Generator) -> Lists:
        """The candidates of every word, of one source."""
        if name == TYPING:
            return [misspelt(word, random, self.look_alikes, self.typos) for word in document.words]
        if name == HIDING:
            hidden = () if self.mask is None else (self.mask,)
            return [() if word.lower() in STOP_WORDS else hidden for word in document.words]
        return self.substitutes[name](document)


def misspelt(word: str, random: np.random.Generator, look_alikes: bool, count: int = TYPOS) -> tuple[str, ...]:
    """Some misspellings of a word, drawn, and if asked for all by look-alike letters."""
    if len(word) > LONGEST:
        return ()
    drawn = misspellings(word, random, count)
    return tuple(dict.fromkeys((*drawn, *edits(word, "look-alike")))) if look_alikes else drawn
