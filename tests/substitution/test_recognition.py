"""R against the formula written out, and what it does: words are told apart, and states do not become one."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from unfooled.substitution.reading import Located
from unfooled.substitution.recognition import TAU, ExchangedWord, exchanged_words, middle, recognition, word_states
from unfooled.substitution.worst import WordRow
from unfooled.text.document import read
from unfooled.types import Tokens

WORDS = [ExchangedWord(0, (1, 2), (1, 3)), ExchangedWord(0, (3, 4), (4, 5)), ExchangedWord(2, (1, 3), (1, 2))]


def states(seed: int) -> Tensor:
    return torch.randn(3, 6, 4, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def written_out(before: Tensor, after: Tensor) -> Tensor:
    own = [F.normalize(before[word.row, slice(*word.before)].mean(0), dim=0) for word in WORDS]
    answers = [F.normalize(after[word.row, slice(*word.after)].mean(0), dim=0) for word in WORDS]
    losses = [
        -(answer @ own[place] / TAU) + torch.stack([answer @ other / TAU for other in own]).logsumexp(0)
        for place, answer in enumerate(answers)
    ]
    return (losses[0] + losses[1]) / 2 + losses[2]  # two words of one row, one of another


def test_it_is_the_formula_and_its_gradient_reaches_the_second_reading_alone() -> None:
    before, after = states(0).requires_grad_(), states(1).requires_grad_()
    found = recognition([before, before], [after, after], WORDS)
    assert found.item() == pytest.approx(written_out(before, after).item(), rel=1e-5)
    (mine,) = torch.autograd.grad(found, after, retain_graph=True)
    (other,) = torch.autograd.grad(written_out(before, after), after)
    assert torch.allclose(mine, other, atol=1e-5) and mine.abs().max() > 0.1
    assert torch.autograd.grad(found, before, allow_unused=True) == (None,)


def test_without_words_it_is_nothing() -> None:
    assert recognition([states(0)], [states(1)], []).item() == 0.0
    assert word_states(states(0), torch.zeros(0, dtype=torch.int64), []).shape == (0, 4)


def test_states_that_are_all_one_cost_more_than_words_told_apart() -> None:
    """A distance would be content with a network to which every word is the same."""
    told_apart = torch.eye(6, dtype=torch.float64)[None, :, :].repeat(3, 1, 1)
    told_apart[2] = told_apart[2].roll(2, 0)  # the word of another row is another word
    words = [ExchangedWord(0, (1, 2), (1, 2)), ExchangedWord(0, (3, 4), (3, 4)), ExchangedWord(2, (1, 2), (1, 2))]
    one = torch.ones_like(told_apart)
    assert recognition([told_apart], [told_apart], words) < 0.01 < 2 < recognition([one], [one], words)


def test_only_words_that_were_as_they_are_and_whole_are_asked_for() -> None:
    document = read("a fine old film")
    row = WordRow((document,), ([()] * 4,), {(0, 1): "good"}, 1.0)
    later = WordRow((document,), ([()] * 4,), {(0, 1): "nice", (0, 2): "aged", (0, 3): "fiIm"}, 1.0)
    tokens = Tokens(torch.zeros(2, 8, dtype=torch.int64), torch.ones(2, 8, dtype=torch.bool), None)
    places = [(1, 2), (2, 3), (3, 4), (4, 5)]
    before = Located(tokens, [(places,), (places,)])
    after = Located(tokens, [([*places[:3], (0, 0)],), ([*places[:3], (4, 6)],)])
    found = exchanged_words(([row, row], [later, later]), (before, after), ())
    assert found == [
        ExchangedWord(0, (3, 4), (3, 4)),  # the last word is cut off
        ExchangedWord(1, (3, 4), (3, 4)),
        ExchangedWord(1, (4, 5), (4, 6)),
    ]
    assert exchanged_words(([row, row], [later, later]), (before, after), {1: None}) == found[:1]


@pytest.mark.parametrize(("count", "chosen"), [(1, [0]), (2, [0, 1]), (6, [2, 3, 4]), (12, [5, 6, 7])])
def test_the_middle(count: int, chosen: list[int]) -> None:
    assert list(middle(count)) == chosen
