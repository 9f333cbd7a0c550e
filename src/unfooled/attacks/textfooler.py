"""TextFooler (Jin, Jin, Zhou and Szolovits, AAAI 2020).

Symbols: x the text, c its label, p the victim's probabilities of x, x_-i the text without word i.

    I_i = p_c − p_c(x_-i)   (+ p_c'(x_-i) − p_c' where the answer to x_-i is another class c')

Words are taken in descending importance I. For each, all its neighbours are tried in the text as it stands. If some
change the label, keep the meaning (similarity of the words around, at least ``threshold``) and the part of speech,
the one most similar is taken and the attack is done. Otherwise the one that lowers p_c most stays, if it passes both
filters and brings p_c below that of the original text.

Paper says / we do, because:
- x_-i: the paper deletes the word, the release puts an unknown one; so do we (``importance`` = "delete" deletes).
- similarity: the paper compares with the original text, the release with the text as it stands; we follow the paper
  (``sim_reference`` = "running" is the release), because small steps add up.
- similarity is 1 − arccos(cosine), not divided by π, as in the release: 0.5 is a cosine of 0.878. The encoder is
  pluggable, MiniLM by default, because the Universal Sentence Encoder needs another framework.
- texts shorter than the window have the threshold ``short_threshold``, as in the release, each text for itself.
- neighbours come from a table (counter-fitted vectors where there is one) without antonyms; the log says which.
- the part of speech is read off three words to both sides, because tagging whole texts costs more than it tells.
- universal tags are compared by nouns, verbs, adjectives and adverbs; of all other words Penn's tags must be equal.
- a text of whose neighbours none passes the filters ends as one without candidates, not as one that held.
- ``screen`` asks the victim only about neighbours that pass both filters. The outcome is the same, the queries fewer.
- importance: the paper asks for every word's; ``questions`` = "needed" asks for that of the words that have a
  neighbour and are no stop words, because the order of the others decides nothing. The outcome is that of "all".
"""

import math
from collections.abc import Generator, Sequence
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from unfooled.attacks.attack import Attack, NearWords, Parts, Swaps, swapped
from unfooled.attacks.attempt import Ask, Attempt, Compare, Question, Search, SearchEnd, Steps
from unfooled.errors import BadInput
from unfooled.substitution.substitutes import Substitutes
from unfooled.text.document import Document
from unfooled.text.english.stop_words import STOP_WORDS
from unfooled.text.english.tagging import Tagger, kind, tag
from unfooled.victims.rounding import descending, first_best

SAME = 1e-5  # cosines that differ by less are the same
CONTEXT = 3  # words to both sides that a part of speech is read off


class TextFooler(Attack):
    """Neighbours in the order of word importance, filtered by meaning and part of speech (Jin et al., 2020)."""

    says: ClassVar[str] = (
        "replaces words by words of similar use, the most important first, as long as the sentence keeps its meaning"
    )
    needs_similarity: ClassVar[bool] = True
    neighbours: int = Field(default=50, ge=1)
    least_cosine: float = Field(default=0.5, ge=-1, le=1)  # of a neighbour, where the table is made here
    threshold: float = Field(default=0.5, le=1)
    short_threshold: float = Field(default=0.1, le=1)
    window: int = Field(default=15, ge=1)
    sim_reference: Literal["original", "running"] = "original"
    importance: Literal["unknown", "delete"] = "unknown"
    least_importance: float = -1.0
    pos_filter: bool = True
    screen: bool = False
    questions: Literal["needed", "all"] = "needed"

    @property
    def near_words(self) -> NearWords:
        """The neighbours that are tried."""
        return NearWords(self.neighbours, self.least_cosine)

    def search(self, parts: Parts) -> Search:
        """The search over the neighbours given."""
        if parts.substitutes is None or parts.similarity is None:
            raise BadInput("textfooler needs neighbours and a similarity; give both as parts")
        return partial(textfooler, settings=self, substitutes=parts.substitutes, tags=parts.tag or tag)


