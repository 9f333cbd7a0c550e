"""Perplexity per word: comparable whatever the words are split into.

exp(Σ over tokens of -log p(token) / words): the sum does not depend on how a word is cut, and neither do the words,
which are those between spaces and one end of line each. The interval is over sequences, taken as independent.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from unfooled.scores.score import Score


@dataclass(frozen=True)
class Surprise:
    """-log p of many tokens: the sum l, how many tokens n and sequences, and Σ l², Σ l·n, Σ n² over sequences."""

    total: float
    tokens: int
    sequences: int
    squares: tuple[float, float, float]

    def perplexity(self, words: int, definition: str) -> Score:
        """exp of the mean over so many words; the interval is that of a ratio of sums over independent sequences.

        >>> loss = math.log(8) * 2
        >>> score = Surprise(2 * loss, 4, 2, (2 * loss**2, 4 * loss, 8.0)).perplexity(4, "two alike")
        >>> round(score.value, 6), round(score.low, 6)
        (8.0, 8.0)
        """
        rate = self.total / self.tokens
        losses, both, sizes = self.squares
        spread = max(losses - 2 * rate * both + rate**2 * sizes, 0.0) * self.sequences / max(self.sequences - 1, 1)
        half, value = 1.96 * math.sqrt(spread) / words, self.total / words
        ends = bounded_exp(value - half), bounded_exp(value + half)
        return Score(bounded_exp(value), *ends, words, definition, least=0.0).called("perplexity", "", "less")


def bounded_exp(value: float) -> float:
    """exp, of what would overflow the largest number there is."""
    return math.exp(min(value, 700.0))


def count_words(lines: Sequence[str]) -> int:
    """Words between spaces, and one end a line."""
    return sum(len(line.split()) + 1 for line in lines)
