"""The oracles of SMART (docs/papers/embedding-space.md), for each of the six norms × scopes."""

from itertools import combinations

import pytest
import torch
from support import (
    Lone,
    Recording,
    collected_gradients,
    cross_entropies,
    largest_difference,
    make_task,
    naive_size,
    naive_sizes,
    network_logits,
    parameter_gradients,
)

from unfooled.methods import SMART
from unfooled.perturb import Norm, Scope

COMBINATIONS = [(norm, scope) for norm in Norm for scope in Scope]


def run(model, batch, **settings):
    """One SMART step; its loss and what its passes saw."""
    recording = Recording(model)
    loss = SMART(**settings).build(recording, make_task()).step(Lone(), batch)
    return loss, recording


def naive_divergence(logits, other):
    """Σ_i KL(p‖q) + KL(q‖p), written out over probabilities."""
    p, q = ((rows - rows.max()).exp() for rows in (logits, other))
    p, q = p / p.sum(dim=1, keepdim=True), q / q.sum(dim=1, keepdim=True)
    return (p * (p / q).log()).sum() + (q * (q / p).log()).sum()


def divergence_gradient(model, batch, start):
    """d Σ KL_sym(f(E + delta), f(E) held fixed) / d delta at the start."""
    start = start.to(model.network.classifier.weight.dtype).requires_grad_()
    fixed = network_logits(model, batch).detach()
    return torch.autograd.grad(naive_divergence(network_logits(model, batch, start), fixed), start)[0]


def at_radius(gradient, mask, radius, norm, scope):
    """Each sentence or real token of the gradient at the radius, in a loop."""
    out = torch.zeros_like(gradient)
    for place, length in enumerate(mask.sum(dim=1).tolist()):
        pieces = [slice(0, length)] if scope == "sentence" else [slice(t, t + 1) for t in range(length)]
        for piece in pieces:
            part = gradient[place, piece]
            out[place, piece] = radius * part / naive_size(part.flatten().tolist(), norm)
    return out


@pytest.mark.parametrize("norm, scope", COMBINATIONS)
def test_oracle_every_real_token_or_sentence_has_the_size_of_the_radius(tiny_bert, make_batch, norm, scope):
    batch = make_batch()
    _, seen = run(tiny_bert(), batch, radius=0.05, norm=norm, scope=scope)
    for sizes, real in zip(naive_sizes(seen.deltas[-1], norm, scope), batch.tokens.mask.tolist(), strict=True):
        expected = [0.05] if scope is Scope.SENTENCE else [0.05 * kept for kept in real]
        assert sizes == pytest.approx(expected, rel=1e-6, abs=0)


@pytest.mark.parametrize("norm, scope", COMBINATIONS)
def test_the_perturbation_is_the_normalised_gradient_of_the_divergence(tiny_bert, make_batch, norm, scope):
    model, batch = tiny_bert().double(), make_batch()
    _, seen = run(model, batch, radius=0.05, norm=norm, scope=scope)
    clean, start, worst = seen.deltas
    assert clean is None
    gradient = divergence_gradient(model, batch, start)
    expected = at_radius(gradient, batch.tokens.mask, 0.05, norm, scope)
    torch.testing.assert_close(worst.double(), expected, rtol=1e-3, atol=1e-6)


def test_the_start_is_small_normal_noise_on_real_tokens(tiny_bert, make_batch):
    batch = make_batch([10] * 20, columns=12)
    _, seen = run(tiny_bert(layers=1), batch)
    start, mask = seen.deltas[1], batch.tokens.mask
    assert start[mask].std().item() == pytest.approx(1e-5, rel=0.03)
    assert not start[~mask].any()


def test_the_six_combinations_differ(tiny_bert, make_batch):
    model, batch = tiny_bert(), make_batch()
    found = [run(model, batch, radius=0.05, norm=norm, scope=scope)[1].deltas[-1] for norm, scope in COMBINATIONS]
    for first, second in combinations(found, 2):
        assert not torch.allclose(first, second, rtol=1e-2, atol=1e-6)


@pytest.mark.parametrize("norm, scope", COMBINATIONS)
def test_the_regulariser_is_the_mean_symmetric_divergence(tiny_bert, make_batch, norm, scope):
    loss, seen = run(tiny_bert(), make_batch(), radius=0.2, norm=norm, scope=scope)
    clean, _, perturbed = seen.logits
    term = loss.terms["smoothness"]
    there, back = naive_divergence(clean, perturbed), naive_divergence(perturbed, clean)
    assert there.item() == pytest.approx(back.item(), rel=1e-5)
    assert term.sum.item() == pytest.approx(there.item(), rel=1e-3, abs=1e-6)
    assert term.sum.item() > 0 and term.count == 4


@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_gradients_flow_through_the_clean_and_the_perturbed_prediction(tiny_bert, make_batch, weight):
    model, batch = tiny_bert().double(), make_batch()
    loss, seen = run(model, batch, radius=0.2, weight=weight)
    clean = network_logits(model, batch)
    perturbed = network_logits(model, batch, seen.deltas[-1].double())
    regulariser = naive_divergence(clean, perturbed) / len(batch)
    value = cross_entropies(clean, batch.label).mean() + weight * regulariser
    assert loss.total().item() == pytest.approx(value.item(), rel=1e-6)
    assert largest_difference(collected_gradients(model), parameter_gradients(value, model)) < 1e-8


