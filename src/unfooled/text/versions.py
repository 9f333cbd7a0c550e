"""A text's synonym version, which keeps its meaning, and its antonym version, which does not (CLINE, ACL 2021).

Wang, Ding, Li and Zheng replace about 40 % of the tokens by synonyms, hypernyms or inflections, and, for the other
version, about 20 % by antonyms or random words. Only nouns, verbs, adjectives and adverbs are replaced.

Paper says / we do, because:
- tokens: the paper's shares are of spaCy's tokens; ours are of words, because a document here has no punctuation.
- how the shares come about is not said. Policy ``paper``: so many words are drawn (rounded up or down by chance, so
  that the mean is right; at least one; as far as there are candidates); each gets a kind, uniformly among those it
  has, then a word of that kind, uniformly. In the antonym version an antonym where there is one, else a random word.
- the released code draws one kind for the whole text and replaces up to half of its tokens in either version; the next
  kind is tried only where the drawn one replaced nothing. Policy ``released``.
- word forms: the released code leaves WordNet's base forms as they are, and so do we unless ``reinflect`` is set.
- random words are of a fixed list; a word is never replaced by one that WordNet relates to it.
- a text that does not look English, by its words, is passed through as it is.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import chain, count
from struct import Struct
from typing import Literal, NamedTuple

from pydantic import Field

from unfooled.settings import Settings
from unfooled.text.document import Document, read
from unfooled.text.english.candidates import Kind, Kinds, Options, chooser, english, random_word
from unfooled.text.english.inflection import cased
from unfooled.text.english.tagging import tagger

RELEASED_SHARE = 0.5
SIXTEEN = Struct("<16I").unpack  # numbers below 2³² out of one digest
Draw = Callable[[int], int]
Change = tuple[str, Kind]
Places = Mapping[int, Options]
Able = tuple[tuple[Kind, tuple[str, ...]], ...]


class VersionSettings(Settings):
    """How versions are made; the ratios are those of policy ``paper``."""

    policy: Literal["paper", "released"] = "paper"
    synonym_ratio: float = Field(0.4, ge=0, le=1)
    antonym_ratio: float = Field(0.2, ge=0, le=1)
    synonym_kinds: tuple[Literal["hypernym", "synonym", "inflection"], ...] = Field(
        ("hypernym", "synonym", "inflection"), min_length=1
    )
    antonym_kinds: tuple[Literal["antonym", "random"], ...] = Field(("antonym", "random"), min_length=1)
    reinflect: bool = False
    english_only: bool = True  # a text that does not look English is passed through
    tagger: str | None = None  # the built-in one, or an installed spaCy model


class Replacement(NamedTuple):
    """One replaced word: its number in the document, before and after, its kind, and where either stands."""

    word: int
    old: str
    new: str
    kind: Kind
    span: tuple[int, int]  # in the original text, in characters
    new_span: tuple[int, int]  # in the version's


@dataclass(frozen=True)
class Version:
    """A new text: ``document`` has the spans of all words in it, word for word those of the original document."""

    document: Document
    replacements: tuple[Replacement, ...]

    @property
    def text(self) -> str:
        """The new text."""
        return self.document.text


@dataclass(frozen=True)
class Versions:
    """A text's document, its two versions, and which words could have been replaced (``candidates``, by number)."""

    original: Document
    synonym: Version
    antonym: Version
    candidates: tuple[int, ...]
    english: bool = True  # unless too many words are unknown; then it is passed through with ``english_only``


DEFAULT = VersionSettings()
# DCL's second view (2021): WordNet synonyms of the same part of speech for three words in ten.
DCL_VIEW = VersionSettings(synonym_ratio=0.3, synonym_kinds=("synonym",))


def versions(
    text: str, settings: VersionSettings = DEFAULT, seed: int = 0, *keys: int | str, antonym: bool = True
) -> Versions:
    """Both versions of a text, a function of the text, the settings, the seed and the keys alone.

    The keys say what is drawn for, as in ``versions(text, settings, seed, number, epoch)``. Where nobody wants the
    ``antonym`` version, the text itself stands for it.
    """
    document, options, is_english = prepared(text, settings)
    alike = synonym_version(document, options, settings, chance(seed, *keys, "synonym"))
    other = Version(document, ())
    if antonym:
        other = antonym_version(document, options, settings, chance(seed, *keys, "antonym"))
    return Versions(document, alike, other, tuple(options), is_english)


def synonym_view(text: str, settings: VersionSettings = DCL_VIEW, seed: int = 0, *keys: int | str) -> Version:
    """The synonym version alone, by default as DCL's second view."""
    return versions(text, settings, seed, *keys, antonym=False).synonym


