"""Answers to questions compared as SQuAD compares them: exactly, and by the words they share.

Rajpurkar et al., SQuAD: 100,000+ Questions for Machine Comprehension of Text, 2016: letter case, punctuation, the
articles a, an and the, and the number of spaces do not count; of several right answers the nearest does.
"""

import re
import string
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from unfooled.scores.intervals import Groups, clustered, drawn_together, mean
from unfooled.scores.score import Score

ARTICLES = re.compile(r"\b(a|an|the)\b")
PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(text: str) -> str:
    """What is compared of an answer.

    >>> normalised("The  U.S. Navy's an-chor!")
    'us navys anchor'
    """
    return " ".join(ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split())


def exact_match(answer: str, right: Iterable[str]) -> bool:
    """Whether an answer is one of the right ones."""
    said = normalised(answer)
    return any(said == normalised(one) for one in right)


def token_f1(answer: str, right: Iterable[str]) -> float:
    """The F1 of the words an answer shares with the nearest right one; two empty answers agree.

    >>> token_f1("the Navy of France", ["French navy", "navy of France"])
    1.0
    """
    return max((shared_words(normalised(answer).split(), normalised(one).split()) for one in right), default=0.0)


def shared_words(said: Sequence[str], right: Sequence[str]) -> float:
    """2 · shared / all words, each counted as often as it occurs on both sides."""
    if not said or not right:
        return float(said == right)
    shared = sum((Counter(said) & Counter(right)).values())
    return 2 * shared / (len(said) + len(right))


def answer_scores(answers: Sequence[str], right: Sequence[Sequence[str]], groups: Groups = None) -> dict[str, Score]:
    """F1 and exact match over all questions, with their intervals; ``groups`` name versions of one question alike."""
    pairs = list(zip(answers, right, strict=True))
    same = [exact_match(answer, known) for answer, known in pairs]
    overlaps = [token_f1(answer, known) for answer, known in pairs]
    shares = np.array(overlaps)
    how = "after SQuAD's normalisation, best of the right answers"
    f1 = mean(overlaps, f"mean F1 of the words of answer and right answer, {how}", 0.0, 1.0)
    own = range(len(same)) if groups is None else groups
    return {
        "f1": drawn_together(f1, groups, lambda rows: float(shares[rows].mean())).called("F1"),
        "exact match": clustered(same, own, f"share of answers equal to a right one, {how}").called("exact match"),
    }