@pytest.mark.parametrize("norm, scope", COMBINATIONS)
def test_oracle_the_regulariser_vanishes_quadratically_with_the_radius(tiny_bert, make_batch, norm, scope):
    model, batch = tiny_bert().double(), make_batch()
    small, smaller, tiny = (
        run(model, batch, radius=radius, norm=norm, scope=scope)[0].terms["smoothness"].mean.item()
        for radius in (2e-3, 1e-3, 1e-7)
    )
    assert small / smaller == pytest.approx(4, rel=0.05)
    assert 0 <= tiny < 1e-6 * smaller


@pytest.mark.parametrize("settings", [{"radius": 0.0}, {"radius": 1e-7}, {"weight": 0.0}, {"weight": 1e-9}])
def test_oracle_radius_or_weight_to_zero_gives_the_baseline_gradients(tiny_bert, make_batch, settings):
    model, batch = tiny_bert(), make_batch()
    loss, _ = run(model, batch, **settings)
    value = cross_entropies(network_logits(model, batch), batch.label).mean()
    assert largest_difference(collected_gradients(model), parameter_gradients(value, model)) < 1e-6
    assert loss.total().item() == pytest.approx(value.item(), rel=1e-5)


def test_oracle_weight_zero_is_one_clean_pass(tiny_bert, make_batch):
    loss, seen = run(tiny_bert(), make_batch(), weight=0)
    assert seen.deltas == [None] and list(loss.terms) == ["task"]


def test_more_steps_start_each_from_the_last_perturbation(tiny_bert, make_batch):
    model, batch = tiny_bert().double(), make_batch()
    _, seen = run(model, batch, radius=0.3, steps=3, norm="l2", scope="sentence")
    assert len(seen.deltas) == 5
    for before, after in zip(seen.deltas[1:], seen.deltas[2:], strict=False):
        gradient = divergence_gradient(model, batch, before)
        expected = at_radius(gradient, batch.tokens.mask, 0.3, "l2", "sentence")
        torch.testing.assert_close(after.double(), expected, rtol=1e-3, atol=1e-6)


def test_shared_dropout_measures_the_perturbation_alone(tiny_bert, make_batch):
    model, batch = tiny_bert(dropout=0.3), make_batch()
    shared, seen = run(model, batch, radius=0.0)
    assert shared.terms["smoothness"].sum.item() == 0
    assert torch.equal(seen.logits[0], seen.logits[1]) and torch.equal(seen.logits[0], seen.logits[2])
    fresh, _ = run(model, batch, radius=0.0, share_dropout=False)
    assert fresh.terms["smoothness"].sum.item() > 1e-3


def test_the_ascent_leaves_no_gradient_on_the_parameters(tiny_bert, make_batch):
    model, batch = tiny_bert(), make_batch()
    loss = SMART().build(model, make_task())(batch)
    assert all(parameter.grad is None for parameter in model.parameters())
    assert loss.terms["smoothness"].sum.requires_grad


@pytest.mark.parametrize("norm, scope", COMBINATIONS)
def test_oracle_nan_raises_and_is_never_silently_zero(tiny_bert, make_batch, norm, scope):
    model = tiny_bert()
    model.network.classifier.weight.data[0, 0] = float("nan")
    with pytest.raises(FloatingPointError):
        run(model, make_batch(), norm=norm, scope=scope)


@pytest.mark.parametrize("norm, scope", COMBINATIONS)
def test_extra_padding_changes_nothing(tiny_bert, make_batch, norm, scope):
    model, found = tiny_bert().double(), []
    for columns in (None, 12):
        loss, seen = run(model, make_batch(columns=columns), radius=0.05, norm=norm, scope=scope)
        found.append((loss.total().item(), seen.deltas[-1]))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-6)
    torch.testing.assert_close(found[1][1][:, :7], found[0][1], rtol=1e-3, atol=1e-6)
    assert not found[1][1][:, 7:].any()


@pytest.mark.parametrize("share_dropout", [True, False])
def test_the_ascent_is_in_single_precision_though_the_passes_are_not(tiny_bert, make_batch, lone, share_dropout):
    """A start of 1e-5 is lost in bf16: without care some examples would keep their noise as perturbation."""
    model = tiny_bert()
    batch = make_batch([5, 3, 7, 4, 6, 2], [0, 1, 0, 1, 1, 0])
    exact, reduced = Recording(model), Recording(model)
    SMART(share_dropout=share_dropout).build(exact, make_task()).step(lone, batch)
    model.autocast = torch.bfloat16
    SMART(share_dropout=share_dropout).build(reduced, make_task()).step(lone, batch)
    assert model.autocast is torch.bfloat16
    assert reduced.logits[0].dtype == reduced.logits[-1].dtype == torch.bfloat16
    assert torch.allclose(reduced.deltas[-1], exact.deltas[-1], atol=1e-4)
