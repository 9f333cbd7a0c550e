"""Victims whose right answers are known exactly, and searches that leave nothing out."""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from unfooled.attacks import Attack, AttackRecord, Goal, Limits, Parts, run_attack
from unfooled.text.document import read

SYNONYMS = {
    "good": ("fine", "great", "solid"),
    "great": ("good", "grand"),
    "fine": ("good", "delicate"),
    "film": ("movie", "picture"),
    "story": ("plot", "tale", "yarn"),
    "dull": ("slow", "grey"),
    "actor": ("player",),
    "bright": ("clever", "shining"),
}
WEIGHTS = {
    "good": 1.1, "fine": 0.35, "great": 1.6, "solid": -0.2, "grand": 0.15, "delicate": -0.4, "film": 0.05,
    "movie": -0.31, "picture": 0.21, "story": 0.4, "plot": -0.55, "tale": 0.3, "yarn": -0.56, "dull": -1.2,
    "slow": -0.3, "grey": -0.8, "actor": 0.1, "player": -0.15, "bright": 0.9, "clever": 0.7, "shining": -0.1,
    "the": 0.02, "a": -0.01, "was": 0.03, "<unk>": 0.0,
}  # fmt: skip


class Bag:
    """Logistic regression on a bag of words; remembers every text it was asked about."""

    def __init__(self, weights: Mapping[str, float] = WEIGHTS, bias: float = 0.0) -> None:
        self.weights, self.bias = weights, bias
        self.seen: list[str] = []

    def probability(self, words: Iterable[str]) -> float:
        logit = self.bias + math.fsum(self.weights.get(word.lower(), 0.0) for word in words)
        return 1 / (1 + math.exp(-logit))

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        self.seen += texts
        yes = np.array([self.probability(text.replace(",", " ").replace(".", " ").split()) for text in texts])
        return np.stack([1 - yes, yes], axis=1)


class Shaky(Bag):
    """The bag of words with rounding errors that depend on the batch, as real networks have them."""

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        exact = super().__call__(texts)
        noise = 5e-6 * exact[:, 0] * exact[:, 1] * np.sin(1e4 * np.arange(len(texts)) + len(texts))
        return exact + np.stack([noise, -noise], axis=1)


def constant(texts: Sequence[str]) -> np.ndarray:
    """Says class 1 whatever it is asked."""
    return np.tile([0.3, 0.7], (len(texts), 1))


def hypersensitive(original: str) -> Any:
    """Says class 1 to one text and class 0 to every other."""
    return lambda texts: np.array([[0.1, 0.9] if text == original else [0.9, 0.1] for text in texts])


def keyword(texts: Sequence[str]) -> np.ndarray:
    """Says class 1 where the word "good" is, and nothing else matters."""
    return np.array([[0.2, 0.8] if "good" in text.lower().split() else [0.8, 0.2] for text in texts])


def known(table: Mapping[str, Sequence[str]] = SYNONYMS) -> Parts:
    """Substitutes out of a table."""
    return Parts(lambda document: [tuple(table.get(word.lower(), ())) for word in document.words])


def sentences(count: int, seed: int = 0, longest: int = 9) -> list[str]:
    random = np.random.default_rng(seed)
    words = [*SYNONYMS, "the", "a", "was"]
    return [" ".join(random.choice(words, random.integers(1, longest))) for _ in range(count)]


def labelled(victim: Any, texts: Sequence[str]) -> list[int]:
    """The labels that the victim gets right."""
    return [int(row.argmax()) for row in np.asarray(victim(texts))]


def attacked(
    attack: Attack, victim: Any, texts: Sequence[Any], labels: Sequence[int], **options: Any
) -> list[AttackRecord]:
    """The records in the order of the examples."""
    options = {"parts": known(), "limits": Limits(in_flight=4, batch_size=8), **options}
    found = run_attack(attack, victim, texts, labels, **options)
    return sorted(found, key=lambda record: record.index)


def essence(record: AttackRecord) -> tuple[Any, ...]:
    """What may depend on nothing but the example, the attack and the victim."""
    return record.index, record.outcome, record.adversary, record.changes, record.asked, record.from_cache


def exhaustive(victim: Any, text: str, label: int, goal: Goal | None = None) -> bool:
    """Whether any combination of substitutes whatsoever fools the victim."""
    document = read(text)
    choices = [(word, *SYNONYMS.get(word.lower(), ())) for word in document.words]
    texts = [str(document.replace(dict(enumerate(words)))) for words in itertools.product(*choices)]
    wanted = goal or Goal()
    answers = np.asarray(victim(texts)).argmax(axis=1)
    return bool((answers == wanted.target).any() if wanted.target is not None else (answers != label).any())
