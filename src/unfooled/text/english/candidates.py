"""What a word may be replaced by, sorted by kind: WordNet's words, other forms of the word, any word at all.

Candidates are nouns, verbs, adjectives and adverbs, but no proper nouns, no auxiliaries and no contractions. Our tags
do not tell auxiliaries from other verbs, so forms of be, have and do are never candidates, and neither is "not".
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from typing import Literal, NamedTuple

import numpy as np

from unfooled.text.english.brill import known
from unfooled.text.english.inflection import inflected
from unfooled.text.english.lexicon import lexicon
from unfooled.text.english.stop_words import STOP_WORDS
from unfooled.text.english.tagging import kind as part_of_speech

Kind = Literal["hypernym", "synonym", "inflection", "antonym", "random"]
Kinds = tuple[Kind, ...]
Lists = Mapping[str, tuple[str, ...]]

NEVER = frozenset(["be", "am", "is", "are", "was", "were", "been", "being", "have", "has", "had", "having"])
NEVER |= frozenset(["do", "does", "did", "doing", "done", "not"])
PROPER = frozenset(["NNP", "NNPS"])
UNIVERSAL = {"n": "NOUN", "v": "VERB", "a": "ADJ", "r": "ADV"}
FORMS = {"n": ("NN", "NNS"), "v": ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ")}
FORMS |= {"a": ("JJ", "JJR", "JJS"), "r": ("RB", "RBR", "RBS")}
REMEMBERED = 1 << 15
FORGIVEN = 0.15


class Options(NamedTuple):
    """What one word may become: the kinds it has words of, each with its words, for either version."""

    same: tuple[tuple[Kind, tuple[str, ...]], ...]
    other: tuple[tuple[Kind, tuple[str, ...]], ...]


@lru_cache(8)
def chooser(reinflect: bool, same: Kinds, other: Kinds) -> Callable[[str, str], Options | None]:
    """From a word and its tag to its options, of these kinds only; the words met last are remembered."""

    @lru_cache(REMEMBERED)
    def options(word: str, tag: str) -> Options | None:
        lists = candidates(word, tag, reinflect)
        if lists is None:
            return None
        return Options(
            tuple([(kind, lists[kind]) for kind in same if kind in lists]),
            tuple([(kind, lists.get(kind, ())) for kind in other if kind in lists or kind == "random"]),
        )

    return options


def candidates(word: str, tag: str, reinflect: bool = False) -> Lists | None:
    """The words that may stand for a word with a Penn tag, by kind; None where the word is no candidate at all.

    Kinds without words are left out. WordNet's words are base forms unless ``reinflect`` gives them the word's form.
    Letter case is WordNet's.

    >>> sorted(candidates("films", "NNS")), candidates("films", "NNS")["inflection"]
    (['hypernym', 'inflection', 'synonym'], ('film',))
    >>> candidates("good", "JJ")["antonym"], candidates("Paris", "NNP")
    (('bad', 'evil'), None)
    """
    pos, lower = part_of_speech(tag), word.lower()
    if pos is None or tag in PROPER or lower in NEVER or "'" in word or "’" in word or not word[:1].isalpha():
        return None
    words = lexicon()
    lists = {
        "hypernym": words.hypernyms(lower, pos),
        "synonym": words.synonyms(lower, pos),
        "antonym": words.antonyms(lower, pos),
    }
    if reinflect:
        lists = {name: tuple([inflected(one, tag) for one in some]) for name, some in lists.items()}
    lists["inflection"] = forms(lower, pos)
    unlike = {name: others(lower, some) for name, some in lists.items()}
    return {name: some for name, some in unlike.items() if some}


def others(word: str, some: Iterable[str]) -> tuple[str, ...]:
    """The words, each once, without the word itself in whatever case."""
    return tuple([one for one in dict.fromkeys(some) if one and one.casefold() != word.casefold()])


@lru_cache(REMEMBERED)
def forms(word: str, pos: str) -> tuple[str, ...]:
    """All forms of the base forms of a word, in one part of speech, the word itself among them.

    >>> forms("gave", "v")
    ('give', 'gave', 'giving', 'given', 'gives')
    """
    from lemminflect import getAllInflections, getLemma  # not before it is needed: it reads its tables

    bases = lexicon().lemmas(word, pos) or getLemma(word, UNIVERSAL[pos], lemmatize_oov=False)
    inflections = [getAllInflections(base, UNIVERSAL[pos]) for base in bases]
    return tuple(dict.fromkeys(form for listed in inflections for tag in FORMS[pos] for form in listed.get(tag, ())))


@cache
def random_words() -> tuple[str, ...]:
    """A fixed list of English words: WordNet's base forms of letters a–z that its own tagged texts have.

    >>> len(random_words()), random_words()[:2]
    (16744, ('ab', 'abandon'))
    """
    tables = lexicon().tables
    counts, starts = np.asarray(tables.tag_counts), np.asarray(tables.senses.starts)
    sums = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    met = (sums[starts[1:]] - sums[starts[:-1]]).reshape(-1, len(tables.keys)).sum(axis=0)
    plain = (word for word, times in zip(tables.keys, met.tolist(), strict=True) if times and len(word) > 1)
    return tuple([word for word in plain if word.isascii() and word.isalpha() and word.islower()])


def random_word(word: str, draw: Callable[[int], int]) -> str:
    """A word of the fixed list that is neither the word, in any form, nor related to it in WordNet."""
    words, near = random_words(), related(word.lower())
    while True:
        drawn = words[draw(len(words))]
        if near.isdisjoint(bases(drawn)):
            return drawn


@lru_cache(REMEMBERED)
def bases(word: str) -> tuple[str, ...]:
    """The base forms of a word of the fixed list, the word among them; as many are remembered as there are."""
    return lexicon().lemmas(word)


@lru_cache(REMEMBERED)
def related(word: str) -> frozenset[str]:
    """A word, its base forms, and its synonyms, hypernyms and antonyms of all parts of speech, in lower case."""
    words = lexicon()
    lists = (words.synonyms(word), words.hypernyms(word), words.antonyms(word, indirect=True), words.lemmas(word))
    return frozenset([word, *(one.lower() for some in lists for one in some)])


def english(words: Iterable[str]) -> bool:
    """Whether a text may be English: at most half of its words are unknown, and not many more than are function words.

    One stray word and 15 in a hundred are forgiven: names, new words and misspellings are English too.

    >>> english("The film was dull".split()), english("Der Film war langweilig und öde".split())
    (True, False)
    """
    said = [evidence(word) for word in words]
    strange, usual = said.count(1), said.count(-1)
    return 2 * strange <= len(said) and strange <= usual + 1 + FORGIVEN * len(said)


@lru_cache(REMEMBERED)
def evidence(word: str) -> int:
    """1 for a word of letters that no English list has, −1 for an English function word, 0 for any other."""
    plain = word.replace("’", "'").removesuffix("'s")
    lower = plain.lower()
    if lower in STOP_WORDS:
        return -1
    return int(plain[:1].isalpha() and plain not in known() and lower not in known() and lower not in lexicon())