def textfooler(attempt: Attempt, settings: TextFooler, substitutes: Substitutes, tags: Tagger) -> Steps:
    """Try the neighbours of each word, the most important word first."""
    document = attempt.document
    candidates = substitutes(document)
    usable = sum(map(bool, candidates))
    places = [
        place for place, word in enumerate(document.words) if candidates[place] and word.lower() not in STOP_WORDS
    ]
    if not places:
        return SearchEnd(document, False, 0)
    hole = "" if settings.importance == "delete" else attempt.unknown
    asked = range(len(document)) if settings.questions == "all" else places
    without = yield Ask(Swaps(document, [(place, hole) for place in asked]))
    without = without[places] if settings.questions == "all" else without
    running, tried = document, 0
    for place in attack_order(attempt, places, without, settings.least_importance):
        words = candidates[place]
        reference = document if settings.sim_reference == "original" else running
        rows, passing, cosines = yield from trials(running, reference, place, words, settings, tags)
        tried += bool(passing)
        flips = [number for number in passing if attempt.reached(rows[number])]
        if flips:
            nearest = flips[first_best(cosines[flips], SAME)]
            return SearchEnd(running.replace({place: words[nearest]}), True, usable)
        better = improvement(attempt, rows, passing)
        if better is not None:
            running = running.replace({place: words[better]})
    # Neighbours that pass no filter are no candidates: such a text says as little of the victim as one without any.
    return SearchEnd(document, False, usable if tried else 0)


def attack_order(attempt: Attempt, places: Sequence[int], without: np.ndarray, least: float) -> list[int]:
    """The places, whose rows these are, in descending importance, without what matters too little."""
    values, slack = importance(attempt, without)
    order = descending(values, slack)
    return [places[number] for number in order if values[number] - slack[number] > least]


def importance(attempt: Attempt, without: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """I_i of every word, and how far each may be off."""
    values, doubts = attempt.gains(without)
    if attempt.goal.target is None:
        for place, row in enumerate(without):
            other = attempt.yardstick.predicted(row)
            if other != attempt.label:
                values[place] += row[other] - attempt.clean[other]
    return values, 2 * doubts


def trials(
    running: Document, reference: Document, place: int, words: Sequence[str], settings: TextFooler, tags: Tagger
) -> Generator[Question, np.ndarray, tuple[np.ndarray, list[int], np.ndarray]]:
    """Of each neighbour the victim's answer and the cosine around it; and the numbers of those that pass both filters.

    What was not asked has the cosine −1, and probabilities that reach no goal.
    """
    suited = [number for number, word in enumerate(words) if same_kind(running, place, word, settings, tags)]
    rows = np.zeros((0, 0))
    if not settings.screen:
        rows = yield Ask([swapped(running, place, word) for word in words])
    cosines = np.full(len(words), -1.0)
    if suited:
        around = [window(running.replace({place: words[number]}), place, settings.window) for number in suited]
        cosines[suited] = yield Compare(window(reference, place, settings.window), around)
    threshold = settings.short_threshold if len(running) < settings.window else settings.threshold
    passing = [number for number in suited if likeness(cosines[number]) >= threshold]
    if settings.screen and passing:
        asked = yield Ask([swapped(running, place, words[number]) for number in passing])
        rows = np.full((len(words), asked.shape[1]), 1 / asked.shape[1])
        rows[passing] = asked
    return rows, passing, cosines


def improvement(attempt: Attempt, rows: np.ndarray, passing: Sequence[int]) -> int | None:
    """The neighbour that comes nearest to the goal, if it is nearer than the original text."""
    if not passing:
        return None
    chosen = rows[list(passing)]
    best = first_best(attempt.nearness(chosen), attempt.slack(chosen))
    gains, doubts = attempt.gains(chosen)
    return passing[best] if gains[best] > doubts[best] else None


def likeness(cosine: float) -> float:
    """The release's similarity, 1 − arccos; a cosine within rounding of a threshold passes it.

    >>> round(likeness(0.878), 2), likeness(1.0)
    (0.5, 1.0)
    """
    return 1 - math.acos(min(max(cosine + SAME, -1.0), 1.0))


def window(document: Document, place: int, size: int) -> str:
    """The text of so many words around a place; at an end of the text the window is moved, not cut.

    >>> from unfooled.text.document import read
    >>> window(read("one two, three four five."), 0, 3), window(read("one two, three four five."), 2, 3)
    ('one two, three', 'two, three four')
    """
    if len(document) <= size:
        return document.text
    start = min(max(place - (size - 1) // 2, 0), len(document) - size)
    return document.text[document.spans[start][0] : document.spans[start + size - 1][1]]


def same_kind(document: Document, place: int, word: str, settings: TextFooler, tags: Tagger) -> bool:
    """Whether the word has the part of speech of what it replaces, or is a noun for a verb or a verb for a noun."""
    if not settings.pos_filter:
        return True
    start = max(place - CONTEXT, 0)
    around = document.words[start : place + CONTEXT + 1]
    old = tags(around)[place - start]
    new = tags([*around[: place - start], word, *around[place - start + 1 :]])[place - start]
    if kind(old) is None and kind(new) is None:
        return old == new
    return kind(old) == kind(new) or {kind(old), kind(new)} == {"n", "v"}
