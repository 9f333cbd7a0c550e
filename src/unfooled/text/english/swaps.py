"""Words that say the same as a word, and words that say the opposite, each in its form and letter case."""

from collections.abc import Iterable, Mapping
from functools import lru_cache

from unfooled.text.document import Document
from unfooled.text.english.inflection import cased, inflected
from unfooled.text.english.lexicon import lexicon, parts
from unfooled.text.english.neighbours import without_antonyms
from unfooled.text.english.stop_words import STOP_WORDS
from unfooled.text.english.tagging import kind

REMEMBERED = 1 << 14
SENSES = 2  # of a word, that a reader thinks of
ARTICLES = {"a", "an"}


@lru_cache(REMEMBERED)
def synonyms_of(word: str, tag: str) -> tuple[str, ...]:
    """WordNet's single-word synonyms of a word of this Penn tag, those of its commonest sense first.

    A synonym must share one of its two commonest senses with one of the word's two: "good" and "full" have a sense in
    common, but nobody reads one for the other. Stop words, names, what WordNet also calls opposites, and words that
    its own texts do not use once are left out.

    >>> synonyms_of("Films", "NNS")[0]
    'Movies'
    >>> synonyms_of("good", "JJ")
    ()
    """
    pos = meaning(word, tag)
    if pos is None:
        return ()
    return formed(word, tag, without_antonyms(word.lower(), of_a_common_sense(word, pos), lexicon()))


def of_a_common_sense(word: str, pos: str | None) -> tuple[str, ...]:
    """WordNet's synonyms of a word that share one of their commonest senses of a part of speech with one of its own.

    >>> "movie" in of_a_common_sense("film", "n"), "full" in of_a_common_sense("good", None)
    (True, False)
    """
    known = lexicon()
    return tuple(
        other
        for part in parts(pos)
        for other in known.synonyms(word.lower(), part)
        if known.count(other, part)
        and set(known.senses(word, part)[:SENSES]).intersection(known.senses(other, part)[:SENSES])
    )


@lru_cache(REMEMBERED)
def antonyms_of(word: str, tag: str) -> tuple[str, ...]:
    """WordNet's single-word opposites of a word of this Penn tag: direct ones first, then those of like adjectives.

    >>> antonyms_of("better", "JJR")[0], antonyms_of("the", "DT")
    ('worse', ())
    """
    pos = meaning(word, tag)
    return () if pos is None else formed(word, tag, lexicon().antonyms(word.lower(), pos, indirect=True))


def meaning(word: str, tag: str) -> str | None:
    """The part of speech by which a word may be exchanged; none for function words and names."""
    return None if tag.startswith("NNP") or word.lower() in STOP_WORDS else kind(tag)


def formed(word: str, tag: str, words: Iterable[str]) -> tuple[str, ...]:
    """The single words among these in the form and case of a word, each once, without the word itself."""
    single = [other for other in words if other.replace("-", "").isalnum()]
    forms = dict.fromkeys(cased(inflected(other, tag), word) for other in single)
    return tuple(form for form in forms if form.casefold() != word.casefold() and " " not in form)


def exchanged(document: Document, changes: Mapping[int, str]) -> str:
    """The text with new words at some places, and "a" or "an" before them as they ask for it.

    >>> from unfooled.text.document import read
    >>> exchanged(read("It is a genial film."), {3: "amiable"})
    'It is an amiable film.'
    """
    whole = dict(changes)
    for place, word in changes.items():
        before = document.words[place - 1] if place else ""
        if before.lower() in ARTICLES and place - 1 not in changes and word:
            whole[place - 1] = cased("an" if sounds_open(word) else "a", before)
    return str(document.replace(whole))


def sounds_open(word: str) -> bool:
    """Whether a word begins with the sound of a vowel, as far as its letters tell.

    >>> [sounds_open(word) for word in ("amiable", "unit", "unable", "hour", "house", "one", "European")]
    [True, False, True, True, False, False, False]
    """
    lower = word.lower()
    if lower.startswith(("one", "once", "eu", "ew", "uni", "use", "usu", "uti", "ura", "ubi")):
        return lower.startswith(("unim", "unin", "unid"))  # unimportant, uninspired, unidentified
    return lower.startswith(("a", "e", "i", "o", "u", "hour", "heir", "honest", "honor", "honour"))
