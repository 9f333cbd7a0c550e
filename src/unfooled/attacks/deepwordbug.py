"""DeepWordBug (Gao, Lanchantin, Soffa and Qi, 2018): a few wrong letters in the words that matter.

Words are ranked by what the victim loses with them, then one after the other gets a wrong letter until the label
changes or the edits add up to ``edit_distance``.

    replace     R_i = P(y|x) − P(y|x with w_i unknown)
    temporal    T_i = [P(y|w_1…w_i) − P(y|w_1…w_{i−1})] + [P(y|w_i…w_n) − P(y|w_{i+1}…w_n)]

Paper says / we do, because:
- the paper reads probabilities of text parts for T; so does ``temporal``, with the parts cut out of the text as it is.
- each of the paper's runs makes one kind of edit; ``edit`` = "best" tries all kinds on each word and takes the one
  the victim loses most by, as later implementations do.
- the paper has four kinds of edits; we add a fifth, "look-alike", the l of "film" written as a capital I, because
  readers hardly see it. The other kinds draw one edit of a word, as the paper does; of look-alikes all are tried,
  because it is the alphabet of the victim's tokenizer, not chance, that says which of them is new to it.
- the paper counts edits by Levenshtein's distance: a swap costs 2, the others 1.
- words of one or two letters are left alone, because nothing of them would be left to read; so are those of more than
  50, because nobody typed them, and each of their letters may have look-alikes.
"""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from unfooled.attacks.attack import Attack, Parts, Swaps, swapped
from unfooled.attacks.attempt import Ask, Attempt, Search, SearchEnd, Steps
from unfooled.seeds import digest
from unfooled.text.document import Document
from unfooled.text.typos import LETTERS, LONGEST, SHORTEST, drop, edits, insert, substitute, swap
from unfooled.victims.rounding import descending, first_best

EDITS = ("swap", "substitute", "delete", "insert", "look-alike")


class DeepWordBug(Attack):
    """Wrong letters in the words that matter most (Gao et al., 2018)."""

    says: ClassVar[str] = (
        "misspells the words that matter most to the answer: letters swapped, dropped, added or taken for look-alikes"
    )
    in_english: ClassVar[bool] = False

    scoring: Literal["replace", "temporal"] = "replace"
    edit: Literal["best", "swap", "substitute", "delete", "insert", "look-alike"] = "best"
    edit_distance: int = Field(default=30, ge=1)

    def search(self, parts: Parts) -> Search:
        """The search; it needs no parts."""
        return partial(deepwordbug, settings=self)


def deepwordbug(attempt: Attempt, settings: DeepWordBug) -> Steps:
    """Misspell words, the most important first."""
    document = attempt.document
    usable = [place for place, word in enumerate(document.words) if SHORTEST <= len(word) <= LONGEST]
    if not usable:
        return SearchEnd(document, False, 0)
    rows = yield Ask(
        temporal(document)
        if settings.scoring == "temporal"
        else Swaps(document, [(place, attempt.unknown) for place in range(len(document))])
    )
    values, slack = scores(attempt, rows, settings.scoring)
    kinds = EDITS if settings.edit == "best" else (settings.edit,)
    running, spent = document, 0
    for place in (place for place in descending(values, slack) if place in usable):
        bugs = [bug for kind in kinds for bug in misspelt(document.words[place], kind, attempt.key, place)]
        bugs = [bug for bug in bugs if spent + bug[1] <= settings.edit_distance]
        if not bugs:
            continue
        rows = yield Ask([swapped(running, place, word) for word, _ in bugs])
        chosen = first_best(attempt.nearness(rows), attempt.slack(rows))
        running, spent = running.replace({place: bugs[chosen][0]}), spent + bugs[chosen][1]
        if attempt.reached(rows[chosen]):
            return SearchEnd(running, True, len(usable))
    return SearchEnd(document, False, len(usable))


def temporal(document: Document) -> list[str]:
    """The text up to each word, up to the one before, from each word, and from the one after."""
    ends = [end for _, end in document.spans]
    starts = [start for start, _ in document.spans]
    text = document.text
    heads = [text[:end] for end in ends]
    tails = [text[start:] for start in starts]
    return [*heads, "", *heads[:-1], *tails, *tails[1:], ""]


def scores(attempt: Attempt, rows: np.ndarray, scoring: str) -> tuple[np.ndarray, np.ndarray]:
    """The importance of every word, and how far each may be off."""
    if scoring == "replace":
        return attempt.gains(rows)
    # Nearness falls where the label's probability rises, so what a word adds is read with the sign turned.
    upto, before, since, after = attempt.nearness(rows).reshape(4, -1)
    return -((upto - before) + (since - after)), attempt.slack(rows).reshape(4, -1).sum(axis=0)


def misspelt(word: str, kind: str, key: Sequence[int], place: int) -> list[tuple[str, int]]:
    """The word with a wrong letter inside, and the edits that took: one that is drawn, or all look-alikes.

    >>> [misspelt("abc", kind, (0, 0), 0)[0][1] for kind in EDITS]
    [2, 1, 1, 1, 1]
    """
    if kind == "look-alike":
        return [(made, 1) for made in edits(word, kind)]
    drawn = np.random.default_rng(digest(*key, "misspelling", place, kind))
    at = int(drawn.integers(1, len(word) - 1))  # neither the first letter nor the last
    letter = LETTERS[int(drawn.integers(len(LETTERS)))]
    made = {
        "swap": swap(word, at),
        "substitute": substitute(word, at, letter),
        "delete": drop(word, at),
        "insert": insert(word, at, letter),
    }[kind]
    return [(made, 2 if kind == "swap" else 1)] if made != word else []
