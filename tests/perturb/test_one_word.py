"""One word moved: where, how far, and drawn evenly."""

import pytest
import torch

from unfooled.perturb.one_word import drawn_places, one_word


def test_the_step_is_the_unit_gradient_times_the_radius_at_one_place():
    gradient = torch.tensor([[[3.0, 4.0], [1.0, 0.0]], [[0.0, 2.0], [5.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]]])
    delta = one_word(gradient, torch.tensor([0, 1, -1]), 0.5)
    expected = torch.zeros(3, 2, 2)
    expected[0, 0] = torch.tensor([0.3, 0.4])
    expected[1, 1] = torch.tensor([0.5, 0.0])
    torch.testing.assert_close(delta, expected)


def test_a_gradient_of_zero_moves_nothing():
    assert not one_word(torch.zeros(1, 3, 2), torch.tensor([1]), 0.5).any()


def test_a_gradient_that_is_no_number_is_refused():
    with pytest.raises(FloatingPointError):
        one_word(torch.full((1, 2, 2), torch.nan), torch.tensor([0]), 0.5)
    with pytest.raises(FloatingPointError):
        one_word(None, torch.tensor([0]), 0.5)


def test_places_are_drawn_evenly_among_those_allowed():
    """Chi-square over 10,000 draws; 16.27 is its 0.1 % quantile at 3 degrees of freedom."""
    allowed = torch.tensor([[False, True, True, False, True, True]]).expand(10_000, 6)
    places = drawn_places(allowed, (0, 0), torch.arange(10_000))
    counts = torch.bincount(places, minlength=6)
    assert counts[0] == counts[3] == 0
    expected = 2500.0
    assert float(((counts[[1, 2, 4, 5]] - expected) ** 2 / expected).sum()) < 16.27


def test_a_sequence_without_a_word_has_no_place_and_draws_depend_on_example_and_epoch_alone():
    allowed = torch.ones(3, 50, dtype=torch.bool)
    allowed[1] = False
    whole = drawn_places(allowed, (4, 2), torch.tensor([9, 5, 7]))
    assert whole[1] == -1
    alone = drawn_places(allowed[2:], (4, 2), torch.tensor([7]))
    assert alone[0] == whole[2]
    epochs = {int(drawn_places(allowed[2:], (4, epoch), torch.tensor([7]))) for epoch in range(8)}
    assert len(epochs) > 3
