"""The classical ascents hold the values."""

from dataclasses import FrozenInstanceError, replace

import pytest
import torch
from support import LinearModel, make_task

from unfooled.methods import METHODS
from unfooled.perturb import FGM, FREELB, PGD, SMART, Norm, Scope, Start, k_pgd, worst_case


def test_fgm_is_one_step_of_the_radius_from_zero():
    assert (FGM.steps, FGM.start, FGM.spread) == (1, Start.ZERO, 0)
    assert FGM.step_size in (None, FGM.ball.radius)
    assert (FGM.ball.norm, FGM.ball.scope) == (Norm.L2, Scope.SENTENCE)


def test_pgd_steps_can_reach_the_sphere():
    assert PGD.step_size * PGD.steps > PGD.ball.radius > 0
    assert (PGD.start, PGD.ball.norm, PGD.ball.scope) == (Start.ZERO, Norm.L2, Scope.SENTENCE)


def test_freelb_starts_from_uniform_noise_and_has_no_limit():
    assert (FREELB.start, FREELB.ball.radius, FREELB.accumulate) == (Start.UNIFORM, None, True)
    assert (FREELB.ball.norm, FREELB.ball.scope) == (Norm.L2, Scope.SENTENCE)
    assert 0 < FREELB.spread <= 0.8 and 0.01 <= FREELB.step_size <= 0.2 and 2 <= FREELB.steps + 1 <= 4


def test_smart_defaults_of_section_15():
    assert (SMART.ball.norm, SMART.ball.scope, SMART.ball.radius) == (Norm.LINF, Scope.TOKEN, 0.01)
    assert (SMART.steps, SMART.start, SMART.spread) == (1, Start.NORMAL, 1e-5)


@pytest.mark.parametrize("radius", [0.02, 0.075, 0.1])
@pytest.mark.parametrize("steps", [1, 3, 10])
def test_k_pgd_attack_defaults_of_section_3(radius, steps):
    attack = k_pgd(radius, steps)
    assert attack.step_size == pytest.approx(2.5 * radius / steps)
    assert (attack.steps, attack.start, attack.ball.radius) == (steps, Start.ZERO, radius)
    assert k_pgd(radius).steps == 3


def test_k_pgd_restart_begins_inside_its_ball():
    attack = k_pgd(0.1, random_start=True)
    start = attack.begin(torch.ones(4, 6, dtype=torch.bool), 8, (0, 1), torch.arange(4))
    sizes = start.flatten(1).norm(dim=1)
    assert (sizes > 0.02).all() and (sizes <= 0.1).all()


def test_k_pgd_of_radius_zero_is_no_perturbation():
    attack, mask = k_pgd(0.0), torch.ones(1, 2, dtype=torch.bool)
    assert not worst_case(attack, torch.zeros(1, 2, 3), mask, lambda delta: delta.sum()).any()


def test_presets_are_values():
    with pytest.raises(FrozenInstanceError):
        FGM.steps = 2
    assert replace(PGD, steps=9).ball == PGD.ball


@pytest.mark.parametrize("name, preset", [("fgm", FGM), ("pgd", PGD), ("freelb", FREELB), ("smart", SMART)])
def test_a_method_with_default_settings_climbs_by_its_preset(name, preset):
    found = METHODS[name]().build(LinearModel(), make_task()).settings.ascent()
    assert replace(found, step_size=found.step_size or found.ball.radius) == replace(
        preset, step_size=preset.step_size or preset.ball.radius
    )
