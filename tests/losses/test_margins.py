"""Margins against the formula; no common shift moves them, and those of two classes are differences of logits."""

import torch

from unfooled.losses.margins import margins


def test_a_margin_is_the_formula_and_does_not_see_a_shift() -> None:
    logits = torch.tensor([[1.0, 2.0, 0.5], [3.0, -1.0, 0.0]], dtype=torch.float64)
    label = torch.tensor([1, 0])
    expected = torch.stack([2 - torch.logsumexp(logits[0, [0, 2]], 0), 3 - torch.logsumexp(logits[1, [1, 2]], 0)])
    torch.testing.assert_close(margins(logits, label), expected)
    torch.testing.assert_close(margins(logits + 7, label), expected)
    torch.testing.assert_close(margins(logits[:, :2], label), torch.tensor([1.0, 4.0], dtype=torch.float64))
