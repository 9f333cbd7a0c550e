"""-log p of every token against probabilities multiplied by hand."""

import math

import numpy as np
import pytest
import torch

from sequences import language_batch, language_model, marked_text
from unfooled.data.batches.segments import Segments
from unfooled.models.sequences.surprise import surprise, token_losses
from unfooled.scores.perplexity import Surprise
from unfooled.types import Output

HERE = torch.device("cpu")


def loader(**other):
    return Segments(marked_text([9, 14, 6]), **{"length": 6, "ending": 1, "batch_size": 2, "seed": 0, **other})


def by_hand(model, text):
    """-log p of every token given those before it in its segment, one by one; segment by segment."""
    ids = [1, *text.ids.tolist()]
    sums = []
    for start in range(0, len(text.ids), 6):
        losses = []
        for place in range(start, min(start + 6, len(text.ids))):
            read = torch.tensor([ids[start : place + 1]])
            probabilities = model.network(input_ids=read).logits[0, -1].softmax(dim=0).detach()
            losses.append(-math.log(float(probabilities[ids[place + 1]])))
        sums.append(losses)
    return sums


def test_the_whole_text_is_scored_each_word_given_those_before_it():
    model = language_model()
    found = Surprise(*surprise(model, loader().in_order(), HERE))
    sums = by_hand(model.train(False), loader().text)
    losses = [loss for some in sums for loss in some]
    assert found.tokens == len(losses) == 29 and found.sequences == 5
    assert found.total == pytest.approx(sum(losses), rel=1e-5)
    score = found.perplexity(found.tokens, "")
    assert score.value == pytest.approx(math.exp(sum(losses) / 29), rel=1e-5)
    # Taylor's variance of a ratio of sums over segments.
    rate = sum(losses) / 29
    rests = np.array([sum(some) - rate * len(some) for some in sums])
    half = 1.96 * math.sqrt((rests**2).sum() * 5 / 4) / 29
    assert math.log(score.high) - math.log(score.value) == pytest.approx(half, rel=1e-3)
    assert score.n == 29


def test_shares_of_several_processes_add_up():
    model = language_model()
    alone = Surprise(*surprise(model, loader().in_order(), HERE))
    shares = [loader(rank=rank, processes=2) for rank in (0, 1)]
    parts = [Surprise(*surprise(model, share.in_order(), HERE)) for share in shares]
    assert parts[0].tokens + parts[1].tokens == alone.tokens
    assert parts[0].total + parts[1].total == pytest.approx(alone.total)


def test_dropout_is_off_while_it_is_measured_and_back_on_after():
    model = language_model(dropout=0.5)
    assert surprise(model, loader().in_order(), HERE) == surprise(model, loader().in_order(), HERE)
    assert model.training


def test_a_perturbation_can_be_given():
    model, zero = language_model(), lambda batch: torch.zeros(*batch.tokens.ids.shape, model.width)
    assert surprise(model, loader().in_order(), HERE, moved=zero) == surprise(model, loader().in_order(), HERE)
    one = surprise(model, loader().in_order(), HERE, moved=lambda batch: zero(batch) + 1.0)
    assert one != surprise(model, loader().in_order(), HERE)


def test_rated_labels_stand_for_logits():
    batch = language_batch()
    output = Output(torch.empty(0), torch.empty(0), rated=lambda label: (label >= 0) * 2.0)
    assert token_losses(output, batch.label).sum() == 2.0 * (batch.label >= 0).sum()
