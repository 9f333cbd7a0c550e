"""PWWS, probability-weighted word saliency (Ren, Deng, He and Che, ACL 2019).

Symbols: x the text, y its label, w_i its i-th word, L_i the substitutes of w_i, P the victim's probability.

    S_i  = P(y|x) − P(y|x with w_i unknown)                       the saliency of word i
    w*_i = the word of L_i with the largest gain D_i = P(y|x) − P(y|x with w_i → w)
    H_i  = softmax(S)_i · D_i                                      softmax over all words of x

Words are replaced in descending order of H, one after the other, until the label changes. A targeted attack reads
the target's probability with the opposite sign.

Paper says / we do, because:
- unknown words: the release puts index 0 into its input; we write the unknown word of the victim's own tokenizer,
  because a victim here takes texts (``unknown`` names another).
- non-positive H: the release applies such words too; we leave out words without a gain (``allow_nonpositive``),
  because they only spend changes.
- candidates: the release takes the first word of each synonym that has the same tag; we take single-word synonyms
  of the same part of speech (``pos``), give them the word's form and case (``reinflect``), leave out stop words
  (``stop_words``) and antonyms (``veto``), because "finest → worst" is no adversarial example.
- named entities are not replaced: the paper's list is of entities absent from a class's training texts.
- ``choose="again"`` picks each word's substitute anew in the text as it stands and keeps only improvements, as
  TextAttack does; the paper's w* comes from the original text.
- a text without any substitute is given up before its saliencies are asked for.
- saliencies: the paper asks for every word's; ``questions`` = "needed" asks only where the order depends on it. The
  softmax's denominator is common to all words, so H orders words as e^S · D does. S is a difference of probabilities
  and lies in an interval of length 1: a word whose gain is e times another's comes first whatever their saliencies,
  and of words that are never reached nothing is asked. Words, order and outcome are those of "all", which asks as the
  paper does; only a query budget may end "all" earlier.
- senses: the paper takes synonyms of any sense of a word, and so do we, although only one in seven shares a common
  sense with its word ("good → undecomposed"); ``senses`` = "shared" takes just these.
- possessives have the synonyms of their noun (``possessives``).
"""

import math
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal, Protocol

import numpy as np

from unfooled.attacks.attack import Attack, Parts, Swaps, swapped
from unfooled.attacks.attempt import Ask, Attempt, Question, Search, SearchEnd, Steps
from unfooled.substitution.substitutes import Substitutes, wordnet
from unfooled.text.document import Document
from unfooled.victims.rounding import first_best


class Choosing(Protocol):
    """What the search asks of its settings, whosever they are."""

    @property
    def allow_nonpositive(self) -> bool:
        """Whether words without a gain are replaced too."""

    @property
    def choose(self) -> Literal["once", "again"]:
        """Whether substitutes are chosen on the original text, or again in the text as it stands."""

    @property
    def unknown(self) -> str | None:
        """What is written for an unknown word."""

    @property
    def questions(self) -> Literal["needed", "all"]:
        """Which saliencies are asked for."""


class PWWS(Attack):
    """WordNet synonyms in the order of probability-weighted word saliency (Ren et al., 2019)."""

    says: ClassVar[str] = (
        "replaces words by dictionary synonyms, those first that matter "
        "most to the answer, until the answer turns wrong"
    )
    pos: Literal["same", "any"] = "same"
    reinflect: bool = True
    veto: bool = True
    stop_words: bool = True  # leave them alone
    possessives: bool = True
    senses: Literal["any", "shared"] = "any"
    allow_nonpositive: bool = False
    choose: Literal["once", "again"] = "once"
    unknown: str | None = None  # None is the victim's own
    questions: Literal["needed", "all"] = "needed"

    def search(self, parts: Parts) -> Search:
        """The search over WordNet, or over the substitutes given."""
        return partial(pwws, settings=self, substitutes=self.choices(parts))

    def choices(self, parts: Parts) -> Substitutes:
        """The substitutes given, or WordNet's synonyms as these settings want them."""
        return parts.substitutes or wordnet(
            self.pos == "same", self.reinflect, self.veto, self.stop_words, parts.tag, self.possessives,
            self.senses == "shared",
        )  # fmt: skip


# The substitutes, the order and the outcomes of TextAttack's PWWS, for comparisons with it; of its questions those that
# the order depends on (``questions`` = "all" asks every one of them).
PWWS_PEER = PWWS(pos="any", reinflect=False, veto=False, possessives=False, allow_nonpositive=True, choose="again")


@dataclass(frozen=True)
class Best:
    """A word's w*, by number; its gain D; and how far that may be off."""

    number: int
    gain: float
    doubt: float


@dataclass(frozen=True)
class Weight:
    """What a word's saliency makes of its gain, and how far S may be off."""

    value: float
    doubt: float


