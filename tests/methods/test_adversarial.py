"""The oracles of FGM and k-PGD (docs/papers/embedding-space.md)."""

import pytest
import torch
from support import (
    LinearModel,
    Lone,
    Recording,
    collected_gradients,
    cross_entropies,
    gradient_by_hand,
    largest_difference,
    make_task,
    naive_sizes,
    network_logits,
    parameter_gradients,
    unit_by_sentence,
)

from unfooled.methods import FGM, PGD
from unfooled.perturb import Norm, Scope

COMBINATIONS = [(norm, scope) for norm in Norm for scope in Scope]


def fgm_perturbation(model, batch, engine=None, **settings):
    """The r of one FGM step: the perturbation of its second pass."""
    recording = Recording(model)
    FGM(**settings).build(recording, make_task()).step(engine or Lone(), batch)
    clean, worst = recording.deltas
    assert not clean.any()
    return worst


def pgd_perturbation(model, batch, **settings):
    return PGD(**settings).build(model, make_task()).worst(batch)


def losses_at(model, batch, delta=None):
    return cross_entropies(network_logits(model, batch, delta), batch.label).detach()


@pytest.mark.parametrize("norm, scope", COMBINATIONS)
def test_oracle_2_1_the_perturbation_has_the_size_eps_and_is_zero_on_padding(tiny_bert, make_batch, norm, scope):
    batch = make_batch()
    r = fgm_perturbation(tiny_bert(), batch, radius=0.3, norm=norm, scope=scope)
    for sizes, real in zip(naive_sizes(r, norm, scope), batch.tokens.mask.tolist(), strict=True):
        expected = [0.3] if scope is Scope.SENTENCE else [0.3 * kept for kept in real]
        assert sizes == pytest.approx(expected, rel=1e-6, abs=0)


def test_the_perturbation_is_eps_times_the_unit_gradient_of_each_sentence(tiny_bert, make_batch):
    model, batch = tiny_bert(), make_batch()
    expected = 0.3 * unit_by_sentence(gradient_by_hand(model, batch, torch.zeros(4, 7, 32)))
    torch.testing.assert_close(fgm_perturbation(model, batch, radius=0.3), expected, rtol=1e-4, atol=1e-6)


def test_oracle_2_2_first_order_and_halving_eps_quarters_the_residual(tiny_bert, make_batch):
    model, batch = tiny_bert().double(), make_batch()
    gradient = gradient_by_hand(model, batch, torch.zeros(4, 7, 32, dtype=torch.float64))
    slope, clean = gradient.flatten(1).norm(dim=1), losses_at(model, batch)
    residuals = []
    for eps in (0.004, 0.002):
        r = fgm_perturbation(model, batch, radius=eps)
        residuals.append(losses_at(model, batch, r) - clean - eps * slope)
    assert (residuals[0].abs() < 0.1 * 0.004 * slope).all()
    assert (residuals[0].norm() / residuals[1].norm()).item() == pytest.approx(4, rel=0.05)


def test_oracle_2_3_plus_raises_the_loss_and_minus_lowers_it(tiny_bert, make_batch):
    model, batch = tiny_bert().double(), make_batch()
    r = fgm_perturbation(model, batch, radius=1e-3)
    above, clean, below = (losses_at(model, batch, sign * r) for sign in (1, 0, -1))
    assert (above > clean).all() and (clean > below).all()


