"""The oracles of CARL (docs/papers/carl.md)."""

import math

import pytest
import torch
from support import Lone, make_batch, make_task
from two_processes import gradients, prepared

from unfooled.errors import BadInput
from unfooled.methods import CARL, FreeLB
from unfooled.training import fit
from unfooled.types import Progress

LENGTHS, LABELS = [4, 6, 3, 5, 7, 4], [0, 1, 0, 1, 2, 2]


@pytest.fixture
def filled(tiny_bert):
    """A factory of objectives whose banks have been swept."""

    def build(measured=True, **settings):
        objective = CARL(start=0.0, negatives=8, **settings).build(tiny_bert(classes=3), task())
        batch = make_batch(LENGTHS, LABELS, classes=3)
        assert objective.sweep_due(Progress(0, 10, 0))
        objective.eval()
        objective.sweep(batch)
        objective.train()
        assert not objective.sweep_due(Progress(0, 10, 0))
        if measured:
            objective.measure([batch])
        return objective, batch

    return build


def task():
    return make_task(classes=3, labels=LABELS)


def test_oracle_5_6_6_no_parameters_are_added(tiny_bert):
    model = tiny_bert(classes=3)
    objective = CARL().build(model, task())
    assert sum(p.numel() for p in objective.parameters()) == sum(p.numel() for p in model.parameters())


def test_oracle_5_6_5_before_the_start_it_is_freelb_to_the_bit(tmp_path):
    mine = gradients(prepared(CARL(start=1.0), tmp_path / "carl", dropout=0.3), updates=2)
    free = gradients(prepared(FreeLB(), tmp_path / "freelb", dropout=0.3), updates=2)
    assert all(torch.equal(mine[name], free[name]) for name in free)


def test_oracle_5_6_5_a_sweep_writes_every_row(filled):
    objective, _ = filled()
    for bank in (objective.original, objective.adversarial):
        assert bank.written.all()
        assert torch.allclose(bank.rows.norm(dim=1), torch.ones(6), atol=1e-6)
    assert not torch.equal(objective.original.rows, objective.adversarial.rows)


def naive(objective, batch, clean, adversary, settings):
    """L_D of Eq. 3 by loops: NCE with the drawn negatives, both directions."""
    totals = []
    for side, (anchors, partners, bank) in enumerate(
        ((adversary, clean, objective.original), (clean, adversary, objective.adversarial))
    ):
        scores = []
        for row, label in enumerate(batch.label.tolist()):
            anchor, partner = anchors[row] / anchors[row].norm(), partners[row] / partners[row].norm()
            drawn = objective.others.draw(label, 8, True, objective.seed, int(objective.updates), side).tolist()
            assert all(LABELS[other] != label for other in drawn)
            negatives = [float(anchor @ bank.rows[other]) / settings.temperature for other in drawn]
            scores.append((float(anchor @ partner) / settings.temperature, negatives))
        mean = sum(math.exp(s) for positive, others in scores for s in (positive, *others)) / (9 * len(scores))
        shift = math.log(mean) + math.log(8)
        totals.append(
            sum(
                math.log1p(math.exp(shift - positive)) + sum(math.log1p(math.exp(s - shift)) for s in others)
                for positive, others in scores
            )
        )
    return totals


def test_the_contrast_is_the_papers_by_loops(filled):
    objective, batch = filled()
    clean = torch.randn(6, 32, generator=torch.Generator().manual_seed(0))
    adversary = torch.randn(6, 32, generator=torch.Generator().manual_seed(1))
    objective.log_mu.fill_(torch.nan)
    expected = naive(objective, batch, clean, adversary, objective.settings)
    found = objective.contrast(batch, clean, adversary)
    assert found["adversarial anchor"].sum().item() == pytest.approx(expected[0], rel=1e-4)
    assert found["original anchor"].sum().item() == pytest.approx(expected[1], rel=1e-4)


def test_the_constant_is_estimated_once_and_stored(filled):
    objective, batch = filled(measured=False, weight=1.0)
    assert torch.isnan(objective.log_mu).all()
    objective.step(Lone(), batch)
    first = objective.log_mu.clone()
    objective.step(Lone(), batch)
    assert torch.equal(objective.log_mu, first) and torch.isfinite(first).all()
    assert "log_mu" in objective.state_dict() and "original.rows" in objective.state_dict()


def test_oracle_5_6_7_swapping_the_roles_changes_nothing(filled):
    objective, batch = filled()
    clean, adversary = torch.randn(6, 32), torch.randn(6, 32)
    objective.log_mu.copy_(torch.tensor([0.5, -0.3]))
    other = {"adversarial anchor": "original anchor", "original anchor": "adversarial anchor"}
    before = objective.contrast(batch, clean, adversary)
    draw = objective.others.draw
    objective.others.draw = lambda label, count, again, seed, update, side: draw(
        label, count, again, seed, update, 1 - side
    )
    objective.original, objective.adversarial = objective.adversarial, objective.original
    objective.log_mu.copy_(torch.tensor([-0.3, 0.5]))
    after = objective.contrast(batch, adversary, clean)
    assert all(torch.allclose(before[name], after[other[name]], atol=1e-6) for name in before)


@pytest.mark.parametrize(
    "settings",
    [
        {"loss": "infonce"},
        {"loss": "eq2"},
        {"positive": "bank"},
        {"rep": "cls"},
        {"replacement": False},
        {"clean_ce": 0.5},
        {"half_precision_bank": True},
        {"weight": 0.3},
    ],
)
def test_every_option_runs_acts_and_stays_finite(filled, settings):
    plain, batch = filled()
    other, _ = filled(**settings)
    for objective in (plain, other):
        objective.step(Lone(), batch)
    assert all(torch.isfinite(p.grad).all() for p in other.parameters())
    pairs = zip(plain.parameters(), other.parameters(), strict=True)
    assert any(not torch.equal(one.grad, two.grad) for one, two in pairs)


def test_filling_as_it_goes_needs_no_sweep(tmp_path):
    run = prepared(CARL(fill="online", start=0.5, negatives=8), tmp_path, plan={"epochs": 3})
    run.objective.start = 3
    swept = []
    run.objective.sweep = swept.append
    assert fit(run).report["contrasted_updates"] == 3
    assert not swept


def test_one_label_alone_has_no_negatives(tiny_bert):
    with pytest.raises(BadInput, match="at least two labels"):
        CARL().build(tiny_bert(), make_task(classes=2, labels=[1, 1, 1]))


def test_a_batch_of_one_and_more_negatives_than_there_are(filled):
    objective, _ = filled(replacement=False)
    batch = make_batch([5], [1], classes=3)
    assert torch.isfinite(objective.step(Lone(), batch).total())
