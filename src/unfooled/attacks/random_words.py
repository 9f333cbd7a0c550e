"""Random words for random substitutes: the floor that every attack must beat.

Words are replaced one after the other, in a random order, each by one of its substitutes (those of PWWS), until the
label changes. What is drawn is a function of the seed and the example.
"""

from functools import partial
from typing import ClassVar, Literal

import numpy as np

from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.attempt import Ask, Attempt, Search, SearchEnd, Steps
from unfooled.seeds import digest
from unfooled.substitution.substitutes import Substitutes, wordnet


class RandomWords(Attack):
    """Random words replaced by random synonyms: the floor every attack must beat."""

    says: ClassVar[str] = "replaces random words by random synonyms: what every attack must beat"
    needs_scores: ClassVar[bool] = False
    pos: Literal["same", "any"] = "same"
    reinflect: bool = True
    veto: bool = True
    stop_words: bool = True  # leave them alone
    possessives: bool = True  # have the synonyms of their noun

    def search(self, parts: Parts) -> Search:
        """The search over WordNet, or over the substitutes given."""
        return partial(random_words, substitutes=self.choices(parts))

    def choices(self, parts: Parts) -> Substitutes:
        """The substitutes given, or WordNet's synonyms as these settings want them."""
        own = wordnet(self.pos == "same", self.reinflect, self.veto, self.stop_words, parts.tag, self.possessives)
        return parts.substitutes or own


def random_words(attempt: Attempt, substitutes: Substitutes) -> Steps:
    """Replace words as they are drawn."""
    candidates = substitutes(attempt.document)
    usable = [place for place, words in enumerate(candidates) if words]
    drawn = np.random.default_rng(digest(*attempt.key, "random words"))
    running = attempt.document
    for place in (usable[number] for number in drawn.permutation(len(usable))):
        words = candidates[place]
        running = running.replace({place: words[int(drawn.integers(len(words)))]})
        rows = yield Ask([str(running)])
        if attempt.reached(rows[0]):
            return SearchEnd(running, True, len(usable))
    return SearchEnd(attempt.document, False, len(usable))
