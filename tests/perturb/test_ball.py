"""Sizes, directions and projections against loops over single numbers."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from support import naive_size, naive_sizes

from unfooled.perturb.ball import Ball, Norm, Scope

COMBINATIONS = [(norm, scope) for norm in Norm for scope in Scope]
combinations = st.sampled_from(COMBINATIONS)
seeds = st.integers(0, 2**31)
exponents = st.integers(-30, 30)
radii = st.sampled_from([0.01, 0.5, 1.0, 7.3])


def draw(seed, examples=3, tokens=4, width=5):
    """Random numbers [B, T, d] and a mask with at least one real token in each row."""
    random = np.random.default_rng(seed)
    lengths = random.integers(1, tokens + 1, size=examples)
    mask = torch.from_numpy(np.arange(tokens)[None, :] < lengths[:, None])
    return torch.from_numpy(random.standard_normal((examples, tokens, width))).float(), mask


def groups(delta, mask, scope):
    """The lists of numbers that have one size each: a sentence's, or those of each token."""
    for example, real in zip(delta.double(), mask, strict=True):
        kept = example * real[:, None]
        yield from [kept.flatten().tolist()] if scope == "sentence" else kept.tolist()


@pytest.mark.parametrize("norm, scope", COMBINATIONS)
def test_size_is_the_norm_of_one_sentence_or_token_and_never_of_the_batch(norm, scope):
    delta, _ = draw(1)
    size = Ball(1.0, norm, scope).size(delta)
    assert size.shape == ((3, 1, 1) if scope is Scope.SENTENCE else (3, 4, 1))
    np.testing.assert_allclose(size.flatten(1), naive_sizes(delta, norm, scope), rtol=1e-6)


@given(seeds, combinations, exponents)
def test_direction_is_the_gradient_over_its_own_norm(seed, combination, exponent):
    norm, scope = combination
    gradient, mask = draw(seed)
    found = Ball(1.0, norm, scope).direction(gradient * 10.0**exponent, mask)
    for given_group, found_group in zip(groups(gradient, mask, scope), groups(found, mask, scope), strict=True):
        size = naive_size(given_group, norm)
        expected = np.asarray(given_group) / (size or 1.0)
        np.testing.assert_allclose(found_group, expected, rtol=1e-5, atol=1e-7)
    assert not found[~mask].any()


@given(seeds, combinations, exponents)
def test_direction_does_not_change_when_the_gradient_is_scaled(seed, combination, exponent):
    ball = Ball(1.0, *combination)
    gradient, mask = draw(seed)
    scaled = ball.direction(gradient * 2.0 ** (3 * exponent), mask)  # a power of two rounds nothing
    assert torch.equal(scaled, ball.direction(gradient, mask))


@pytest.mark.parametrize("norm, scope", COMBINATIONS)
def test_oracle_2_6_zero_gradient_has_the_direction_zero(norm, scope):
    mask = torch.ones(2, 3, dtype=torch.bool)
    gradient = torch.zeros(2, 3, 4)
    gradient[1, 0] = 1.0  # the other example, and the first token, still have one
    direction = Ball(1.0, norm, scope).direction(gradient, mask)
    assert not direction[0].any() and not direction[1, 1:].any()
    assert naive_size(direction[1].flatten().tolist(), norm) == pytest.approx(1)


def test_direction_of_reduced_precision_is_computed_in_single():
    gradient = torch.full((1, 2, 8), 3e-3, dtype=torch.bfloat16)
    direction = Ball(1.0).direction(gradient, torch.ones(1, 2, dtype=torch.bool))
    assert direction.dtype is torch.float32
    assert naive_size(direction.flatten().tolist(), "l2") == pytest.approx(1, rel=1e-6)


@given(seeds, combinations, radii, st.integers(-15, 15))
@settings(max_examples=300)
def test_projected_size_never_exceeds_the_radius(seed, combination, radius, exponent):
    norm, scope = combination
    delta, mask = draw(seed)
    found = Ball(radius, norm, scope).project(delta * 10.0**exponent, mask)
    for sizes in naive_sizes(found, norm, scope):
        assert max(sizes) <= radius * (1 + 1e-6)
    assert not found[~mask].any()


@given(seeds, combinations, radii, st.sampled_from([0.1, 1.0, 30.0]))
def test_projection_scales_only_what_is_outside(seed, combination, radius, scale):
    norm, scope = combination
    delta, mask = draw(seed)
    delta = delta * scale
    found = Ball(radius, norm, scope).project(delta, mask)
    for before, after in zip(groups(delta, mask, scope), groups(found, mask, scope), strict=True):
        size, expected = naive_size(before, norm), np.asarray(before)
        if norm is Norm.LINF:
            expected = np.minimum(np.maximum(expected, -radius), radius)
        elif size > radius:
            expected = expected * radius / size
        np.testing.assert_allclose(after, expected, rtol=2e-6)


@given(seeds, combinations, radii, st.integers(-15, 15))
def test_projecting_twice_is_projecting_once(seed, combination, radius, exponent):
    ball = Ball(radius, *combination)
    delta, mask = draw(seed)
    once = ball.project(delta * 10.0**exponent, mask)
    torch.testing.assert_close(ball.project(once, mask), once, rtol=1e-6, atol=0)


@given(seeds, combinations)
def test_oracle_3_4_neighbours_change_neither_direction_nor_projection(seed, combination):
    ball = Ball(0.7, *combination)
    delta, mask = draw(seed)
    other = delta.clone()
    other[1:] = -1e6 * other[1:].flip(0) + 5
    assert torch.equal(ball.project(delta, mask)[0], ball.project(other, mask)[0])
    assert torch.equal(ball.direction(delta, mask)[0], ball.direction(other, mask)[0])


@pytest.mark.parametrize("norm, scope", COMBINATIONS)
def test_radius_zero_allows_nothing_and_none_allows_all(norm, scope):
    delta, mask = draw(5)
    assert not Ball(0.0, norm, scope).project(delta * 1e3, mask).any()
    unlimited = Ball(None, norm, scope).project(delta * 1e9, mask)
    assert torch.equal(unlimited[mask], (delta * 1e9)[mask])
    assert not unlimited[~mask].any()


@pytest.mark.parametrize("norm, scope", COMBINATIONS)
@pytest.mark.parametrize("exponent", [-30, 30])
def test_extreme_perturbations_are_projected_onto_the_ball(norm, scope, exponent):
    """Squares of 1e±30 leave single precision, and a norm that becomes inf or 0 must not mislead."""
    delta, mask = draw(6)
    for radius in (0.0, 1.0):
        found = Ball(radius, norm, scope).project(delta * 10.0**exponent, mask)
        for before, after in zip(groups(delta, mask, scope), groups(found, mask, scope), strict=True):
            expected = min(naive_size(before, norm) * 10.0**exponent, radius)
            assert naive_size(after, norm) == pytest.approx(expected, rel=1e-5, abs=0)


@pytest.mark.parametrize("norm, order", [(Norm.L1, 1.0), (Norm.L2, 2.0), (Norm.LINF, float("inf"))])
def test_a_norm_knows_its_order(norm, order):
    assert norm.order == order
