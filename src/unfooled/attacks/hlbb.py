"""HLBB, the hard-label black-box attack (Maheshwary, Maheshwary and Pudi, AAAI 2021): it asks for answers, not scores.

Symbols: x the text, y its label, x* an adversary, Sim the cosine of two texts by a sentence encoder.

1. Beginning: words of x, in a random order, become random substitutes until the answer is not y.
2. Reduction: of every changed word the text with that word put back is asked for. Those that still fool are put back
   one after the other, the one first that brings x* nearest to x, each as long as the text still fools.
3. Search: a population of adversaries. Mutation takes a changed word and puts there, of all its substitutes and the
   word itself, what fools and has the highest Sim(x, x*), if that is higher than before. Parents are drawn by
   softmax(Sim); their child has each word from one or the other, and lives if it fools.

The best adversary by Sim is returned. Whether there is one is settled by the first part alone.

Paper says / we do, because:
- substitutes are 50 neighbours in counter-fitted vectors; ours are WordNet's synonyms, as PWWS takes them
  (``Parts`` gives others), so that attacks with and without scores differ in what they see and in nothing else.
- the beginning is one pass; ours is begun anew ``beginnings`` times, because a random text is often not enough where
  words have few substitutes.
- a population of 30 over 100 generations, of USE vectors; ours is of 6 over 8 (``population``, ``generations``),
  because every child is a question, and words without a nearer substitute cannot gain. The encoder is pluggable.
- mutation looks at Sim in a window around the word; we look at the whole text, because short texts are a window.
"""

from collections.abc import Generator, Mapping, Sequence
from functools import partial
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.attempt import Ask, Attempt, Compare, Question, Search, SearchEnd, Steps
from unfooled.errors import BadInput
from unfooled.seeds import digest
from unfooled.substitution.substitutes import Substitutes, wordnet
from unfooled.text.document import Document
from unfooled.victims.rounding import descending, first_best

SAME = 1e-5  # cosines that differ by less are the same
Changes = Mapping[int, str]  # the new word at each changed place
Finding = Generator[Question, np.ndarray, tuple[list[dict[int, str]], np.ndarray]]


class HLBB(Attack):
    """Random synonyms, put back and made nearer as long as they fool: answers alone (Maheshwary et al., 2021)."""

    says: ClassVar[str] = (
        "replaces words by random synonyms and puts back what it can; it sees answers alone, no probabilities"
    )
    needs_similarity: ClassVar[bool] = True
    needs_scores: ClassVar[bool] = False
    pos: Literal["same", "any"] = "same"
    veto: bool = True
    beginnings: int = Field(default=5, ge=1)
    population: int = Field(default=6, ge=1)
    generations: int = Field(default=8, ge=0)

    def search(self, parts: Parts) -> Search:
        """The search over WordNet, or over the substitutes given."""
        if parts.similarity is None:
            raise BadInput("hlbb goes by how like its texts are; give a similarity as a part")
        return partial(hlbb, settings=self, substitutes=self.choices(parts))

    def choices(self, parts: Parts) -> Substitutes:
        """The substitutes given, or WordNet's synonyms."""
        return parts.substitutes or wordnet(self.pos == "same", True, self.veto, True, parts.tag, True)


def hlbb(attempt: Attempt, settings: HLBB, substitutes: Substitutes) -> Steps:
    """Fool the victim somehow, then come as near to the text as it stays fooled."""
    candidates = substitutes(attempt.document)
    usable = [place for place, words in enumerate(candidates) if words]
    drawn = np.random.default_rng(digest(*attempt.key, "hlbb"))
    for _ in range(settings.beginnings if usable else 0):
        changes = yield from begun(attempt, candidates, usable, drawn)
        if changes:
            changes = yield from reduced(attempt, changes)
            changes = yield from bred(attempt, settings, candidates, changes, drawn)
            return SearchEnd(attempt.document.replace(changes), True, len(usable))
    return SearchEnd(attempt.document, False, len(usable))


def begun(
    attempt: Attempt, candidates: Sequence[Sequence[str]], usable: Sequence[int], drawn: np.random.Generator
) -> Generator[Question, np.ndarray, dict[int, str]]:
    """Random words at random places until the victim is fooled; nothing where it never is."""
    changes: dict[int, str] = {}
    for number in drawn.permutation(len(usable)):
        words = candidates[usable[number]]
        changes[usable[number]] = words[int(drawn.integers(len(words)))]
        rows = yield Ask([str(attempt.document.replace(changes))])
        if attempt.reached(rows[0]):
            return changes
    return {}


