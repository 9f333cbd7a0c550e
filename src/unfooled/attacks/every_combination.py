"""Every combination of substitutes, the fewest changed words first: what no search can outdo.

In no table, because only texts that can be written in few ways can be searched through; a trial chooses them.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations, islice, product

from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.attempt import Ask, Attempt, Search, SearchEnd, Steps
from unfooled.errors import BadInput
from unfooled.substitution.substitutes import Substitutes

AT_ONCE = 256  # texts asked about before it is looked whether one of them fools


class EveryCombination(Attack):
    """All combinations of the substitutes given, the fewest changed words first."""

    def search(self, parts: Parts) -> Search:
        """The search over the substitutes given."""
        if parts.substitutes is None:
            raise BadInput("an exhaustive search needs substitutes; give them as parts")
        return partial(every_combination, substitutes=parts.substitutes)


def every_combination(attempt: Attempt, substitutes: Substitutes) -> Steps:
    """Ask about every combination up to the first that reaches the goal."""
    document, lists = attempt.document, substitutes(attempt.document)
    usable = [place for place, words in enumerate(lists) if words]
    ways = written(usable, lists)
    while some := list(islice(ways, AT_ONCE)):
        rows = yield Ask([str(document.replace(changes)) for changes in some])
        for changes, row in zip(some, rows, strict=True):
            if attempt.reached(row):
                return SearchEnd(document.replace(changes), True, len(usable))
    return SearchEnd(document, False, len(usable))


def written(usable: Sequence[int], lists: Sequence[Sequence[str]]) -> Iterator[dict[int, str]]:
    """Every way to replace some of the words, the fewest first.

    >>> list(written([0, 2], [("a",), (), ("b", "c")]))
    [{0: 'a'}, {2: 'b'}, {2: 'c'}, {0: 'a', 2: 'b'}, {0: 'a', 2: 'c'}]
    """
    for size in range(1, len(usable) + 1):
        for places in combinations(usable, size):
            for words in product(*(lists[place] for place in places)):
                yield dict(zip(places, words, strict=True))
