"""Words that name another of the same kind: tennis and basketball, a dog and a cat, to sit and to stand.

Who puts one for the other says something else, though about the same matter: it is how people revise a sentence so
that it is no longer true.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from unfooled.text.document import Document
from unfooled.text.english.lexicon import Lexicon, lexicon
from unfooled.text.english.swaps import REMEMBERED, formed, meaning
from unfooled.text.english.tagging import tag

STEPS = {"n": 2, "v": 1}  # how far up two words of a kind may meet; verbs have few levels
VAGUE = {"n": 3, "v": 0}  # synsets above one that is no kind yet: a group, an object, an abstraction
LEAST = 3  # times that a word is met, or it is a slip or a name
COMMONEST = 1  # sense of a word: a cat may be a man, and is not what one thinks of
HIGHEST = 8  # levels over which a word is looked for above another: entity is above all of them


@dataclass(frozen=True)
class Kin:
    """The nouns and verbs of some texts, by what they are a kind of."""

    below: Mapping[tuple[str, int], tuple[str, ...]]  # part of speech and synset: the base forms a few steps below it
    met: Mapping[tuple[str, str], int]  # part of speech and base form: how often the texts have it
    remembered: dict[tuple[str, str], Mapping[str, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, documents: Iterable[Document]) -> "Kin":
        """The kin among the words of some documents, each of which is met a few times."""
        known, met = lexicon(), Counter[tuple[str, str]]()
        for document in documents:
            for word, tagged in zip(document.words, tag(document.words), strict=True):
                part = meaning(word, tagged)
                if part in STEPS and (bases := known.lemmas(word, part)):
                    met[part, bases[0]] += 1
        below: dict[tuple[str, int], list[str]] = {}
        for (part, base), count in met.items():
            for synset in kinds(known, base, part) if count >= LEAST else ():
                below.setdefault((part, synset), []).append(base)
        return cls({key: tuple(bases) for key, bases in below.items()}, met)

    def sisters(self, word: str, tagged: str) -> Mapping[str, int]:
        """Other words of the kind of a word of this Penn tag, in its form and case, each with how often it is met.

        Left out is what shares any sense with the word, or is above or below it: a dog is an animal.
        """
        part, known = meaning(word, tagged), lexicon()
        if part not in STEPS:
            return {}
        if (word, tagged) not in self.remembered:
            below = (self.below.get((part, kind), ()) for kind in kinds(known, word, part))
            bases = dict.fromkeys(base for own in below for base in own)
            apart = [base for base in bases if not related(known, word, base, part)]
            forms = {form: self.met[part, base] for base in apart for form in formed(word, tagged, [base])}
            self.remembered[word, tagged] = forms
        return self.remembered[word, tagged]


def names_one_of(words: Iterable[str], sister: str, part: str) -> bool:
    """Whether a sister is, in its commonest sense, one of some words, or above or below it: a child among children."""
    known = lexicon()
    return any(related(known, word, sister, part, COMMONEST) for word in words)


def kinds(known: Lexicon, word: str, part: str) -> tuple[int, ...]:
    """What a word is, in its commonest sense, a kind of."""
    near = above(known, known.senses(word, part)[:1], STEPS[part])
    return tuple(one for one in sorted(near) if len(above(known, [one], HIGHEST)) >= VAGUE[part])


def above(known: Lexicon, synsets: Sequence[int], steps: int) -> frozenset[int]:
    """The synsets up to so many steps above some."""
    found: set[int] = set()
    here = set(synsets)
    for _ in range(steps):
        here = {up for synset in here for up in known.tables.hypernyms[synset]} - found
        found |= here
    return frozenset(found)


@lru_cache(REMEMBERED)
def related(known: Lexicon, word: str, other: str, part: str, most: int | None = None) -> bool:
    """Whether two words have a sense in common, or one is above the other, in any sense or in the first of them."""
    own, others = known.senses(word, part)[:most], known.senses(other, part)[:most]
    upward = {*own, *above(known, own, HIGHEST)}
    return bool(upward.intersection(others) or above(known, others, HIGHEST).intersection(own))