def reduced(attempt: Attempt, changes: dict[int, str]) -> Generator[Question, np.ndarray, dict[int, str]]:
    """Words put back, the one first that brings the text nearest, as long as it still fools."""
    back = [without(changes, place) for place in changes]
    fooling, likeness = yield from those_that_fool(attempt, [one for one in back if one])
    left = dict(changes)
    for number in descending(likeness, SAME):
        (place,) = set(changes) - set(fooling[number])
        tried = without(left, place)
        if not tried:
            break
        rows = yield Ask([str(attempt.document.replace(tried))])
        if attempt.reached(rows[0]):
            left = tried
    return left


def bred(
    attempt: Attempt,
    settings: HLBB,
    candidates: Sequence[Sequence[str]],
    first: dict[int, str],
    drawn: np.random.Generator,
) -> Generator[Question, np.ndarray, dict[int, str]]:
    """The best of a population that is mutated, selected and crossed; never worse than what it begins with."""
    living, likeness = yield from those_that_fool(attempt, [first])
    for _ in range(settings.generations):
        before, mutants = living, list[dict[int, str]]()
        for _ in range(settings.population):
            parent = living[pick(likeness, drawn)]
            place = list(parent)[int(drawn.integers(len(parent)))]
            mutants += [{**parent, place: word} for word in candidates[place] if word != parent[place]]
            mutants += [without(parent, place)]
        some, near = yield from those_that_fool(attempt, different(mutants, living))
        living, likeness = fittest([*living, *some], np.concatenate([likeness, near]), settings.population)
        pairs = [(living[pick(likeness, drawn)], living[pick(likeness, drawn)]) for _ in range(settings.population)]
        children = [crossed(one, other, attempt.document, drawn) for one, other in pairs]
        some, near = yield from those_that_fool(attempt, different(children, living))
        living, likeness = fittest([*living, *some], np.concatenate([likeness, near]), settings.population)
        if len(living[0]) == 1 and living == before:
            break  # one word, and nothing nearer in its place
    return living[0]


def those_that_fool(attempt: Attempt, changes: Sequence[dict[int, str]]) -> Finding:
    """Those changes that fool the victim, and how like the original each is."""
    document: Document = attempt.document
    texts = [str(document.replace(one)) for one in changes]
    if not texts:
        return [], np.zeros(0)
    rows = yield Ask(texts)
    fooling = [number for number, row in enumerate(rows) if attempt.reached(row)]
    if not fooling:
        return [], np.zeros(0)
    likeness = yield Compare(str(document), [texts[number] for number in fooling])
    return [changes[number] for number in fooling], np.asarray(likeness, dtype=np.float64)


def fittest(
    living: Sequence[dict[int, str]], likeness: np.ndarray, most: int
) -> tuple[list[dict[int, str]], np.ndarray]:
    """The so many that are most like the original, the most like first."""
    order = descending(likeness, SAME)[:most]
    return [living[number] for number in order], likeness[order]


def pick(likeness: np.ndarray, drawn: np.random.Generator) -> int:
    """One of the population, drawn by softmax(Sim); rounding of Sim does not move the draw but at its very edge."""
    powers = np.exp(np.round(likeness, 4))
    return first_best(np.cumsum(powers) >= drawn.random() * powers.sum(), 0.0)


def crossed(one: Changes, other: Changes, document: Document, drawn: np.random.Generator) -> dict[int, str]:
    """A child that has each changed word from one parent or the other, as it stands there."""
    places = sorted({*one, *other})
    parents = [one if drawn.integers(2) else other for _ in places]
    words = {place: parent.get(place, document.words[place]) for place, parent in zip(places, parents, strict=True)}
    return {place: word for place, word in words.items() if word != document.words[place]}


def different(new: Sequence[dict[int, str]], known: Sequence[dict[int, str]]) -> list[dict[int, str]]:
    """Each change once, without those that are known and without none at all."""
    seen = [*known]
    for one in new:
        if one and one not in seen:
            seen.append(one)
    return seen[len(known) :]


def without(changes: Changes, place: int) -> dict[int, str]:
    """The changes but for one place."""
    return {own: word for own, word in changes.items() if own != place}
