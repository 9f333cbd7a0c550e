"""Which language texts look written in: by their letters, and where those are Latin, by the commonest words of some.

It is a look, not a study: enough to warn a person who measures an English model on German letters to the editor.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from unfooled.text.document import read
from unfooled.text.english.candidates import english

SAMPLE = 300  # texts that are looked at
FEWEST_WORDS = 3  # by which a text is judged at all
USUAL = 0.08  # of the words of a text in a language are among its commonest
SCRIPTS = {
    "CJK": "Chinese",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "CYRILLIC": "written in Cyrillic",
    "ARABIC": "written in Arabic letters",
    "GREEK": "Greek",
    "HEBREW": "Hebrew",
    "THAI": "Thai",
    "DEVANAGARI": "written in Devanagari",
}
COMMONEST = {
    "German": "der die das und ist nicht ein eine ich es war mit für auf von zu den wie sehr auch",
    "French": "le la les et est pas un une je il des que qui dans pour très ce avec sur du",
    "Spanish": "el los las y es no un una que de en por para con muy su lo se como pero",
    "Italian": "il gli che e è non un una di per con molto sono questo del della ma come lo le",
    "Portuguese": "o os as e é não um uma que de em por para com muito seu do da mas como",
    "Dutch": "de het een en is niet ik van dat met voor op zijn maar ook heel was er te deze",
    "Swedish": "och är inte en ett det som jag på för med av att den var mycket",
    "Polish": "i w nie jest to na się że z do był bardzo ale jak tak",
    "Turkish": "bir ve bu çok için ile ama değil gibi daha olan",
}
WORDS = {language: frozenset(words.split()) for language, words in COMMONEST.items()}


@dataclass(frozen=True)
class Spoken:
    """How many of the texts looked at do not look English, and what they look like instead."""

    strange: int
    looked_at: int
    language: str

    @property
    def mostly_strange(self) -> bool:
        """Whether more than half of them do not look English."""
        return 2 * self.strange > self.looked_at


def spoken(texts: Iterable[str]) -> Spoken:
    """What the first texts look written in; those of a word or two are no evidence, unless of letters of their own.

    >>> spoken(["Der Film war sehr langweilig und nicht gut."])
    Spoken(strange=1, looked_at=1, language='German')
    >>> spoken(["The film was dull."]).mostly_strange
    False
    """
    languages: Counter[str] = Counter()
    strange = looked_at = 0
    for text in islice((text for text in texts if text.strip()), SAMPLE):
        words = read(text).words
        script = script_of(text)
        if script is None and len(words) < FEWEST_WORDS:
            continue
        looked_at += 1
        if script is not None or not english(words):
            strange += 1
            languages[script or language_of(words)] += 1
    return Spoken(strange, looked_at, languages.most_common(1)[0][0] if languages else "English")


def script_of(text: str) -> str | None:
    """What most of the first letters of a text are, where they are not Latin."""
    kinds = Counter(kind for letter in text[:400] if (kind := kind_of(letter)))
    total = sum(kinds.values())
    foreign = {kind: count for kind, count in kinds.items() if kind in SCRIPTS}
    if 2 * sum(foreign.values()) <= total:
        return None
    if "HIRAGANA" in foreign or "KATAKANA" in foreign:  # Japanese is written in Chinese characters too
        return SCRIPTS["HIRAGANA"]
    return SCRIPTS[max(foreign, key=lambda kind: foreign[kind])]


@lru_cache(4096)
def kind_of(letter: str) -> str:
    """The first word of a letter's name, which says what it is written in; empty for what is no letter."""
    return unicodedata.name(letter, "").partition(" ")[0] if letter.isalpha() else ""


def language_of(words: Sequence[str]) -> str:
    """The language whose commonest words a text in Latin letters has most of.

    >>> language_of("Le film est très long et pas drôle".split()), language_of(["xyzzy"] * 9)
    ('French', 'not English')
    """
    lower = [word.casefold() for word in words]
    shares = {language: sum(word in own for word in lower) / len(lower) for language, own in WORDS.items()}
    best = max(shares, key=lambda language: shares[language])
    return best if shares[best] >= USUAL else "not English"
