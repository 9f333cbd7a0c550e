"""Texts whose meaning is turned round, and whether that turns their label: decided by the data or told, never assumed.

A word leans towards a class by its log-odds: how much more often texts of the class have it than other texts,

    lean(w, c) = log (n_wc + ½) / (N_c + 1) − log (n_wc' + ½) / (N_c' + 1),    c' all other classes,

counted by sentence, because every opposite stands somewhere in a long document. Where opposites lean apart (good and
bad, of reviews), turning words turns the label; where they lean alike (rise and fall, of news), it does not.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import atanh, sqrt, tanh

import numpy as np

from unfooled.errors import BadInput, nearest
from unfooled.substitution.reading import Documents
from unfooled.text.document import Document, read
from unfooled.text.english.lexicon import lexicon
from unfooled.text.english.opposites import negation
from unfooled.text.english.sisters import Kin, names_one_of
from unfooled.text.english.swaps import antonyms_of, exchanged, meaning
from unfooled.text.english.tagging import tag
from unfooled.types import Texts

SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
PAIRS = 50  # of opposites, below which nothing can be said of them
TOLD = 20_000  # texts that tell what words there are of a kind
ANOTHER = 0.5  # of the turned pairs whose words' kin is known: with another word of its kind, not negated
ALL = 0.5  # of the turned texts: all words that can be turned are, of the others some
LEAST = 3  # sentences that must have a word before it leans anywhere
NORMAL, ONE_SIDED = 1.959964, 1.644854  # quantiles of an interval of 95 %, and of its upper end alone


@dataclass(frozen=True)
class Leaning:
    """Of one word how much it leans towards each class [classes], and the standard errors of that."""

    towards: np.ndarray
    errors: np.ndarray

    def is_clear(self, label: int) -> bool:
        """Whether it leans towards a class by more than chance would have it."""
        return bool(self.towards[label] > ONE_SIDED * self.errors[label])


Leanings = Mapping[str, Leaning]  # of each word, but for words that are met too rarely


def leanings(texts: Sequence[Texts], labels: Sequence[int], classes: int) -> Leanings:
    """Those of the words of some texts."""
    met: dict[str, Counter[int]] = {}
    sentences = np.zeros(classes)
    for row, label in zip(texts, labels, strict=True):
        for sentence in (part for text in row for part in SENTENCE.split(text)):
            sentences[label] += 1
            for word in {word.lower() for word in read(sentence).words}:
                met.setdefault(word, Counter())[label] += 1
    rest = sentences.sum() - sentences
    counted = {word: np.array([own[label] for label in range(classes)]) for word, own in met.items()}
    return {word: leaning(own, sentences, rest) for word, own in counted.items() if own.sum() >= LEAST}


def leaning(own: np.ndarray, sentences: np.ndarray, rest: np.ndarray) -> Leaning:
    """That of a word which so many sentences of each class have."""
    others = own.sum() - own
    towards = np.log((own + 0.5) / (sentences + 1)) - np.log((others + 0.5) / (rest + 1))  # (4)
    return Leaning(towards, np.sqrt(1 / (own + 0.5) + 1 / (others + 0.5)))


@dataclass(frozen=True)
class Contrariness:
    """The correlation of opposites' leanings, its interval, and the number of pairs it counts for."""

    value: float
    low: float
    high: float
    pairs: int

    @property
    def turns(self) -> bool:
        """Whether opposites lean apart: enough pairs, and the whole interval below 0."""
        return self.pairs >= PAIRS and self.high < 0


def contrariness(known: Leanings) -> Contrariness:
    """How WordNet's opposite adjectives and adverbs lean in data of two classes.

    A word may be in several pairs, so the interval counts half as many pairs as there are words in them.
    """
    words = lexicon()
    pairs = {
        tuple(sorted((word, other.lower())))
        for word in known
        for kind in "ar"
        for other in words.antonyms(word, kind, indirect=True)
        if other.lower() in known and other.lower() != word
    }
    count = len({word for pair in pairs for word in pair}) // 2
    if count < PAIRS:
        return Contrariness(0.0, -1.0, 1.0, count)
    one, other = np.array([[known[word].towards[1] for word in pair] for pair in sorted(pairs)]).T
    # Either of a pair may be called the first.
    value = float(np.corrcoef(np.concatenate([one, other]), np.concatenate([other, one]))[0, 1])
    centre, width = atanh(np.clip(value, -0.999999, 0.999999)), NORMAL / sqrt(count - 3)  # Fisher's z
    return Contrariness(value, tanh(centre - width), tanh(centre + width), count)


@dataclass(frozen=True)
class Turned:
    """A turned version of a row, with its new label; of one turned in part, not ``whole``, only the lean is known."""

    documents: Documents
    label: int
    whole: bool


