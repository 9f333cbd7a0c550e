"""Changes of a text that turn its meaning round: a negation put in or taken out, a word made its antonym."""

import re
from collections.abc import Sequence

from unfooled.seeds import Key, digest
from unfooled.text.document import Document, read
from unfooled.text.english.contractions import NOT
from unfooled.text.english.inflection import cased
from unfooled.text.english.lexicon import lexicon
from unfooled.text.english.swaps import antonyms_of, exchanged
from unfooled.text.english.tagging import kind, tag
from unfooled.text.english.word_lists import NEGATED

AUXILIARIES = {"is", "are", "was", "were", "am", "will", "would", "can", "could", "should", "must", "may", "might"}
PERFECT = {"has", "have", "had"}
SUBJECTS = {"i", "you", "he", "she", "it", "we", "they", "this", "that", "these", "those", "there", "who", "which"}
PLAIN_NOT = re.compile(r" (?:not|never)\b(?! (?:only|just|merely)\b)(?= \w)", re.IGNORECASE)
CANNOT = re.compile(r"\b(can)not\b", re.IGNORECASE)
SUBORDINATE = {"when", "if", "that", "who", "which", "because", "although", "though", "while", "as", "since", "whether"}
SUBORDINATE |= {"how", "why", "what", "where", "than", "until", "unless", "whose", "whom", "before", "after"}
PAUSE = re.compile(r"[.,;:!?()\[\]—–]|--")
ORDER = {"a": 0, "r": 1, "v": 2, "n": 3}  # what carries an opinion comes first
DO = {"VBZ": "does", "VBD": "did", "VBP": "do"}


def negation(text: str) -> str:
    """The text with its first negation taken out or, without one, its first verb negated; as it is where neither goes.

    >>> negation("The film is good."), negation("She liked it."), negation("It isn't good.")
    ('The film is not good.', 'She did not like it.', 'It is good.')
    """
    without = affirmed(text)
    return without if without != text else denied(text)


def affirmed(text: str) -> str:
    """The text without its first negation."""
    ways = ((NOT, lambda match: cased(NEGATED[match[1].lower()], match[1])), (CANNOT, r"\1"), (PLAIN_NOT, ""))
    return next((pattern.sub(plain, text, count=1) for pattern, plain in ways if pattern.search(text)), text)


def denied(text: str) -> str:
    """The text with its first auxiliary, or else its first finite verb after a subject, negated.

    Questions stay as they are, and verbs of clauses that depend on another: to negate them turns nothing round.
    """
    document = read(text)
    words = [word.lower() for word in document.words]
    tags = tag(document.words)
    if text.rstrip().endswith("?"):
        return text
    main = [place for place in range(1, len(words)) if not depends(document, place)]
    for place in main:
        if helps(place, words, tags):
            return str(document.replace({place: "cannot" if words[place] == "can" else f"{document.words[place]} not"}))
    for place in main:
        if tags[place] in DO and follows_subject(place, words, tags):
            return with_do(document, place, tags[place])
    return text


def depends(document: Document, place: int) -> bool:
    """Whether a word stands in a clause that depends on another: one that "when", "that" or the like begins."""
    for before in range(place - 1, -1, -1):
        if PAUSE.search(document.text[document.spans[before][1] : document.spans[before + 1][0]]):
            return False
        # At the beginning "that" points at something: "That is all."
        if document.words[before].lower() in SUBORDINATE and (before or document.words[0].lower() != "that"):
            return True
    return False


def helps(place: int, words: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether a word is an auxiliary that not can follow: have only before a participle."""
    if place + 1 == len(words):
        return False
    if words[place] in PERFECT:
        return tags[place + 1] == "VBN" or words[place + 1] == "been"
    return words[place] in AUXILIARIES


def follows_subject(place: int, words: Sequence[str], tags: Sequence[str]) -> bool:
    """Whether a noun or pronoun stands just before a verb."""
    return words[place - 1] in SUBJECTS or tags[place - 1].startswith("NN") or tags[place - 1] == "PRP"


def with_do(document: Document, place: int, tagged: str) -> str:
    """The document with a finite verb negated by do."""
    word = document.words[place]
    bases = lexicon().lemmas(word.lower(), "v")
    base = next((one for one in bases if one != word.lower()), bases[0] if bases else None)
    if base is None:
        return document.text
    return str(document.replace({place: f"{DO[tagged]} not {base if tagged != 'VBP' else word.lower()}"}))


def antonyms(text: str, key: Sequence[Key]) -> str:
    """The text with one word made its antonym: of the best part of speech there is, the one the key draws.

    >>> antonyms("A good film.", (0,))
    'A bad film.'
    """
    document = read(text)
    options = [
        (ORDER[kind(tagged) or "n"], digest(*key, place), place, others[0])
        for place, (word, tagged) in enumerate(zip(document.words, tag(document.words), strict=True))
        if (others := antonyms_of(word, tagged))
    ]
    if not options:
        return text
    _, _, place, other = min(options)
    return exchanged(document, {place: other})
