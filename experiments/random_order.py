"""The substitutes of TextAttack's PWWS in a random order of words: whether a model holds against one order alone."""

from functools import partial
from typing import ClassVar

import numpy as np

from unfooled.attacks import PWWS_PEER
from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.attempt import Attempt, Search, SearchEnd, Steps
from unfooled.attacks.pwws import nearer
from unfooled.seeds import digest
from unfooled.substitution.substitutes import Substitutes


class RandomOrder(Attack):
    """Each word in turn, in an order that is drawn, gets the substitute that is best in the text as it stands."""

    says: ClassVar[str] = "replaces words by synonyms in a random order, each by the worst of them"

    order: int = 0  # which of the random orders

    def search(self, parts: Parts) -> Search:
        """The search over the peer's substitutes."""
        return partial(random_order, order=self.order, substitutes=PWWS_PEER.choices(parts))


def random_order(attempt: Attempt, order: int, substitutes: Substitutes) -> Steps:
    """Replace words as they are drawn; what does not help is not kept."""
    candidates = substitutes(attempt.document)
    usable = [place for place, words in enumerate(candidates) if words]
    drawn = np.random.default_rng(digest(*attempt.key, order, "random order"))
    running, standing = attempt.document, attempt.clean[None]
    for place in drawn.permutation(usable):
        running, standing, better = yield from nearer(attempt, running, standing, int(place), candidates[place])
        if better and attempt.reached(standing[0]):
            return SearchEnd(running, True, len(usable))
    return SearchEnd(attempt.document, False, len(usable))
