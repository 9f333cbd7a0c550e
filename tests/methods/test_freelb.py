"""The oracles of FreeLB (docs/papers/embedding-space.md), with the passes written out by hand through inputs_embeds."""

import math
from dataclasses import replace

import pytest
import torch
from forked import run_two
from pydantic import ValidationError
from safetensors.torch import load_file
from support import (
    LinearModel,
    Lone,
    Recording,
    assert_close,
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
from two_processes import gradients_of_two_epochs, two_epochs

from unfooled.errors import BadInput
from unfooled.methods import FreeLB, freelb
from unfooled.perturb import Norm


def run(model, batch, engine=None, **settings):
    """One FreeLB step; what its passes saw."""
    recording = Recording(model)
    FreeLB(**settings).build(recording, make_task()).step(engine or Lone(), batch)
    return recording


def sizes(delta):
    return torch.tensor(naive_sizes(delta, "l2", "sentence")).flatten()


def mean_loss(model, batch, delta=None):
    return cross_entropies(network_logits(model, batch, delta), batch.label).mean()


def test_oracle_4_3_1_one_pass_without_noise_is_plain_training_exactly(tiny_bert, make_batch, lone):
    model, batch = tiny_bert(), make_batch()
    FreeLB(passes=1, spread=0).build(model, make_task()).step(lone, batch)
    logits = network_logits(model, batch)
    clean = torch.nn.functional.cross_entropy(logits, batch.label, reduction="sum") / len(batch)
    expected = parameter_gradients(clean, model)
    found = collected_gradients(model)
    assert all(torch.equal(found[name], expected[name]) for name in expected)


def test_oracle_4_3_2_two_passes_without_noise_average_clean_and_fgm(tiny_bert, make_batch, lone):
    model, batch = tiny_bert(), make_batch()
    r = 0.3 * unit_by_sentence(gradient_by_hand(model, batch, torch.zeros(4, 7, 32)))
    value = mean_loss(model, batch) / 2 + mean_loss(model, batch, r) / 2
    expected = parameter_gradients(value, model)
    FreeLB(passes=2, step_size=0.3, spread=0).build(model, make_task()).step(lone, batch)
    assert largest_difference(collected_gradients(model), expected) < 1e-6
    assert lone.shares == [0.5, 0.5]


@pytest.mark.parametrize("passes", [1, 2, 4])
def test_k_passes_hold_k_minus_one_ascents_and_pay_one_kth_each(tiny_bert, make_batch, passes):
    model, batch, engine = tiny_bert(), make_batch(), Lone()
    recording = run(model, batch, engine, passes=passes, step_size=0.2, spread=0.4)
    start = recording.deltas[0]
    by_hand = [start]
    for _ in range(passes - 1):
        by_hand.append(by_hand[-1] + 0.2 * unit_by_sentence(gradient_by_hand(model, batch, by_hand[-1])))
    assert engine.shares == pytest.approx([1 / passes] * passes)
    torch.testing.assert_close(torch.stack(recording.deltas), torch.stack(by_hand), rtol=1e-3, atol=1e-5)
    value = sum(mean_loss(model, batch, delta) for delta in recording.deltas) / passes
    assert largest_difference(collected_gradients(model), parameter_gradients(value, model)) < 1e-5


def test_oracle_4_3_3_the_first_pass_sees_noise_of_mean_size_gamma_over_root_three(make_batch):
    batch = make_batch([6] * 100, columns=9)
    start = run(LinearModel(width=16), batch, passes=1, spread=0.6).deltas[0]
    found = sizes(start)
    assert found.max() <= 0.6
    assert found.mean().item() == pytest.approx(0.6 / math.sqrt(3), rel=0.02)
    assert start.abs().max() <= 0.6 / math.sqrt(6 * 16) * (1 + 1e-6)
    assert not start[~batch.tokens.mask].any()


def test_noise_follows_the_key_and_index_of_the_batch(make_batch):
    model = LinearModel()
    first = run(model, make_batch((5, 5, 5), index=(0, 1, 2)), passes=1).deltas[0]
    again = run(model, make_batch((5, 5), index=(2, 0)), passes=1).deltas[0]
    later = run(model, make_batch((5, 5, 5), index=(0, 1, 2), key=(3, 2)), passes=1).deltas[0]
    assert torch.equal(first[[2, 0]], again)
    assert not torch.isclose(first, later).all(dim=2).any()


def test_oracle_4_3_4_each_ascent_adds_at_most_alpha(tiny_bert, make_batch):
    deltas = run(tiny_bert(), make_batch(), passes=4, step_size=0.2, spread=0.4).deltas
    for turn, delta in enumerate(deltas):
        assert (sizes(delta) <= sizes(deltas[0]) + turn * 0.2 + 1e-6).all()


def test_oracle_4_3_4_with_equality_where_the_direction_is_constant(make_batch):
    model, batch = LinearModel(), make_batch()
    for turn, delta in enumerate(run(model, batch, passes=5, step_size=0.2, spread=0).deltas):
        torch.testing.assert_close(delta, turn * 0.2 * model.unit_ascent(batch))


@pytest.mark.parametrize("norm", Norm)
def test_oracle_4_3_5_with_a_radius_every_perturbation_is_inside(tiny_bert, make_batch, norm):
    batch = make_batch()
    settings = {"passes": 4, "step_size": 0.2, "spread": 0.9, "radius": 0.25, "norm": norm}
    for delta in run(tiny_bert(), batch, **settings).deltas:
        assert max(size for (size,) in naive_sizes(delta, norm, "sentence")) <= 0.25 * (1 + 1e-6)
        assert delta.any() and not delta[~batch.tokens.mask].any()


def test_oracle_4_3_6_shared_dropout_gives_identical_logits_where_delta_is_zero(tiny_bert, make_batch):
    model, batch = tiny_bert(dropout=0.3), make_batch()
    shared = run(model, batch, passes=4, radius=0).logits
    assert all(torch.equal(shared[0], other) for other in shared[1:])
    fresh = run(model, batch, passes=4, radius=0, share_dropout=False).logits
    assert all(not torch.allclose(fresh[0], other, atol=1e-3) for other in fresh[1:])
    assert not torch.allclose(run(model, batch, passes=1, radius=0).logits[0], shared[0], atol=1e-3)


@pytest.mark.parametrize("columns", [8, 20])
def test_oracle_4_3_7_extra_padding_changes_nothing(tiny_bert, make_batch, columns):
    model, found = tiny_bert(), []
    for width in (None, columns):
        model.zero_grad()
        recording = run(model, make_batch(columns=width), passes=3, step_size=0.2, spread=0.4)
        found.append((recording.deltas, collected_gradients(model)))
    (narrow, expected), (wide, gradients) = found
    for before, after in zip(narrow, wide, strict=True):
        torch.testing.assert_close(after[:, :7], before, rtol=1e-3, atol=1e-5)
        assert not after[:, 7:].any()
    assert largest_difference(gradients, expected) < 1e-5


def test_radius_zero_is_the_baseline_and_none_is_unlimited(tiny_bert, make_batch):
    model, batch = tiny_bert(), make_batch()
    assert not any(delta.any() for delta in run(model, batch, passes=3, radius=0).deltas)
    far = run(model, batch, passes=3, step_size=50.0, radius=None, spread=0).deltas
    torch.testing.assert_close(sizes(far[1]).float(), torch.full((4,), 50.0))


def test_the_loss_of_a_step_reports_what_is_minimised_and_the_last_pass(tiny_bert, make_batch, lone):
    recording, batch = Recording(tiny_bert()), make_batch()
    loss = FreeLB(spread=0.0, step_size=0.3).build(recording, make_task()).step(lone, batch)
    passes = [cross_entropies(logits, batch.label).mean().item() for logits in recording.logits]
    assert passes == sorted(passes) and passes[0] < passes[-1]
    assert loss.total().item() == pytest.approx(sum(passes) / 3, rel=1e-5)
    assert loss.terms["last pass"].mean.item() == pytest.approx(passes[-1], rel=1e-5)


def test_a_gradient_that_is_not_a_number_raises(tiny_bert, make_batch, lone):
    model = tiny_bert()
    model.network.classifier.weight.data[0, 0] = float("nan")
    with pytest.raises(FloatingPointError):
        FreeLB().build(model, make_task()).step(lone, make_batch())


def remembering(model, lengths=(5, 3, 7, 4), **settings):
    """An objective that remembers, and what its passes see."""
    recording = Recording(model)
    task = replace(make_task(), lengths=torch.tensor(lengths))
    given = {"passes": 1, "spread": 0.0, "step_size": 0.3, "radius": 0.5, **settings}
    return FreeLB(remember=True, **given).build(recording, task), recording


def test_remembered_the_gradient_of_the_pass_that_trains_moves_the_next_epochs_perturbation(tiny_bert, make_batch):
    """delta_e = the projection of delta_(e-1) + alpha · g/‖g‖, one pass a step; parameter gradients are that pass's."""
    model, engine = tiny_bert(), Lone()
    objective, recording = remembering(model)
    by_hand = torch.zeros(4, 7, 32)
    for epoch in range(4):
        batch = make_batch(key=(3, epoch))
        model.zero_grad()
        objective.step(engine, batch)
        torch.testing.assert_close(recording.deltas[epoch], by_hand, rtol=1e-2, atol=5e-4)
        value = mean_loss(model, batch, recording.deltas[epoch])
        assert largest_difference(collected_gradients(model), parameter_gradients(value, model)) < 1e-5
        gradient = gradient_by_hand(model, batch, recording.deltas[epoch])
        uphill = recording.deltas[epoch] + 0.3 * unit_by_sentence(gradient)
        by_hand = uphill * (0.5 / sizes(uphill).clamp(min=0.5))[:, None, None].float()
    assert engine.shares == [1.0] * 4 and float(sizes(recording.deltas[-1]).max()) <= 0.5 * (1 + 1e-6)


def test_remembered_rows_go_by_example_and_not_by_their_place(tiny_bert, make_batch):
    objective, recording = remembering(tiny_bert())
    objective.step(Lone(), make_batch((5, 3), index=(0, 1)))
    objective.step(Lone(), make_batch((7, 4), index=(2, 3)))
    objective.step(Lone(), make_batch((4, 3, 7), index=(3, 1, 2)))
    assert sizes(recording.deltas[2]).tolist() == pytest.approx([0.3, 0.3, 0.3], rel=2e-3)
    assert not recording.deltas[0].any() and not recording.deltas[1].any()


def test_two_processes_remember_what_one_with_the_doubled_batch_does(tmp_path):
    run_two(two_epochs, tmp_path)
    one = gradients_of_two_epochs(tmp_path / "one")
    assert one["memory"].any(dim=1).all()
    assert_close(load_file(tmp_path / "two.safetensors"), one, 1e-4)  # half precision may round the other way


def test_remembered_with_radius_zero_is_plain_training(tiny_bert, make_batch, lone):
    model, batch = tiny_bert(), make_batch()
    objective, recording = remembering(model, radius=0.0)
    for _ in range(2):
        model.zero_grad()
        objective.step(lone, batch)
        plain = parameter_gradients(mean_loss(model, batch), model)
        assert largest_difference(collected_gradients(model), plain) < 1e-6
    assert not any(delta.any() for delta in recording.deltas)


def test_what_is_remembered_needs_a_radius_the_lengths_of_texts_and_room(tiny_bert, monkeypatch):
    with pytest.raises(ValidationError, match="grows with every epoch; give a radius"):
        FreeLB(remember=True)
    with pytest.raises(BadInput, match="only unfooled train knows beforehand"):
        FreeLB(remember=True, radius=0.1).build(tiny_bert(), make_task())
    monkeypatch.setattr(freelb, "free_bytes", lambda: 10**9)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    needed = 4_000_000 * 32 * 2  # bytes, in two processes and a checkpoint
    assert needed * 3 < 10**9 < needed * 4
    remembering(tiny_bert(), [400_000] * 10)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "3")
    with pytest.raises(BadInput, match=r"of 10 texts take 0\.3 GB .* in each of 3 processes.* and 1\.0 GB are free"):
        remembering(tiny_bert(), [400_000] * 10)


def test_counting_ascents_makes_one_pass_more():
    assert FreeLB(passes=3).ascent().steps == 2
    assert FreeLB(passes=3, count="ascents").ascent().steps == 3