def prepared(text: str, settings: VersionSettings) -> tuple[Document, dict[int, Options], bool]:
    """A text's document, what each candidate among its words may become, and whether it may be English."""
    document = read(text)
    words = document.words
    is_english = english(words)
    if not is_english and settings.english_only:
        return document, {}, False
    options = chooser(settings.reinflect, settings.synonym_kinds, settings.antonym_kinds)
    offered = map(options, words, tagger(settings.tagger)(words))
    return document, {place: one for place, one in enumerate(offered) if one is not None}, is_english


def chance(*keys: int | str) -> Draw:
    """Draws of a whole number below another, a function of the keys alone on every machine and Python.

    >>> chance(7, "synonym")(1000) == chance(7, "synonym")(1000) != chance(8, "synonym")(1000)
    True
    """
    key = repr([key if isinstance(key, str) else int(key) for key in keys]).encode()

    blocks = (SIXTEEN(blake2b(key, salt=number.to_bytes(16, "little")).digest()) for number in count())
    following = chain.from_iterable(blocks).__next__
    return lambda below: following() * below >> 32


def synonym_version(document: Document, options: Places, settings: VersionSettings, draw: Draw) -> Version:
    """The document with words that mean about the same."""
    able = {place: one.same for place, one in options.items() if one.same}
    if settings.policy == "released":
        return released(document, able, len(options), settings.synonym_kinds, draw)
    changes: dict[int, Change] = {}
    for place in drawn(list(able), share(settings.synonym_ratio, document, draw), draw):
        kind, words = able[place][draw(len(able[place]))]
        changes[place] = replacement(document.words[place], kind, words, draw)
    return changed(document, changes)


def antonym_version(document: Document, options: Places, settings: VersionSettings, draw: Draw) -> Version:
    """The document with words that mean something else; of the kinds a word has, the first is preferred."""
    able = {place: one.other for place, one in options.items() if one.other}
    if settings.policy == "released":
        return released(document, able, len(options), settings.antonym_kinds, draw)
    places = drawn(list(able), share(settings.antonym_ratio, document, draw), draw)
    return changed(document, {at: replacement(document.words[at], *able[at][0], draw) for at in places})


def released(document: Document, able: Mapping[int, Able], candidates: int, kinds: Kinds, draw: Draw) -> Version:
    """Policy ``released``: one kind for the whole text, the next only where it replaces nothing."""
    most = min(int(RELEASED_SHARE * len(document)), candidates)
    first = draw(len(kinds))
    order = drawn(list(able), len(able), draw)
    for turn in range(len(kinds)):
        kind = kinds[(first + turn) % len(kinds)]
        own = [(at, words) for at in order for its_kind, words in able[at] if its_kind == kind][:most]
        if own:
            return changed(document, {at: replacement(document.words[at], kind, words, draw) for at, words in own})
    return Version(document, ())


def share(ratio: float, document: Document, draw: Draw) -> int:
    """How many words are to be replaced: rounded up or down so that means are right, but at least one, or none at 0."""
    exact = ratio * len(document)
    up = draw(1 << 20) < (exact - int(exact)) * (1 << 20)
    return max(int(exact) + up, 1) if ratio else 0


def drawn(places: list[int], most: int, draw: Draw) -> list[int]:
    """So many of the places, fewer where there are fewer, in random order."""
    most = min(most, len(places))
    for here in range(most):
        there = here + draw(len(places) - here)
        places[here], places[there] = places[there], places[here]
    return places[:most]


def replacement(word: str, kind: Kind, words: Sequence[str], draw: Draw) -> Change:
    """One of the words of a kind, or any word at all, in the letter case of the word it replaces."""
    new = random_word(word, draw) if kind == "random" else words[draw(len(words))]
    return (new if word.islower() else cased(new, word)), kind


def changed(document: Document, changes: Mapping[int, Change]) -> Version:
    """The document with its changes, and the list of them in the order of the text.

    The same document as ``document.replace`` gives, in half the time.
    """
    text, words, old_spans = document.text, document.words, document.spans
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    listed: list[Replacement] = []
    done = at = moved = 0  # characters copied, words passed, characters gained
    for place in sorted(changes):
        new, kind = changes[place]
        start, end = span = old_spans[place]
        spans += [(first + moved, last + moved) for first, last in old_spans[at:place]]
        new_span = (start + moved, start + moved + len(new))
        spans.append(new_span)
        pieces += text[done:start], new
        listed.append(Replacement(place, words[place], new, kind, span, new_span))
        done, at, moved = end, place + 1, new_span[1] - end
    spans += [(first + moved, last + moved) for first, last in old_spans[at:]]
    pieces.append(text[done:])
    return Version(Document("".join(pieces), tuple(spans)), tuple(listed))
