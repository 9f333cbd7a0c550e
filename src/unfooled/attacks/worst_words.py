"""The white-box attack of worst_words: the method's own scorer, again and again, from many starts.

A gradient tells, to first order, what every candidate of every word would do (``substitution.gains``). The best
candidate of each word is taken, for the best word alone, a quarter, a half and all of those that gain; the victim is
asked for these four texts, the nearest to the goal is kept, and the next gradient is taken there, until nothing comes
nearer. Then all begins again from a text with a random share of its words exchanged. Where a model withstands attacks
that ask for its answers alone, and falls to this one, its gradients were hidden, not its words safe.

Candidates are PWWS's: WordNet's synonyms of the same part of speech, in the word's own form. A gradient counts as one
question.
"""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

import numpy as np
from pydantic import Field

from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.attempt import Ask, Attempt, Search, SearchEnd, Slopes, Steps
from unfooled.seeds import digest
from unfooled.substitution.substitutes import Substitutes, wordnet
from unfooled.text.document import Document
from unfooled.victims.rounding import first_best

SHARES = (0.0, 0.25, 0.5, 1.0)  # of the words that gain, at least one of them


class WorstWordsAttack(Attack):
    """Synonyms that the network's own gradient finds worst, from many random starts (white box)."""

    says: ClassVar[str] = (
        "replaces words by the synonyms that the model's own gradients find worst; it sees inside the model"
    )
    looks_inside: ClassVar[bool] = True

    restarts: int = Field(default=10, ge=1)
    rounds: int = Field(default=10, ge=1)  # gradients from each start at most

    def search(self, parts: Parts) -> Search:
        """The search over WordNet, or over the substitutes given."""
        return partial(worst_words, settings=self, substitutes=self.choices(parts))

    def choices(self, parts: Parts) -> Substitutes:
        """The substitutes given, or WordNet's synonyms."""
        return parts.substitutes or wordnet(tagger=parts.tag)


def worst_words(attempt: Attempt, settings: WorstWordsAttack, substitutes: Substitutes) -> Steps:
    """Climb from each start by gradients until the goal is reached or nothing comes nearer."""
    document, candidates = attempt.document, substitutes(attempt.document)
    usable = sum(map(bool, candidates))
    if not usable:
        return SearchEnd(document, False, 0)
    options = [(word, *own) if own else () for word, own in zip(document.words, candidates, strict=True)]
    for start in range(settings.restarts):
        running = document if not start else random_start(document, candidates, (*attempt.key, "restart", start))
        nearest = -np.inf
        if start:  # which may have reached the goal by itself
            rows = yield Ask([str(running)])
            if attempt.reached(rows[0]):
                return SearchEnd(running, True, usable)
            nearest = attempt.nearness(rows)[0]
        for _ in range(settings.rounds):
            gains = yield Slopes(running, options, attempt.label, attempt.goal.target)
            texts = steps_from(document, running, options, gains)
            if not texts:
                break
            rows = yield Ask([str(text) for text in texts])
            reached = [text for text, row in zip(texts, rows, strict=True) if attempt.reached(row)]
            if reached:
                return SearchEnd(reached[0], True, usable)
            near, slack = attempt.nearness(rows), attempt.slack(rows)
            best = first_best(near, slack)
            if near[best] <= nearest + slack[best]:
                break
            running, nearest = texts[best], near[best]
    return SearchEnd(document, False, usable)


def steps_from(
    document: Document, running: Document, options: Sequence[tuple[str, ...]], gains: np.ndarray
) -> list[Document]:
    """The texts a gradient leads to, with few words exchanged first; none where no word gains."""
    best: list[tuple[float, int, str]] = []
    start = 0
    for place, own in enumerate(options):
        values, start = gains[start : start + len(own)], start + len(own)
        if len(own) and values.max() > 0 and own[int(values.argmax())] != running.words[place]:
            best.append((float(values.max()), place, own[int(values.argmax())]))
    best.sort(key=lambda one: (-one[0], one[1]))
    counts = sorted({max(1, round(share * len(best))) for share in SHARES}) if best else []
    standing = {place: word for place, word in enumerate(running.words) if word != document.words[place]}
    return [document.replace(standing | {place: word for _, place, word in best[:count]}) for count in counts]


def random_start(document: Document, candidates: Sequence[tuple[str, ...]], key: Sequence[int | str]) -> Document:
    """The document with a random share of the words that have candidates exchanged for random ones."""
    random = np.random.default_rng(digest(*key))
    share = random.random()
    changes = {
        place: own[int(random.integers(len(own)))]
        for place, own in enumerate(candidates)
        if own and random.random() < share
    }
    return document.replace(changes)