def turned(
    documents: Documents, label: int, target: int, known: Leanings, random: np.random.Generator, kin: Kin | None = None
) -> Turned | None:
    """A row turned from its label to another; None where nothing in it can be turned.

    Of a pair the last text is negated or, where the kin of its words is known, says another thing of the same kind, one
    as often as the other. Of a single text the words that speak for the label, and whose opposites lean towards the
    target, become those opposites: all of them, or some. Without such a word the text is negated, in part, if its words
    lean towards its label: "watchable but dull" made "not watchable but dull" is turned nowhere.
    """
    *others, last = documents
    words = {} if others else speaking(last, label, target, known)
    if not words and not others and not leans(last, target, label, known):
        return None
    if not words:
        denied = negation(last.text)
        if kin is not None and others and (denied == last.text or random.random() < ANOTHER):
            denied = another(documents, kin, random) or denied
        return None if denied == last.text else Turned((*others, read(denied)), target, bool(others))
    places = sorted(words)
    count = len(places) if random.random() < ALL else int(random.integers(1, len(places) + 1))
    chosen = [places[number] for number in random.choice(len(places), size=count, replace=False)]
    version = read(exchanged(last, {place: words[place] for place in chosen}))
    return Turned((version,), target, count == len(places) and leans(version, label, target, known))


def kin_of(texts: Sequence[Texts]) -> Kin:
    """The kin among the words of some texts, each of which is read once; of many, of as many as tell, evenly drawn."""
    every = list(dict.fromkeys(text for row in texts for text in row))
    return Kin.of(read(text) for text in every[:: -(-len(every) // TOLD) or 1])


def another(documents: Documents, kin: Kin, random: np.random.Generator) -> str:
    """The last text of a pair with a word made another of its kind; empty where none can be.

    What neither text says already: a child is there among children. Where both texts have words that could be made
    another, one of these is taken, or none; words that are met often are drawn often.
    """
    *others, last = documents
    here = {word.lower() for document in others for word in document.words}
    said = sorted(here | {word.lower() for word in last.words})
    tagged = list(zip(last.words, tag(last.words), strict=True))
    able = [place for place, own in enumerate(tagged) if kin.sisters(*own)]
    shared = [place for place in able if last.words[place].lower() in here]
    for place in random.permutation(shared or able).tolist():
        sisters = kin.sisters(*tagged[place])
        counts = np.array(list(sisters.values()), dtype=float)
        part = meaning(*tagged[place])
        for number in random.choice(len(counts), size=len(counts), replace=False, p=counts / counts.sum()):
            sister = list(sisters)[number]
            if part and not names_one_of(said, sister.lower(), part):
                return exchanged(last, {place: sister})
    return ""


def speaking(document: Document, label: int, target: int, known: Leanings) -> dict[int, str]:
    """The words that clearly lean towards the label, each with its opposite that leans furthest towards the target."""
    opposite = {}
    for place, (word, tagged) in enumerate(zip(document.words, tag(document.words), strict=True)):
        own = known.get(word.lower())
        if own is None or not own.is_clear(label):
            continue
        others = [other for other in antonyms_of(word, tagged) if other.lower() in known]
        towards = [(known[other.lower()].towards[target], other) for other in others]
        if towards and max(towards)[0] > 0:
            opposite[place] = max(towards)[1]
    return opposite


def leans(document: Document, label: int, target: int, known: Leanings) -> bool:
    """Whether the words of a text that lean clearly, taken together, lean towards the target rather than the label.

    "Superb" made "bad" turns no review that also says "charming, wise and funny".
    """
    own = [known[word] for word in {word.lower() for word in document.words} if word in known]
    clear = [one.towards for one in own if one.is_clear(label) or one.is_clear(target)]
    return sum(float(towards[target] - towards[label]) for towards in clear) > 0


def decided(
    wanted: str | Mapping[str, str], names: Sequence[str], texts: Sequence[Texts], labels: Sequence[int]
) -> tuple[Mapping[int, int], Leanings, Contrariness | None]:
    """Which label each label becomes in a turned text, how words lean, and what that was decided by.

    ``wanted`` is "off", "auto" or a mapping of label names. "auto" turns single texts of two classes alone, and those
    only where opposites lean apart.
    """
    if wanted == "off":
        return {}, {}, None
    if isinstance(wanted, str):
        if len(names) != 2 or len(texts[0]) != 1:
            return {}, {}, None
        known = leanings(texts, labels, 2)
        evidence = contrariness(known)
        return {0: 1, 1: 0} if evidence.turns else {}, known, evidence
    for label in (*wanted, *wanted.values()):
        if label not in names:
            raise BadInput(f"method.turns names the label {label}, which the data do not have; {nearest(label, names)}")
    targets = {names.index(label): names.index(other) for label, other in wanted.items() if label != other}
    return targets, leanings(texts, labels, len(names)) if len(texts[0]) == 1 else {}, None
