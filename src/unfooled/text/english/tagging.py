"""Parts of speech, as Penn Treebank tags: by default quick and built in, by a spaCy model where one is named.

A contraction is one word here and two to a tagger; it has the tag of its first part ("don't" that of "do"). Of
several words that stand in one place the last one counts, and an empty word has the tag "".
"""

import re
from collections.abc import Callable, Sequence
from functools import cache

from unfooled.errors import BadInput
from unfooled.text.english.brill import brill_tags, kind

__all__ = ["kind", "tag", "tagger"]

Tagger = Callable[[Sequence[str]], list[str]]

CONTRACTION = re.compile(r"(.+?)(n't|'(?:s|re|ve|ll|d|m))", re.IGNORECASE)


def tag(words: Sequence[str]) -> list[str]:
    """The Penn tag of each word of a text, in order.

    >>> tag("We don't fish for good stories".split())
    ['PRP', 'VBP', 'VB', 'IN', 'JJ', 'NNS']
    """
    return tagged(words, brill_tags)


def tagged(words: Sequence[str], tagger: Tagger) -> list[str]:
    """The tags a tagger of tokens gives to words."""
    tokens: list[str] = []
    places: list[int] = []
    for word in words:
        if "'" in word or "’" in word or not word or " " in word:
            *before, stem = word.split() or [""]
            tokens += before
            places.append(len(tokens) if stem else -1)
            tokens += parts(stem)
        else:
            places.append(len(tokens))
            tokens.append(word)
    tags = tagger(tokens)
    return [tags[place] if place >= 0 else "" for place in places]


def parts(word: str) -> tuple[str, ...]:
    """A contraction as a tagger wants it.

    >>> parts("Don’t"), parts("o'clock"), parts("")
    (('Do', "n't"), ("o'clock",), ())
    """
    plain = word.replace("’", "'")
    match = CONTRACTION.fullmatch(plain)
    return match.groups() if match else (plain,) if plain else ()


def tagger(name: str | None) -> Tagger:
    """The built-in tagger, or that of the spaCy model with this name."""
    if name is None:
        return tag
    model = spacy_model(name)
    return lambda words: tagged(words, model)


@cache
def spacy_model(name: str) -> Tagger:
    """The tagger of an installed spaCy model, over tokens."""
    try:
        import spacy
        from spacy.tokens import Doc

        model = spacy.load(name, exclude=["parser", "ner", "lemmatizer", "senter"])
    except (ImportError, OSError):
        raise BadInput(
            f"the tagger {name!r} is not an installed spaCy model; install spacy and the model, or name no tagger"
        ) from None
    if not {"tagger", "morphologizer"} & set(model.pipe_names):
        raise BadInput(f"the spaCy model {name!r} has no tagger; name another model, or none")

    def tags(tokens: Sequence[str]) -> list[str]:
        return [token.tag_ for token in model(Doc(model.vocab, words=list(tokens)))]

    return tags
