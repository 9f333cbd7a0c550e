"""Detection of replaced tokens: which count, and how much."""

import math

import pytest
import torch

from unfooled.losses.replaced import replaced_tokens

LABELS = torch.tensor([[1, 0, -100, 1], [-100, -100, 0, 0]])


def test_an_even_guess_costs_log_two_or_log_three_a_token() -> None:
    assert replaced_tokens(torch.zeros(2, 4), LABELS).item() == pytest.approx(5 * math.log(2))
    assert replaced_tokens(torch.zeros(2, 4, 3), LABELS).item() == pytest.approx(5 * 1.098612, abs=1e-4)


def test_it_is_cross_entropy_with_a_plus_between_the_terms() -> None:
    logits = torch.randn(2, 4, generator=torch.Generator().manual_seed(0))
    share = torch.sigmoid(logits.double())
    known = [(0, 0), (0, 1), (0, 3), (1, 2), (1, 3)]
    expected = sum(-(share[at] if LABELS[at] else 1 - share[at]).log() for at in known)
    assert replaced_tokens(logits, LABELS).item() == pytest.approx(float(expected), rel=1e-6)


def test_unlabelled_tokens_receive_no_gradient() -> None:
    for logits in (torch.randn(2, 4).requires_grad_(), torch.randn(2, 4, 3).requires_grad_()):
        replaced_tokens(logits, LABELS).backward()
        assert not logits.grad[LABELS == -100].any() and (logits.grad[LABELS != -100] != 0).all()


def test_no_label_at_all_costs_nothing() -> None:
    nothing = torch.full((2, 4), -100)
    assert replaced_tokens(torch.randn(2, 4), nothing).item() == 0.0
    assert replaced_tokens(torch.randn(2, 4, 3), nothing).item() == 0.0
