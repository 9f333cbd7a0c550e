"""What a word may be replaced by: WordNet's synonyms, or the neighbours of a table."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from unfooled.text.document import Document
from unfooled.text.english.candidates import others
from unfooled.text.english.inflection import cased, inflected
from unfooled.text.english.lexicon import lexicon
from unfooled.text.english.neighbours import without_antonyms
from unfooled.text.english.stop_words import STOP_WORDS
from unfooled.text.english.swaps import of_a_common_sense
from unfooled.text.english.tagging import Tagger, kind, tag

WORDS = 1 << 15  # whose substitutes are remembered
ENDINGS = ("'s", "'S", "’s", "’S")  # of possessives

# For every word of a document, in order, what may stand in its place; nothing for most.
Substitutes = Callable[[Document], Sequence[tuple[str, ...]]]


def wordnet(
    same_kind: bool = True,
    reinflect: bool = True,
    veto: bool = True,
    skip_stop_words: bool = True,
    tagger: Tagger | None = None,
    possessives: bool = True,
    shared_sense: bool = False,
) -> Substitutes:
    """Synonyms out of WordNet, single words only, in the letter case of the word they replace.

    With ``same_kind`` only synonyms of the word's own part of speech; ``reinflect`` gives them its form ("films" →
    "movies"), without it they stay as they are and the word's own base form is one of them; ``veto`` takes out its
    antonyms. ``tagger`` reads the parts of speech, the built-in one unless told. ``possessives`` have the synonyms
    of their noun ("film's" → "movie's"). With ``shared_sense`` only synonyms that share a common sense with the
    word, as a reader thinks of both, and none for names.
    """

    @lru_cache(maxsize=WORDS)
    def of(word: str, tagged: str | None) -> tuple[str, ...]:
        if skip_stop_words and word.lower() in STOP_WORDS:
            return ()
        noun, ending = parted(word) if possessives else ("", "")
        if noun:
            synonyms = of(noun, tagged) if tagged is None or kind(tagged) == "n" else ()
            return tuple([owning(synonym, ending, tagged) for synonym in synonyms])
        pos = None if tagged is None else kind(tagged)
        if same_kind and pos is None:
            return ()
        pos = pos if same_kind else None
        if shared_sense and (tagged or "").startswith("NNP"):
            return ()
        synonyms = of_a_common_sense(word, pos) if shared_sense else lexicon().synonyms(word.lower(), pos)
        if not reinflect:
            synonyms = (*synonyms, *lexicon().lemmas(word.lower(), pos))
        if veto:
            synonyms = without_antonyms(word.lower(), synonyms, lexicon())
        single = [synonym for synonym in synonyms if synonym.replace("-", "").isalnum()]
        formed = [inflected(synonym, tagged) for synonym in single] if reinflect and tagged else single
        return others(word, (cased(synonym, word) for synonym in formed))

    def substitutes(document: Document) -> list[tuple[str, ...]]:
        words = document.words
        tags = (tagger or tag)(words) if same_kind or reinflect else [None] * len(words)
        return [of(word, tagged) for word, tagged in zip(words, tags, strict=True)]

    return substitutes


def neighbours(table: Mapping[str, Sequence[str]], most: int = 50) -> Substitutes:
    """The nearest words of a table, nearest first, without stop words and antonyms."""

    @lru_cache(maxsize=WORDS)
    def of(word: str) -> tuple[str, ...]:
        if word.lower() in STOP_WORDS:
            return ()
        near = tuple(table.get(word.lower(), ()))[:most]
        noun, ending = parted(word)
        if noun and not near:
            return tuple([owning(other, ending, None) for other in of(noun)])
        kept = without_antonyms(word.lower(), near, lexicon())
        return others(word, (cased(neighbour, word) for neighbour in kept))

    return lambda document: [of(word) for word in document.words]


def parted(word: str) -> tuple[str, str]:
    """A word that ends in 's, parted there; nothing of any other, nor of one that ends so twice or a thousand times.

    >>> parted("Film’s"), parted("films"), parted("film's's")
    (('Film', '’s'), ('', ''), ('', ''))
    """
    noun, ending = word[:-2], word[-2:]
    return (noun, ending) if noun and ending in ENDINGS and not noun.endswith(ENDINGS) else ("", "")


def owning(noun: str, ending: str, tagged: str | None) -> str:
    """A noun with the ending of a possessive; a plural in s has the apostrophe alone.

    >>> owning("movie", "'s", "NN"), owning("kids", "'s", "NNS"), owning("boss", "'s", "NN")
    ("movie's", "kids'", "boss's")
    """
    return noun + ending[0] if tagged in ("NNS", "NNPS") and noun[-1] in "sS" else noun + ending
