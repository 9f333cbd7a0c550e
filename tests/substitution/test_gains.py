"""Oracle 1 of worst_words: a gain is the derivative of the loss along the delta of its formula."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from support import make_batch
from torch import Tensor

from unfooled.models.encoders.classifier import Classifier
from unfooled.substitution.gains import TOGETHER, Exchange, gains

# One piece for one, two for two, three for one, two for three, one for two.
EXCHANGES = (
    Exchange(0, (1, 2), [(7,), (9,), (11, 12, 13)]),
    Exchange(0, (2, 4), [(20, 21), (22, 23), (24,)]),
    Exchange(2, (1, 4), [(30, 31), (32, 33, 34)]),
    Exchange(1, (0, 2), [(40,)]),
)


def direction(table: Tensor, ids: Tensor, exchange: Exchange, pieces: tuple[int, ...]) -> Tensor:
    """The delta [B, T, d] that moves the pieces of a word to a candidate's, or to their mean; in a loop."""
    delta = torch.zeros(*ids.shape, table.shape[1], dtype=table.dtype)
    first, last = exchange.span
    mean = torch.stack([table[piece] for piece in pieces]).mean(dim=0)
    for number, column in enumerate(range(first, last)):
        target = table[pieces[number]] if len(pieces) == last - first else mean
        delta[exchange.row, column] = target - table[ids[exchange.row, column]]
    return delta


@pytest.fixture
def model(tiny_bert: Callable[..., Classifier]) -> Classifier:
    return tiny_bert(classes=3).double()


def test_oracle_a_gain_is_the_derivative_along_its_delta(model: Classifier) -> None:
    batch = make_batch((5, 3, 7), classes=3)
    ids, table = batch.tokens.ids, model.table

    def loss(delta: Tensor) -> Tensor:
        logits = model(batch.tokens, delta).logits
        return torch.nn.functional.cross_entropy(logits, batch.label, reduction="sum")

    start = torch.zeros(*ids.shape, model.width, dtype=torch.float64, requires_grad=True)
    (gradient,) = torch.autograd.grad(loss(start), start)
    found = gains(gradient, ids, table, EXCHANGES)
    assert [len(values) for values in found] == [3, 3, 2, 1]
    step = 1e-5
    with torch.no_grad():
        for exchange, values in zip(EXCHANGES, found, strict=True):
            for pieces, value in zip(exchange.candidates, values, strict=True):
                along = step * direction(table, ids, exchange, pieces)
                slope = float(loss(along) - loss(-along)) / (2 * step)
                assert value == pytest.approx(slope, rel=1e-5, abs=1e-8)
                assert abs(value) > 1e-4  # there is something to compare


def test_what_stands_there_already_gains_nothing(model: Classifier) -> None:
    ids = make_batch((5, 3, 7)).tokens.ids
    gradient = torch.randn(*ids.shape, model.width, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    own = tuple(ids[0, 1:3].tolist())
    [values] = gains(gradient, ids, model.table, [Exchange(0, (1, 3), [own, own[::-1]])])
    assert abs(values[0]) < 1e-12 < abs(values[1])


def test_no_exchange_and_no_candidate_give_nothing(model: Classifier) -> None:
    ids = make_batch((5,)).tokens.ids
    gradient = torch.ones(*ids.shape, model.width, dtype=torch.float64)
    assert gains(gradient, ids, model.table, []) == []
    [first, second] = gains(gradient, ids, model.table, [Exchange(0, (1, 2), []), Exchange(0, (2, 3), [(4,)])])
    assert first.shape == (0,) and np.isfinite(second).all()


def test_many_candidates_are_read_in_parts_and_gain_what_they_gain_alone() -> None:
    generator = torch.Generator().manual_seed(0)
    gradient, table = (torch.randn(*shape, generator=generator) for shape in ((1, 2, 24), (3000, 24)))
    pieces = torch.randperm(3000, generator=generator).tolist()
    (together,) = gains(gradient, torch.tensor([[4, 5]]), table, [Exchange(0, (0, 1), [(one,) for one in pieces])])
    assert len(pieces) > 2 * TOGETHER
    expected = (table[pieces] - table[4]) @ gradient[0, 0]
    np.testing.assert_allclose(together, expected.double().numpy(), atol=1e-4)
