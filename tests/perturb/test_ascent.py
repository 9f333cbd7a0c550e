"""Starts, steps and climbs against closed forms."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from support import LinearModel, cross_entropies, make_batch, naive_sizes

from unfooled.perturb import Ascent, Ball, Norm, Scope, Start, worst_case

COMBINATIONS = [(norm, scope) for norm in Norm for scope in Scope]
NOISE = Ascent(Ball(None), steps=1, step_size=0.1, start=Start.UNIFORM, spread=0.6)


def prefix_mask(lengths, columns):
    return torch.arange(columns)[None, :] < torch.tensor(lengths)[:, None]


def linear_losses(model, batch):
    return lambda delta: cross_entropies(model(batch.tokens, delta).logits, batch.label).sum()


def test_a_zero_start_is_exactly_zero():
    start = Ascent(Ball(1.0), steps=1).begin(prefix_mask([2, 3], 3), 4, (0, 0), torch.tensor([5, 6]))
    assert start.shape == (2, 3, 4) and not start.any()


@given(st.integers(1, 9), st.integers(1, 8), st.integers(0, 10**6), st.sampled_from(COMBINATIONS))
def test_oracle_4_3_3_uniform_noise_never_exceeds_gamma(length, width, example, combination):
    norm, scope = combination
    ascent = Ascent(Ball(None, norm, scope), 1, 0.1, Start.UNIFORM, 0.6)
    start = ascent.begin(prefix_mask([length], 10), width, (1, 2), torch.tensor([example]))
    assert max(naive_sizes(start, norm, scope)[0]) <= 0.6 * (1 + 1e-6)
    assert not start[0, length:].any() and start[0, :length].any()


def test_oracle_4_3_3_uniform_noise_has_mean_size_gamma_over_root_three():
    mask, width = prefix_mask([12] * 200, 16), 16
    start = NOISE.begin(mask, width, (0, 0), torch.arange(200))
    sizes = start.flatten(1).norm(dim=1)
    assert sizes.mean().item() == pytest.approx(0.6 / math.sqrt(3), rel=0.01)
    bound = 0.6 / math.sqrt(12 * width)
    assert start.abs().max() <= bound * (1 + 1e-6)
    assert start.abs().max() > 0.999 * bound and abs(start[mask].mean()) < 0.01 * bound


def test_linf_noise_is_uniform_up_to_gamma():
    ascent = replace(NOISE, ball=Ball(None, Norm.LINF))
    start = ascent.begin(prefix_mask([10] * 40, 10), 8, (0, 0), torch.arange(40))
    assert 0.597 < start.abs().max() <= 0.6
    assert start.std().item() == pytest.approx(0.6 / math.sqrt(3), rel=0.03)


def test_normal_noise_has_the_spread_as_standard_deviation():
    ascent = replace(NOISE, start=Start.NORMAL, spread=1e-5)
    mask = prefix_mask([5, 20] * 20, 20)
    start = ascent.begin(mask, 16, (0, 0), torch.arange(40))
    assert start[mask].std().item() == pytest.approx(1e-5, rel=0.03)
    assert not start[~mask].any()


@pytest.mark.parametrize("start", [Start.UNIFORM, Start.NORMAL])
def test_oracle_4_3_3_noise_depends_on_the_true_length_and_not_on_padding(start):
    ascent, index = replace(NOISE, start=start), torch.tensor([11, 12])
    narrow = ascent.begin(prefix_mask([4, 6], 6), 8, (0, 0), index)
    wide = ascent.begin(prefix_mask([4, 6], 30), 8, (0, 0), index)
    assert torch.equal(narrow, wide[:, :6])
    if start is Start.UNIFORM:
        lengths = [1, 4, 16, 64]
        noise = ascent.begin(prefix_mask(lengths, 64), 64, (0, 0), torch.arange(4))
        for row, length in zip(noise, lengths, strict=True):
            assert row.abs().max().item() == pytest.approx(0.6 / math.sqrt(64 * length), rel=0.1)


@pytest.mark.parametrize("start", [Start.UNIFORM, Start.NORMAL])
def test_noise_is_a_function_of_seed_epoch_and_index_alone(start):
    ascent = replace(NOISE, start=start)

    def noise(key, index):
        return ascent.begin(prefix_mask([5] * len(index), 5), 8, key, torch.tensor(index))

    torch.manual_seed(1)
    first = noise((7, 0), [3, 4, 9])
    torch.manual_seed(2)
    state = torch.get_rng_state()
    assert torch.equal(first[[2, 0]], noise((7, 0), [9, 3]))
    assert torch.equal(state, torch.get_rng_state())
    for key in [(8, 0), (7, 1)]:
        assert not torch.equal(first, noise(key, [3, 4, 9]))
    assert not torch.equal(first[0], first[1])


@pytest.mark.parametrize("start", [Start.UNIFORM, Start.NORMAL])
def test_noise_lands_on_the_real_tokens_wherever_the_padding_is(start):
    mask = torch.tensor([[False, False, True, True], [True, False, True, False]])
    noise = replace(NOISE, start=start).begin(mask, 3, (0, 0), torch.arange(2))
    assert noise[mask].all() and not noise[~mask].any()


@pytest.mark.parametrize("norm, scope", COMBINATIONS)
def test_oracle_4_3_5_the_start_too_is_inside_the_ball(norm, scope):
    ascent = Ascent(Ball(0.05, norm, scope), 1, start=Start.NORMAL, spread=3.0)
    start = ascent.begin(prefix_mask([5, 6], 6), 8, (0, 0), torch.arange(2))
    for sizes in naive_sizes(start, norm, scope):
        assert max(sizes) <= 0.05 * (1 + 1e-6)


def test_one_step_is_delta_plus_step_size_times_the_unit_gradient():
    delta = torch.tensor([[[1.0, 0.0], [0.0, 0.0]]])
    gradient = torch.tensor([[[0.0, 3.0], [4.0, 0.0]]])
    mask = torch.ones(1, 2, dtype=torch.bool)
    moved = Ascent(Ball(None), 1, step_size=0.5).climb(delta, gradient, mask)
    torch.testing.assert_close(moved, torch.tensor([[[1.0, 0.3], [0.4, 0.0]]]))
    bounded = Ascent(Ball(0.5), 1, step_size=0.5).climb(delta, gradient, mask)
    torch.testing.assert_close(bounded, moved * 0.5 / (1.0 + 0.09 + 0.16) ** 0.5)
    fresh = Ascent(Ball(None), 1, step_size=0.5, accumulate=False).climb(delta, gradient, mask)
    torch.testing.assert_close(fresh, torch.tensor([[[0.0, 0.3], [0.4, 0.0]]]))


def test_the_default_step_is_the_radius():
    gradient = torch.tensor([[[3.0, 4.0]]])
    moved = Ascent(Ball(2.0), 1).climb(torch.zeros(1, 1, 2), gradient, torch.ones(1, 1, dtype=torch.bool))
    torch.testing.assert_close(moved, torch.tensor([[[1.2, 1.6]]]))


@pytest.mark.parametrize("accumulate", [True, False])
def test_oracle_2_6_a_zero_gradient_leaves_the_perturbation_unchanged(accumulate):
    delta = torch.tensor([[[0.1, -0.2]], [[0.3, 0.0]]])
    gradient = torch.tensor([[[0.0, 0.0]], [[1.0, 0.0]]])
    mask = torch.ones(2, 1, dtype=torch.bool)
    moved = Ascent(Ball(None), 1, 0.5, accumulate=accumulate).climb(delta, gradient, mask)
    assert torch.equal(moved[0], delta[0])
    assert moved[1, 0, 0].item() == pytest.approx(0.8 if accumulate else 0.5)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_a_gradient_that_is_not_finite_raises(bad):
    gradient = torch.zeros(2, 3, 4)
    gradient[1, 2, 0] = bad
    ascent, mask = Ascent(Ball(1.0), 1), torch.ones(2, 3, dtype=torch.bool)
    with pytest.raises(FloatingPointError):
        ascent.climb(torch.zeros(2, 3, 4), gradient, mask)
    with pytest.raises(FloatingPointError):
        worst_case(ascent, torch.zeros(2, 3, 4), mask, lambda delta: (delta * gradient).sum())


def test_an_ascent_that_cannot_step_says_why():
    delta, mask = torch.zeros(1, 1, 2), torch.ones(1, 1, dtype=torch.bool)
    with pytest.raises(RuntimeError, match="lookup"):
        Ascent(Ball(1.0), 1).climb(delta, None, mask)
    with pytest.raises(ValueError, match="step size"):
        Ascent(Ball(None), 1).climb(delta, torch.ones(1, 1, 2), mask)


cases = {
    "seed": st.integers(0, 10**6),
    "combination": st.sampled_from(COMBINATIONS),
    "exponent": st.integers(-30, 30),
    "radius": st.sampled_from([0.0, 0.02, 1.0, 5.0]),
    "steps": st.integers(0, 4),
    "accumulate": st.booleans(),
}


@given(**cases)
@settings(max_examples=300)
def test_oracle_3_1_no_step_leaves_the_ball(seed, combination, exponent, radius, steps, accumulate):
    norm, scope = combination
    random = torch.Generator().manual_seed(seed)
    slopes = [torch.randn(2, 4, 3, generator=random) * 10.0**exponent for _ in range(steps)]
    mask = prefix_mask([2, 4], 4)
    ascent = Ascent(Ball(radius, norm, scope), steps, 0.7, Start.UNIFORM, 0.5, accumulate)
    start = ascent.begin(mask, 3, (seed, 0), torch.arange(2))
    passes = iter(slopes)
    found = worst_case(ascent, start, mask, lambda delta: (delta * next(passes)).sum())
    for sizes in naive_sizes(found, norm, scope):
        assert max(sizes) <= radius * (1 + 1e-6)
    assert torch.isfinite(found).all() and not found[~mask].any()


@pytest.mark.parametrize("steps, step_size, radius", [(1, 0.3, 1.0), (3, 0.3, 1.0), (5, 0.3, 1.0), (2, 9.0, 0.25)])
def test_oracle_3_3_linear_logits_give_min_of_k_steps_and_radius(steps, step_size, radius):
    model, batch = LinearModel(), make_batch()
    ascent = Ascent(Ball(radius), steps, step_size)
    found = worst_case(ascent, torch.zeros(4, 7, 4), batch.tokens.mask, linear_losses(model, batch))
    torch.testing.assert_close(found, min(steps * step_size, radius) * model.unit_ascent(batch))


def test_oracle_2_5_only_the_perturbation_is_differentiated():
    model, batch = LinearModel(), make_batch()
    model.direction.grad = torch.full_like(model.direction, 0.123)
    with torch.no_grad():  # an attack may run inside one
        found = worst_case(
            Ascent(Ball(1.0), 3, 0.4), torch.zeros(4, 7, 4), batch.tokens.mask, linear_losses(model, batch)
        )
    assert torch.equal(model.direction.grad, torch.full_like(model.direction, 0.123))
    assert model.lookup.weight.grad is None
    assert not found.requires_grad and found.grad_fn is None


def test_every_step_costs_one_evaluation_and_none_returns_the_start():
    calls = []

    def loss(delta):
        calls.append(delta.detach().clone())
        return delta.sum()

    start, mask = torch.full((1, 2, 2), 0.01), torch.ones(1, 2, dtype=torch.bool)
    unmoved = worst_case(Ascent(Ball(1.0), 0), start.clone().requires_grad_(), mask, loss)
    assert torch.equal(unmoved, start) and not calls and not unmoved.requires_grad
    worst_case(Ascent(Ball(1.0), 3, 0.1), start, mask, loss)
    assert len(calls) == 3 and torch.equal(calls[0], start)


def test_padding_stays_zero_even_where_the_loss_reads_it():
    mask = prefix_mask([1, 2], 3)
    found = worst_case(Ascent(Ball(1.0), 3, 0.4), torch.zeros(2, 3, 2), mask, lambda delta: delta.exp().sum())
    assert not found[~mask].any()
    torch.testing.assert_close(found.flatten(1).norm(dim=1), torch.ones(2))
