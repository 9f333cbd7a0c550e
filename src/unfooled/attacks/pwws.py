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
"""

from collections.abc import Sequence
from functools import partial
from typing import Literal

import numpy as np

from unfooled.attacks.attack import Attack, Parts, Swaps, swapped
from unfooled.attacks.attempt import Attempt, Found, Score, Search, Steps
from unfooled.attacks.substitutes import Substitutes, wordnet
from unfooled.attacks.yardstick import descending, first_best


class PWWS(Attack):
    """WordNet synonyms in the order of probability-weighted word saliency (Ren et al., 2019)."""

    pos: Literal["same", "any"] = "same"
    reinflect: bool = True
    veto: bool = True
    stop_words: bool = True  # leave them alone
    allow_nonpositive: bool = False
    choose: Literal["once", "again"] = "once"
    unknown: str | None = None  # None is the victim's own

    def search(self, parts: Parts) -> Search:
        """The search over WordNet, or over the substitutes given."""
        own = wordnet(self.pos == "same", self.reinflect, self.veto, self.stop_words, parts.tag)
        return partial(pwws, settings=self, substitutes=parts.substitutes or own)


# The substitutes of TextAttack's PWWS, for comparisons with it.
PWWS_PEER = PWWS(pos="any", reinflect=False, veto=False, allow_nonpositive=True, choose="again")


def pwws(attempt: Attempt, settings: PWWS, substitutes: Substitutes) -> Steps:
    """Rank all words on the original text, then replace them one by one."""
    document, unknown = attempt.document, settings.unknown or attempt.unknown
    candidates = substitutes(document)
    usable = [place for place, words in enumerate(candidates) if words]
    if not usable:
        return Found(document, False, 0)
    spoiled = [(place, unknown) for place in range(len(document))]
    swaps = [(place, word) for place in usable for word in candidates[place]]
    rows = yield Score(Swaps(document, [*spoiled, *swaps]))
    order, best = ranking(attempt, rows[: len(spoiled)], rows[len(spoiled) :], [len(words) for words in candidates])
    if not settings.allow_nonpositive:
        order = [place for place in order if best[place][1]]
    if settings.choose == "again":
        return (yield from choosing_again(attempt, candidates, order))
    changes: dict[int, str] = {}
    for place in order:
        changes[place] = candidates[place][best[place][0]]
        tried = document.replace(changes)
        rows = yield Score([str(tried)])
        if attempt.reached(rows[0]):
            return Found(tried, True, len(usable))
    return Found(document, False, len(usable))


def ranking(
    attempt: Attempt, spoiled: np.ndarray, swaps: np.ndarray, counts: list[int]
) -> tuple[list[int], dict[int, tuple[int, bool]]]:
    """The places in descending H; and of each its w*, by number, and whether that gains more than rounding."""
    clean = attempt.clean[None]
    before, unsure = attempt.nearness(clean)[0], attempt.slack(clean)[0]
    weights = softmax(attempt.nearness(spoiled) - before)
    unsure_saliency = attempt.slack(spoiled) + unsure
    near, slack = attempt.nearness(swaps), attempt.slack(swaps)
    best: dict[int, tuple[int, bool]] = {}
    values, unsure_values = [], []
    start = 0
    for place, count in enumerate(counts):
        if not count:
            continue
        own = slice(start, start + count)
        chosen = first_best(near[own], slack[own])
        gain, doubt = near[start + chosen] - before, slack[start + chosen] + unsure
        best[place] = (chosen, bool(gain > doubt))
        values.append(weights[place] * gain)
        unsure_values.append(weights[place] * (doubt + abs(gain) * unsure_saliency[place]))
        start += count
    places = list(best)
    return [places[number] for number in descending(values, np.array(unsure_values))], best


def choosing_again(attempt: Attempt, candidates: Sequence[tuple[str, ...]], order: Sequence[int]) -> Steps:
    """Replace words in order by whatever is best in the text as it stands; what does not help is not kept."""
    running, standing = attempt.document, attempt.clean[None]
    usable = sum(map(bool, candidates))
    for place in order:
        rows = yield Score([swapped(running, place, word) for word in candidates[place]])
        near, slack = attempt.nearness(rows), attempt.slack(rows)
        chosen = first_best(near, slack)
        if near[chosen] - attempt.nearness(standing)[0] <= slack[chosen] + attempt.slack(standing)[0]:
            continue
        running, standing = running.replace({place: candidates[place][chosen]}), rows[chosen : chosen + 1]
        if attempt.reached(standing[0]):
            return Found(running, True, usable)
    return Found(attempt.document, False, usable)


def softmax(values: np.ndarray) -> np.ndarray:
    """Positive weights that sum to 1."""
    powers = np.exp(values - values.max())
    return powers / powers.sum()