def pwws(attempt: Attempt, settings: Choosing, substitutes: Substitutes) -> Steps:
    """Find each word's w* on the original text, then replace words one by one, the largest H first."""
    document, unknown = attempt.document, settings.unknown or attempt.unknown
    candidates = substitutes(document)
    usable = [place for place, words in enumerate(candidates) if words]
    if not usable:
        return SearchEnd(document, False, 0)
    spoiled = [(place, unknown) for place in range(len(document))] if settings.questions == "all" else []
    swaps = [(place, word) for place in usable for word in candidates[place]]
    rows = yield Ask(Swaps(document, [*spoiled, *swaps]))
    best = best_substitutes(attempt, rows[len(spoiled) :], [len(words) for words in candidates])
    weights = dict(enumerate(softmax(attempt, rows[: len(spoiled)]))) if spoiled else {}
    left = [place for place in usable if settings.allow_nonpositive or best[place].gain > best[place].doubt]
    if settings.choose == "again":
        return (yield from choosing_again(attempt, candidates, left, best, weights, unknown))
    changes: dict[int, str] = {}
    while left:
        place = yield from most_weighted(attempt, left, best, weights, unknown)
        left.remove(place)
        changes[place] = candidates[place][best[place].number]
        tried = document.replace(changes)
        rows = yield Ask([str(tried)])
        if attempt.reached(rows[0]):
            return SearchEnd(tried, True, len(usable))
    return SearchEnd(document, False, len(usable))


def best_substitutes(attempt: Attempt, swaps: np.ndarray, counts: Sequence[int]) -> dict[int, Best]:
    """w* and D of every word that has substitutes, whose rows follow each other."""
    near, slack = attempt.nearness(swaps), attempt.slack(swaps)
    gains, doubts = attempt.gains(swaps)
    best: dict[int, Best] = {}
    start = 0
    for place, count in enumerate(counts):
        if count:
            own = slice(start, start + count)
            chosen = first_best(near[own], slack[own])
            best[place] = Best(chosen, gains[start + chosen], doubts[start + chosen])
            start += count
    return best


def most_weighted(
    attempt: Attempt, left: Sequence[int], best: Mapping[int, Best], weights: dict[int, Weight], unknown: str
) -> Generator[Question, np.ndarray, int]:
    """The first of the places left whose H cannot be told from the highest.

    Saliencies that are not in ``weights`` are asked for, but only of words that may have the highest H.
    """
    lowest, highest = bounds(attempt)
    reach = [
        weighted(best[place], *((weights[place],) * 2 if place in weights else (lowest, highest))) for place in left
    ]
    room = max(doubt for _, _, doubt in reach)
    floor = max(low for low, _, _ in reach) - room
    rivals = [place for place, (_, high, doubt) in zip(left, reach, strict=True) if high + doubt >= floor]
    if len(rivals) == 1:
        return rivals[0]
    asked = [place for place in rivals if place not in weights]
    if asked:
        rows = yield Ask(Swaps(attempt.document, [(place, unknown) for place in asked]))
        weights |= zip(asked, powers(attempt, rows), strict=True)
    exact = [weighted(best[place], weights[place], weights[place]) for place in rivals]
    return rivals[first_best([value for value, _, _ in exact], np.array([doubt for _, _, doubt in exact]))]


def weighted(best: Best, lowest: Weight, highest: Weight) -> tuple[float, float, float]:
    """The least and the most that H can be where the weight lies between two, and the most it may be off."""
    ends = lowest.value * best.gain, highest.value * best.gain
    return min(ends), max(ends), highest.value * (best.doubt + abs(best.gain) * highest.doubt)


def bounds(attempt: Attempt) -> tuple[Weight, Weight]:
    """Between what weights e^S of a word can lie: nearness is a probability, or minus one."""
    clean = attempt.clean[None]
    least = (-1.0 if attempt.goal.target is None else 0.0) - attempt.nearness(clean)[0]
    doubt = attempt.yardstick.slack(np.array([0.5]))[0] + attempt.slack(clean)[0]  # one half is known worst
    return Weight(math.exp(least), doubt), Weight(math.exp(least + 1), doubt)


def powers(attempt: Attempt, spoiled: np.ndarray) -> list[Weight]:
    """e^S of words, from the victim's answers to the texts in which they are unknown."""
    return [Weight(math.exp(value), float(off)) for value, off in zip(*attempt.gains(spoiled), strict=True)]


def softmax(attempt: Attempt, spoiled: np.ndarray) -> list[Weight]:
    """softmax(S) of all words of a text."""
    exponents = powers(attempt, spoiled)
    total = math.fsum(weight.value for weight in exponents)
    return [Weight(weight.value / total, weight.doubt) for weight in exponents]


def choosing_again(
    attempt: Attempt,
    candidates: Sequence[tuple[str, ...]],
    left: list[int],
    best: Mapping[int, Best],
    weights: dict[int, Weight],
    unknown: str,
) -> Steps:
    """Replace words in order by whatever is best in the text as it stands; what does not help is not kept."""
    running, standing = attempt.document, attempt.clean[None]
    usable = sum(map(bool, candidates))
    while left:
        place = yield from most_weighted(attempt, left, best, weights, unknown)
        left.remove(place)
        running, standing, better = yield from nearer(attempt, running, standing, place, candidates[place])
        if better and attempt.reached(standing[0]):
            return SearchEnd(running, True, usable)
    return SearchEnd(attempt.document, False, usable)


def nearer(
    attempt: Attempt, running: Document, standing: np.ndarray, place: int, words: Sequence[str]
) -> Generator[Question, np.ndarray, tuple[Document, np.ndarray, bool]]:
    """The text with the best of these words at a place, the answer to it [1, classes], and whether that is nearer.

    Where none is nearer than the text as it stands, that text and its answer.
    """
    rows = yield Ask([swapped(running, place, word) for word in words])
    near, slack = attempt.nearness(rows), attempt.slack(rows)
    chosen = first_best(near, slack)
    if near[chosen] - attempt.nearness(standing)[0] <= slack[chosen] + attempt.slack(standing)[0]:
        return running, standing, False
    return running.replace({place: words[chosen]}), rows[chosen : chosen + 1], True
