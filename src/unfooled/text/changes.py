"""Changes of a text that leave its meaning alone, as CheckList's invariance tests make them (Ribeiro et al., ACL 2020).

Each takes the texts of one example (one, or two of a pair) and a key, and gives the changed texts, or the same where
there is nothing to change. What is drawn is a function of the key alone. Entities are exchanged in both texts of a
pair alike; of all other changes one text is enough, the last that can be changed.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from unfooled.errors import BadInput, nearest
from unfooled.seeds import Key, digest
from unfooled.text.document import read
from unfooled.text.english.contractions import contractions
from unfooled.text.english.lexicon import lexicon
from unfooled.text.english.opposites import antonyms, negation
from unfooled.text.english.swaps import exchanged, synonyms_of
from unfooled.text.english.tagging import tag
from unfooled.text.english.word_lists import CITIES, COUNTRIES, MEN, NEUTRAL, WOMEN

Texts = tuple[str, ...]
Change = Callable[[Texts, Sequence[Key]], Texts]

SHARE = 0.3  # of the words that have a synonym
# A whole number that is no rating, share, price part, date part or decimal.
NUMBER = re.compile(r"(?<![\w.,/:%$€£#-])(?<!out of )[1-9]\d{0,3}(?![\w/:%-]|[.,]\d| ?(?:/|%|stars?\b|out of\b))")
END = re.compile(r"\s*[.!?…]+\s*$")


@dataclass(frozen=True)
class Variant:
    """One changed example: its place among the texts, the kind of change, and the texts after it."""

    index: int
    kind: str
    texts: Texts


def perturbed(
    texts: Sequence[str | Texts], kinds: Iterable[str] = (), seed: int = 0, places: Sequence[int] | None = None
) -> list[Variant]:
    """Every example changed in each of these ways, all that keep the meaning unless told, where it can be.

    Variants come in the order of the texts, then of the kinds; an example that a kind cannot change has none of it.
    ``places`` are what is drawn by, where the texts are a part of others.

    >>> [(one.kind, *one.texts) for one in perturbed(["It isn't in Paris, John"], ("contractions", "names"))]
    [('contractions', 'It is not in Paris, John'), ('names', "It isn't in Paris, Kevin")]
    """
    chosen = tuple(kinds) or INVARIANT
    for kind in chosen:
        if kind not in CHANGES:
            raise BadInput(f"there is no change of texts called {kind}; {nearest(kind, CHANGES)}")
    variants = []
    for index, given in enumerate(texts):
        whole = (given,) if isinstance(given, str) else tuple(given)
        for kind in chosen:
            after = CHANGES[kind](whole, (seed, kind, index if places is None else places[index]))
            if after != whole:
                variants.append(Variant(index, kind, after))
    return variants


def pick(options: Sequence[str], key: Sequence[Key], *more: Key) -> str:
    """One of the options, by the key."""
    return options[digest(*key, *more) % len(options)]


def last_changed(texts: Texts, change: Callable[[str], str]) -> Texts:
    """The texts with a change in the last one that can be changed."""
    for place in reversed(range(len(texts))):
        after = change(texts[place])
        if after != texts[place]:
            return (*texts[:place], after, *texts[place + 1 :])
    return texts


def typos(texts: Texts, key: Sequence[Key]) -> Texts:
    """Two neighbouring letters inside one word of four letters or more change places; no other word comes about."""

    def one(text: str) -> str:
        document = read(text)
        swaps = [
            (place, word[:cut] + word[cut + 1] + word[cut] + word[cut + 2 :])
            for place, word in enumerate(document.words)
            if len(word) > 3 and word.isalpha() and word[1:].islower()
            for cut in range(1, len(word) - 1)
            if word[cut] != word[cut + 1]
        ]
        first = digest(*key) % max(len(swaps), 1)
        for place, word in (*swaps[first:], *swaps[:first]):
            if word.lower() not in lexicon():
                return str(document.replace({place: word}))
        return text

    return last_changed(texts, one)


def names(texts: Texts, key: Sequence[Key]) -> Texts:
    """First names become other first names, women's women's and men's men's."""
    return moved(texts, (WOMEN, MEN), key)


def places(texts: Texts, key: Sequence[Key]) -> Texts:
    """Cities become other cities, countries other countries."""
    return moved(texts, (CITIES, COUNTRIES), key)


def moved(texts: Texts, lists: Iterable[Sequence[str]], key: Sequence[Key]) -> Texts:
    """What is on a list becomes something else on it, everywhere alike.

    Entries must begin with a capital, except in texts that have none at all.
    """
    lower = not any(char.isupper() for text in texts for char in text)
    new: dict[str, str] = {}
    for listed in lists:
        present = [name for name in listed if any(occurs(name.lower() if lower else name, text) for text in texts)]
        free = [name for name in listed if name not in present]
        for name in present:
            new[name] = pick(free, key, name)
    return tuple(renamed(text, new, lower) for text in texts)


def occurs(name: str, text: str) -> bool:
    """Whether a text has a name as a word of its own."""
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def renamed(text: str, new: Mapping[str, str], lower: bool) -> str:
    """The text with all names replaced at once, so that no replacement is replaced again."""
    if not new:
        return text
    known = {old.lower() if lower else old: one.lower() if lower else one for old, one in new.items()}
    longest_first = sorted(known, key=len, reverse=True)
    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)"
    return re.sub(pattern, lambda match: known[match.group()], text)


def numbers(texts: Texts, key: Sequence[Key]) -> Texts:
    """Whole numbers above two become others of like size, everywhere alike; ratings, shares and dates stay."""
    others = dict.fromkeys(number for text in texts for number in NUMBER.findall(text) if int(number) > 2)
    taken = set(others)
    new: dict[str, str] = {}
    for number in others:
        value, length = int(number), len(number)
        far = min(max(2, value // 5), 20)  # a year stays a year of its time
        near = [value + step for step in range(-far, far + 1) if value + step > 2]
        options = [str(one) for one in near if len(str(one)) == length and str(one) not in taken]
        if options:
            new[number] = pick(options, key, number)
            taken.add(new[number])
    return tuple(NUMBER.sub(lambda one: new.get(one.group(), one.group()), text) for text in texts)


def punctuation(texts: Texts, key: Sequence[Key]) -> Texts:
    """The mark at the end goes; a text without one gets a full stop."""

    def one(text: str) -> str:
        bare = END.sub("", text)
        return bare if bare and bare != text else f"{text.rstrip()}." if text.strip() else text

    return last_changed(texts, one)


def synonyms(texts: Texts, key: Sequence[Key]) -> Texts:
    """Three in ten of the words that have a synonym, and at least one, become the first synonym WordNet has."""

    def one(text: str) -> str:
        document = read(text)
        options = {
            place: others[0]
            for place, (word, tagged) in enumerate(zip(document.words, tag(document.words), strict=True))
            if (others := synonyms_of(word, tagged))
        }
        drawn = sorted(options, key=lambda place: digest(*key, place))[: max(round(SHARE * len(options)), 1)]
        return exchanged(document, {place: options[place] for place in drawn})

    return last_changed(texts, one)


def neutral(texts: Texts, key: Sequence[Key]) -> Texts:
    """A sentence that says nothing of the matter follows; of a pair, it follows the first text."""
    first = texts[0].rstrip()
    if not first:
        return texts
    sentence = pick(NEUTRAL, key)
    if not any(map(str.isupper, first)):
        sentence = sentence.lower()
    return (f"{first}{'' if END.search(first) else '.'} {sentence}", *texts[1:])


KEEPING: dict[str, Change] = {
    "typos": typos,
    "contractions": lambda texts, key: tuple(map(contractions, texts)),
    "names": names,
    "places": places,
    "numbers": numbers,
    "punctuation": punctuation,
    "synonyms": synonyms,
    "neutral": neutral,
}
TURNING: dict[str, Change] = {
    "negation": lambda texts, key: last_changed(texts, negation),
    "antonyms": lambda texts, key: last_changed(texts, lambda text: antonyms(text, key)),
}
CHANGES: dict[str, Change] = KEEPING | TURNING
INVARIANT = tuple(KEEPING)
DIRECTIONAL = tuple(TURNING)