def test_oracle_2_4_the_scale_of_the_loss_does_not_matter(tiny_bert, make_batch):
    model, batch = tiny_bert(), make_batch((5, 3, 7))
    mean = fgm_perturbation(model, batch)
    summed = fgm_perturbation(model, batch, Lone({"examples": 1}))
    diluted = fgm_perturbation(model, batch, Lone({"examples": 10**6}))
    torch.testing.assert_close(summed, mean, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(diluted, mean, rtol=1e-4, atol=1e-6)


def test_oracle_2_5_computing_the_perturbation_leaves_every_gradient_untouched(tiny_bert, make_batch):
    model, batch = tiny_bert(), make_batch()
    for number, parameter in enumerate(model.parameters()):
        parameter.grad = None if number % 3 == 0 else torch.full_like(parameter, 0.1 + number)
    before = {name: parameter.grad for name, parameter in model.named_parameters()}
    copies = collected_gradients(model)
    pgd_perturbation(model, batch, steps=1)
    assert all(parameter.grad is before[name] for name, parameter in model.named_parameters())
    assert largest_difference(copies, collected_gradients(model)) == 0


@pytest.mark.parametrize("kind", [FGM, PGD])
def test_oracle_2_6_zero_gradient_gives_zero_perturbation(tiny_bert, make_batch, lone, kind):
    model = tiny_bert()
    torch.nn.init.zeros_(model.network.classifier.weight)
    recording = Recording(model)
    kind().build(recording, make_task()).step(lone, make_batch())
    assert not recording.deltas[-1].any()
    assert all(torch.isfinite(gradient).all() for gradient in collected_gradients(model).values())


@pytest.mark.parametrize("weight", [1.0, 0.3])
def test_fgm_trains_on_the_clean_loss_plus_weight_times_the_worst(tiny_bert, make_batch, lone, weight):
    model, batch = tiny_bert(), make_batch()
    r = 0.4 * unit_by_sentence(gradient_by_hand(model, batch, torch.zeros(4, 7, 32)))
    clean = cross_entropies(network_logits(model, batch), batch.label).mean()
    worst = cross_entropies(network_logits(model, batch, r), batch.label).mean()
    loss = FGM(radius=0.4, weight=weight).build(model, make_task()).step(lone, batch)
    assert loss.total().item() == pytest.approx((clean + weight * worst).item(), rel=1e-5)
    expected = parameter_gradients(clean + weight * worst, model)
    assert largest_difference(collected_gradients(model), expected) < 1e-5


def test_fgm_of_weight_or_radius_zero_is_one_clean_pass(tiny_bert, make_batch, lone):
    for method in (FGM(weight=0), FGM(radius=0)):
        recording = Recording(tiny_bert())
        method.build(recording, make_task()).step(lone, make_batch())
        assert recording.deltas == [None]


@pytest.mark.parametrize("norm, scope", COMBINATIONS)
@pytest.mark.parametrize("start", ["zero", "uniform", "normal"])
def test_oracle_3_1_no_perturbation_leaves_the_ball(tiny_bert, make_batch, norm, scope, start):
    recording, batch = Recording(tiny_bert(layers=1)), make_batch()
    settings = {"radius": 0.2, "steps": 4, "step_size": 0.15, "start": start, "spread": 0.5}
    PGD(**settings, norm=norm, scope=scope).build(recording, make_task()).step(Lone(), batch)
    assert len(recording.deltas) == 5
    for delta in recording.deltas:
        assert max(max(sizes) for sizes in naive_sizes(delta, norm, scope)) <= 0.2 * (1 + 1e-6)
        assert not delta[~batch.tokens.mask].any()
    assert bool(recording.deltas[0].any()) == (start != "zero")


def test_oracle_3_2_one_step_of_eps_from_zero_is_fgm(tiny_bert, make_batch):
    model, batch = tiny_bert(), make_batch()  # 4 examples: mean and sum differ by a power of two
    pgd = pgd_perturbation(model, batch, radius=0.3, steps=1, step_size=0.3)
    assert torch.equal(pgd, fgm_perturbation(model, batch, radius=0.3))


def test_pgd_follows_its_recursion(tiny_bert, make_batch):
    model, batch = tiny_bert(), make_batch()
    delta = torch.zeros(4, 7, 32)
    for _ in range(3):
        moved = delta + 0.2 * unit_by_sentence(gradient_by_hand(model, batch, delta))
        sizes = moved.flatten(1).norm(dim=1)
        delta = torch.stack([one * min(1, 0.35 / size) for one, size in zip(moved, sizes.tolist(), strict=True)])
    found = pgd_perturbation(model, batch, radius=0.35, steps=3, step_size=0.2)
    torch.testing.assert_close(found, delta, rtol=1e-3, atol=1e-5)


def test_oracle_3_3_linear_logits_have_a_closed_form_and_the_loss_never_falls(make_batch):
    model, batch = LinearModel(), make_batch()
    before = torch.full((4,), -1.0)
    for steps in range(1, 6):
        delta = pgd_perturbation(model, batch, radius=0.5, steps=steps, step_size=0.15)
        torch.testing.assert_close(delta, min(steps * 0.15, 0.5) * model.unit_ascent(batch))
        after = cross_entropies(model(batch.tokens, delta).logits, batch.label).detach()
        assert (after >= before - 1e-5).all()
        before = after


def test_oracle_3_4_a_perturbation_does_not_depend_on_the_neighbours(tiny_bert, make_batch):
    model = tiny_bert()
    settings = {"radius": 0.4, "steps": 3, "step_size": 0.2, "start": "uniform", "spread": 0.2}
    batch = make_batch((5, 3, 7), index=(0, 1, 2))
    alone = pgd_perturbation(model, make_batch((5,), index=(0,)), **settings)
    other = pgd_perturbation(model, make_batch((9, 5), index=(8, 0)), **settings)
    together = pgd_perturbation(model, batch, **settings)
    torch.testing.assert_close(together[0, :5], alone[0], rtol=1e-3, atol=1e-5)
    torch.testing.assert_close(other[1, :5], alone[0], rtol=1e-3, atol=1e-5)


def test_oracle_3_5_an_attack_never_helps_a_binary_linear_model(make_batch):
    model, batch = LinearModel(), make_batch([4] * 60, labels=[number // 2 % 2 for number in range(60)])

    def right(radius):
        delta = pgd_perturbation(model, batch, radius=radius, steps=3, step_size=0.2)
        return model(batch.tokens, delta).logits.argmax(dim=1) == batch.label

    clean = model(batch.tokens).logits.argmax(dim=1) == batch.label
    assert torch.equal(right(0.0), clean)
    counts = [int(right(radius).sum()) for radius in (0.0, 0.1, 0.2, 0.3)]
    assert counts == sorted(counts, reverse=True) and 0 < counts[-1] < counts[0] < 60


def test_pgd_trains_on_the_last_pass_alone(tiny_bert, make_batch, lone):
    model, batch = tiny_bert(), make_batch()
    objective = PGD(radius=0.4, step_size=0.2).build(model, make_task())
    delta = objective.worst(batch)
    objective.step(lone, batch)
    value = cross_entropies(network_logits(model, batch, delta), batch.label).mean()
    assert lone.shares == [1.0]
    assert largest_difference(collected_gradients(model), parameter_gradients(value, model)) < 1e-5


def test_pgd_ascends_with_dropout_off_and_restores_every_mode(tiny_bert, make_batch, lone):
    model, batch = tiny_bert(dropout=0.3), make_batch()
    frozen = model.network.bert.encoder.layer[0]
    frozen.eval()
    modes = {name: module.training for name, module in model.named_modules()}
    recording = Recording(model)
    objective = PGD(steps=3).build(recording, make_task())
    objective.step(lone, batch)
    assert recording.modes == [False, False, False, True]
    assert {name: module.training for name, module in model.named_modules()} == modes
    assert torch.equal(objective.worst(batch), objective.worst(batch))


def test_pgd_draws_the_dropout_masks_that_fine_tuning_would(tiny_bert, make_batch):
    model, batch = tiny_bert(dropout=0.3), make_batch()
    torch.manual_seed(5)
    plain = model(batch.tokens).logits
    torch.manual_seed(5)
    recording = Recording(model)
    PGD(radius=1e-12, step_size=1e-12).build(recording, make_task()).step(Lone(), batch)
    torch.testing.assert_close(recording.logits[-1], plain)


@pytest.mark.parametrize("kind", [FGM, PGD])
def test_a_gradient_that_is_not_a_number_raises(tiny_bert, make_batch, lone, kind):
    model = tiny_bert()
    model.network.classifier.weight.data[0, 0] = float("nan")
    with pytest.raises(FloatingPointError):
        kind().build(model, make_task()).step(lone, make_batch())


def test_a_noisy_start_of_pgd_fills_the_ball_unless_told_otherwise():
    assert PGD(start="uniform", radius=0.3).ascent().spread == 0.3
    assert PGD(start="uniform", spread=0.1).ascent().spread == 0.1
    assert PGD(radius=None).ascent().ball.radius is None
