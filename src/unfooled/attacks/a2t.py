"""A2T, the attack that is cheap enough to train with (Yoo and Qi, Findings of EMNLP 2021), on a network's own gradient.

Symbols: x the text, w_i its i-th word, L_i the substitutes of w_i, L the loss of the right class.

    I_i = | mean over the tokens of w_i of ∂L/∂e |_1        the importance of word i, from one gradient

Words are gone through in descending order of I; each is replaced by the word of L_i that brings the text, as it stands,
nearest to the goal, where one does, until the answer changes. One gradient takes the place of all questions about the
order: PWWS asks every substitute of every word before it replaces the first.

Paper says / we do, because:
- the gradient is of the loss; ours is of the margin, because the loss of a network that is sure of itself is flat.
- substitutes: the paper takes 20 near words of a counter-fitted table, or of a masked language model, of the same part
  of speech; we take PWWS's, because then the two can be compared, and ``exhaustive`` bounds both.
- a sentence encoder judges the paper's texts; nothing judges ours, as nothing judges those of PWWS.
- at most a tenth of the words is replaced; we set no limit (``most``), because PWWS has none.
- words behind the last one that the network reads are left alone, because its answer stays the same.
- ``order`` = "gain" goes by the most that a substitute of a word gains to first order (HotFlip's order), which the same
  gradient tells.

A gradient counts as one question.
"""

from collections.abc import Generator, Sequence
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.attempt import Attempt, Question, Search, SearchEnd, Slopes, Steps
from unfooled.attacks.pwws import nearer
from unfooled.substitution.substitutes import Substitutes, wordnet
from unfooled.victims.rounding import descending

SAME = 1e-6  # of the largest: importances that are no further apart are alike, whatever machine made the gradient


class A2T(Attack):
    """Synonyms in the order of a network's own gradient, each asked about (Yoo and Qi, 2021; white box)."""

    says: ClassVar[str] = (
        "replaces words by synonyms, in the order that the model's own gradients give; it sees inside the model"
    )
    looks_inside: ClassVar[bool] = True

    order: Literal["size", "gain"] = "size"
    most: float = Field(default=1.0, gt=0, le=1)  # the share of words that may be replaced; at least one may

    def search(self, parts: Parts) -> Search:
        """The search over WordNet, or over the substitutes given."""
        return partial(a2t, settings=self, substitutes=self.choices(parts))

    def choices(self, parts: Parts) -> Substitutes:
        """The substitutes given, or WordNet's synonyms."""
        return parts.substitutes or wordnet(tagger=parts.tag)


def a2t(attempt: Attempt, settings: A2T, substitutes: Substitutes) -> Steps:
    """Replace words in the order of one gradient by whatever is best in the text as it stands."""
    candidates = substitutes(attempt.document)
    usable = sum(map(bool, candidates))
    if not usable:
        return SearchEnd(attempt.document, False, 0)
    running, standing = attempt.document, attempt.clean[None]
    left = max(1, int(settings.most * len(candidates)))
    for place in (yield from places_in_order(attempt, settings.order, candidates)):
        running, standing, better = yield from nearer(attempt, running, standing, place, candidates[place])
        left -= better
        if better and attempt.reached(standing[0]):
            return SearchEnd(running, True, usable)
        if not left:
            break
    return SearchEnd(attempt.document, False, usable)


def places_in_order(
    attempt: Attempt, order: Literal["size", "gain"], candidates: Sequence[tuple[str, ...]]
) -> Generator[Question, np.ndarray, list[int]]:
    """The places that have candidates and are read, the most important first, by one gradient at the text as it is."""
    places = [place for place, own in enumerate(candidates) if own]
    options = candidates if order == "gain" else None
    answer = yield Slopes(attempt.document, options, attempt.label, attempt.goal.target)
    if options is None:
        worth = answer[places]
    else:
        ends = np.cumsum([len(candidates[place]) for place in places])
        worth = np.array([gains.max() for gains in np.split(answer, ends[:-1])])
    read = np.flatnonzero(~np.isnan(worth))
    order_of_read = descending(worth[read], SAME * float(np.abs(worth[read]).max(initial=0.0)))
    return [places[read[number]] for number in order_of_read]
