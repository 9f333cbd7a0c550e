"""The contrast head, and the dropout before it that depends on the example alone."""

import pytest
import torch

from unfooled.models.heads.contrast_head import contrast_head, view_dropout

KEY = (3, 1)


def test_the_head_is_two_linear_maps_with_a_relu_between():
    head, rows = contrast_head(6).double(), torch.randn(4, 6, dtype=torch.float64)
    first, second = head[0], head[2]
    hidden = (rows @ first.weight.T + first.bias).clamp(min=0)
    torch.testing.assert_close(head(rows), hidden @ second.weight.T + second.bias)
    assert sum(parameter.numel() for parameter in head.parameters()) == 2 * (6 * 6 + 6)


def test_entries_are_dropped_or_scaled_up():
    rows = torch.ones(2 * 50, 200)
    found = view_dropout(rows, KEY, torch.arange(50), 0.25)
    assert found.unique().tolist() == pytest.approx([0.0, 1 / 0.75])
    assert found.mean().item() == pytest.approx(1, abs=0.02)
    assert (found == 0).float().mean().item() == pytest.approx(0.25, abs=0.01)


def test_the_views_of_an_example_differ_and_epochs_differ():
    rows, index = torch.ones(6, 64), torch.arange(3)
    found = view_dropout(rows, KEY, index, 0.1)
    assert all(not torch.equal(found[place], found[place + 3]) for place in range(3))
    assert not torch.equal(found, view_dropout(rows, (3, 2), index, 0.1))
    assert torch.equal(found, view_dropout(rows, KEY, index, 0.1))


def test_the_mask_goes_with_the_example_not_with_its_place():
    rows, index = torch.ones(8, 32), torch.tensor([5, 9, 2, 7])
    whole = view_dropout(rows, KEY, index, 0.5).view(2, 4, 32)
    for part in (slice(0, 4, 2), slice(1, 4, 2), slice(3, 4)):
        count = len(index[part])
        found = view_dropout(rows[: 2 * count], KEY, index[part], 0.5).view(2, count, 32)
        assert torch.equal(found, whole[:, part])


def test_probability_zero_changes_nothing():
    rows = torch.randn(4, 3)
    assert view_dropout(rows, KEY, torch.arange(2), 0.0) is rows
