"""Perturbations that are kept by example, each as long as its text."""

import pytest
import torch
from support import make_batch

from unfooled.perturb import Ascent, Ball, Start, free_passes
from unfooled.perturb.remembered import Remembered, size_of

LENGTHS = torch.tensor([5, 3, 7, 4])
WIDTH = 6


def drawn(batch, seed=0):
    mask = batch.tokens.mask
    return torch.randn(*mask.shape, WIDTH, generator=torch.Generator().manual_seed(seed)) * mask[..., None]


def nothing(batch):
    return lambda: torch.zeros(*batch.tokens.mask.shape, WIDTH)


def test_what_is_written_is_read_whatever_the_batch_the_order_and_the_padding():
    memory, whole = Remembered(LENGTHS, WIDTH), make_batch(LENGTHS.tolist())
    delta = drawn(whole)
    memory.write(whole.index, whole.tokens.mask, delta)
    other = make_batch([4, 5], index=[3, 0], columns=9)
    found = memory.read(other.index, other.tokens.mask, nothing(other))
    kept = delta.half().float()
    assert torch.equal(found[0, :4], kept[3, :4]) and torch.equal(found[1, :5], kept[0, :5])
    assert not found[~other.tokens.mask].any() and float((delta - kept).abs().max()) < 2e-3


def test_an_example_that_has_none_yet_gets_what_there_is_otherwise():
    memory, batch = Remembered(LENGTHS, WIDTH), make_batch(LENGTHS.tolist())
    early = make_batch([3, 7], index=[1, 2])
    memory.write(early.index, early.tokens.mask, torch.ones(2, 7, WIDTH))
    other = drawn(batch)
    found = memory.read(batch.index, batch.tokens.mask, lambda: other.clone())
    assert memory.written.tolist() == [False, True, True, False]
    assert torch.equal(found[[0, 3]], other[[0, 3]]) and torch.equal(found[1, :3], torch.ones(3, WIDTH))
    assert not found[1, 3:].any() or torch.equal(found[1, 3:], other[1, 3:])


def test_no_noise_is_drawn_for_examples_that_have_a_perturbation():
    memory, batch = Remembered(LENGTHS, WIDTH), make_batch(LENGTHS.tolist())
    memory.write(batch.index, batch.tokens.mask, drawn(batch))
    memory.read(batch.index, batch.tokens.mask, lambda: pytest.fail("asked for a start"))


def test_its_size_is_that_of_its_rows_and_it_outlives_a_restart():
    memory, batch = Remembered(LENGTHS, WIDTH), make_batch(LENGTHS.tolist())
    memory.write(batch.index, batch.tokens.mask, drawn(batch))
    assert memory.rows.nbytes == size_of(19, WIDTH) and set(memory.state_dict()) == {"rows", "written"}
    again = Remembered(LENGTHS, WIDTH)
    again.load_state_dict(memory.state_dict())
    found = [one.read(batch.index, batch.tokens.mask, nothing(batch)) for one in (memory, again)]
    assert torch.equal(*found) and found[0].any()


def test_passes_begin_where_the_last_ones_ended_one_climb_more_than_without():
    """On a linear loss every climb goes the same way, so that its length counts them."""
    batch = make_batch(LENGTHS.tolist())
    mask = batch.tokens.mask
    slope = torch.ones(*mask.shape, WIDTH)
    memory, ascent = Remembered(LENGTHS, WIDTH), Ascent(Ball(1.0), steps=1, step_size=0.25, start=Start.ZERO)
    lengths = []
    for _ in range(3):
        for delta in free_passes(ascent, mask, WIDTH, (0, 0), batch.index, memory=memory):
            (delta * slope).sum().backward()
            lengths.append(float(delta.detach()[0].norm()))
    assert lengths == pytest.approx([0, 0.25, 0.5, 0.75, 1, 1], abs=2e-3)
    assert max(lengths) <= 1 + 1e-6  # half precision never leads out of the ball
