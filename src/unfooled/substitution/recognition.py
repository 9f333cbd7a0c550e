"""Whether what stands for a word is read as that word: the states of words in the middle of a network.

With s_w the mean state of a word's tokens, at length one, and w' any word that was exchanged in the batch:

    R = −log softmax over w' of (s_c · s_w' / tau) at w,    c what stands for w; s_w, of the text as it was, a constant

A contrast, not a distance: states that only had to be near each other would all become one.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from unfooled.gather import first_row, gather
from unfooled.substitution.reading import Located, Span
from unfooled.substitution.worst import WordRow

TAU = 0.1
Layers = Sequence[Tensor]  # token states [B, T, H], one for each layer


@dataclass(frozen=True)
class ExchangedWord:
    """A word of a row that stood as it was and was exchanged: its tokens before and after."""

    row: int
    before: Span
    after: Span


def exchanged_words(
    rows: tuple[Sequence[WordRow], Sequence[WordRow]], located: tuple[Located, Located], left_out: Collection[int]
) -> list[ExchangedWord]:
    """The words of two readings of the same rows that are whole in both and exchanged in the second alone."""
    words = []
    for number, (before, after) in enumerate(zip(*rows, strict=True)):
        for column, place in sorted(after.changes.keys() - before.changes.keys()) if number not in left_out else ():
            spans = [one.places[number][column][place] for one in located]
            if all(last > first for first, last in spans):
                words.append(ExchangedWord(number, *spans))
    return words


def middle(depth: int) -> tuple[int, ...]:
    """The numbers of the three layers around the middle: below them words are spelt, above them texts are judged.

    >>> middle(6), middle(1)
    ((2, 3, 4), (0,))
    """
    half = depth // 2
    return tuple(range(depth))[max(half - 1, 0) : half + 2]


def recognition(before: Layers, after: Layers, words: Sequence[ExchangedWord]) -> Tensor:
    """R of (3b), a mean over layers and over the words of each row, summed over the rows that have any."""
    rows = torch.tensor([word.row for word in words], dtype=torch.int64)
    shares = 1 / rows.bincount(minlength=1)[rows] if len(words) else torch.zeros(0)
    total = after[0].new_zeros(())
    for one, other in zip(before, after, strict=True):
        own = word_states(one.detach(), rows, [word.before for word in words])
        answers = word_states(other, rows, [word.after for word in words])
        every, first = gather(own), first_row(own)  # of all processes, whether this one has words or not
        if len(words):
            places = torch.arange(first, first + len(words), device=own.device)
            losses = F.cross_entropy(answers @ every.T / TAU, places, reduction="none")
            total = total + (losses * shares.to(losses)).sum() / len(before)
    return total


def word_states(states: Tensor, rows: Tensor, spans: Sequence[Span]) -> Tensor:
    """The mean state of the tokens of each word, at length one [words, H]."""
    ends = torch.tensor(spans, dtype=torch.int64).reshape(-1, 2)
    sizes = ends[:, 1] - ends[:, 0]
    word = torch.repeat_interleave(torch.arange(len(ends)), sizes)
    within = torch.arange(len(word)) - torch.repeat_interleave(sizes.cumsum(0) - sizes, sizes)
    tokens = states.float()[rows[word].to(states.device), (ends[word, 0] + within).to(states.device)]
    sums = tokens.new_zeros(len(ends), states.shape[-1]).index_add(0, word.to(states.device), tokens)
    return F.normalize(sums, dim=-1)
