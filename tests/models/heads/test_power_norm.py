"""Power normalisation against its closed form, written out step by step."""

import pytest
import torch
from torch import Tensor, nn

from unfooled.models.heads.power_norm import BatchNorm, PowerNorm, mean_over_all, normalisation

EPS = 1e-5


def rows(number: int, size: int = 8, width: int = 3) -> Tensor:
    random = torch.Generator().manual_seed(number)
    return (torch.randn(size, width, generator=random) * torch.tensor([0.5, 2.0, 5.0])[:width]).double()


def plain(**given: object) -> PowerNorm:
    return PowerNorm(3, group_scaling=False, **given).double()


def test_in_warm_up_each_feature_has_quadratic_mean_one() -> None:
    norm = plain(warmup=2)
    for step in range(2):
        found = norm(rows(step))
        assert torch.allclose((found**2).mean(dim=0), torch.ones(3).double(), atol=1e-4)
    assert not torch.allclose((norm(rows(2)) ** 2).mean(dim=0), torch.ones(3).double(), atol=0.05)


def test_the_running_mean_moves_a_tenth_of_the_way() -> None:
    norm = plain(warmup=0)
    norm(rows(0))
    batch = (rows(0) ** 2).mean(dim=0)
    assert torch.allclose(norm.psi2, 0.9 + 0.1 * batch)
    assert int(norm.it) == 1


def test_after_warm_up_the_old_running_mean_divides() -> None:
    norm = plain(warmup=1)
    norm(rows(0))
    old = norm.psi2.clone()
    assert torch.allclose(norm(rows(1)), rows(1) / (old + EPS).sqrt())


def test_evaluation_is_the_same_for_one_row_and_for_many() -> None:
    norm = plain()
    norm(rows(0))
    kept = norm.psi2.clone()
    norm.eval()
    many = norm(rows(1, size=64))
    assert torch.equal(norm(rows(1, size=64)[:1]), many[:1])
    assert torch.equal(norm.psi2, kept) and int(norm.it) == 1
    assert torch.allclose(many, rows(1, size=64) / (kept + EPS).sqrt())


@pytest.mark.parametrize("batch_backward", [False, True])
def test_five_steps_across_the_warm_up_are_the_closed_form(batch_backward: bool) -> None:
    norm = plain(warmup=2, batch_backward=batch_backward)
    norm.weight.data = torch.tensor([1.5, 0.5, -2.0]).double()
    psi2, nu = torch.ones(3).double(), torch.zeros(3).double()
    for step in range(5):
        x, wanted = rows(step), rows(100 + step)
        given = x.clone().requires_grad_()
        norm.zero_grad()
        norm(given).backward(wanted)
        batch = (x**2).sum(dim=0) / len(x)
        used = batch if step < 2 else psi2
        xhat = x / (used + EPS).sqrt()
        g = wanted * norm.weight.data
        divisor = (batch + EPS).sqrt() if batch_backward else (used + EPS).sqrt()
        assert torch.allclose(given.grad, (g - nu * xhat) / divisor)
        assert torch.allclose(norm.weight.grad, (wanted * xhat).sum(dim=0))
        assert torch.allclose(norm.bias.grad, wanted.sum(dim=0))
        nu = nu * (1 - 0.1 * (xhat**2).mean(dim=0)) + 0.1 * (g * xhat).mean(dim=0)
        psi2 = 0.9 * psi2 + 0.1 * batch
        assert torch.allclose(norm.nu, nu) and torch.allclose(norm.psi2, psi2)
    assert nu.abs().max() > 1e-2


def test_without_nu_the_gradient_is_plain() -> None:
    norm = plain(warmup=0)
    norm.psi2.copy_(torch.tensor([4.0, 9.0, 16.0]))
    given = rows(0).requires_grad_()
    norm(given).sum().backward()
    assert torch.allclose(given.grad, (1 / (torch.tensor([4.0, 9.0, 16.0]).double() + EPS).sqrt()).expand(8, 3))


def test_nu_stays_bounded() -> None:
    norm = plain(warmup=50)
    largest = 0.0
    for step in range(1000):
        given = rows(step).requires_grad_()
        norm(given).backward(rows(5000 + step) / 8)
        largest = max(largest, float(norm.nu.abs().max()))
    assert 0 < largest < 2


def test_the_released_warm_up_takes_the_mean_of_all_batches_first() -> None:
    norm = plain(warmup=3, cumulative_warmup=True)
    psi2 = torch.ones(3).double()
    for step in range(4):
        batch = (rows(step) ** 2).mean(dim=0)
        if step + 1 < 3:
            psi2 = psi2 * step / (step + 1) + batch / (step + 1)
        psi2 = 0.9 * psi2 + 0.1 * batch
        norm(rows(step))
        assert torch.allclose(norm.psi2, psi2)


def test_group_scaling_forgets_the_size_of_a_row() -> None:
    scaled, unscaled = PowerNorm(3, warmup=0).double(), plain(warmup=0)
    for norm in (scaled, unscaled):
        norm(rows(0))
        norm.eval()
    large = 10 * rows(1)  # beside which eps is nothing
    assert torch.allclose(scaled(3 * large), scaled(large), atol=1e-5)
    assert torch.allclose(unscaled(3 * rows(1)), 3 * unscaled(rows(1)))


def test_group_scaling_is_differentiated_as_usual() -> None:
    norm = PowerNorm(3, warmup=0).double().eval()
    assert torch.autograd.gradcheck(norm, rows(0).requires_grad_())


def test_padding_takes_no_part() -> None:
    kept, padded = plain(warmup=5), plain(warmup=5)
    mask = torch.tensor([True, False, True, True, False, True, True, True])
    one, other = rows(0)[mask].clone().requires_grad_(), rows(0).clone().requires_grad_()
    for _ in range(2):  # in the second pass nu is not 0
        one.grad = other.grad = None
        expected, found = kept(one), padded(other, mask)
        (expected**3).sum().backward()
        (found**3).sum().backward()
    assert torch.allclose(found[mask], expected) and not found[~mask].any()
    assert torch.allclose(other.grad[mask], one.grad) and not other.grad[~mask].any()
    assert torch.allclose(padded.nu, kept.nu) and torch.allclose(padded.psi2, kept.psi2)


def test_tokens_are_rows() -> None:
    flat, tokens = plain(), plain()
    assert torch.equal(flat(rows(0)).view(2, 4, 3), tokens(rows(0).view(2, 4, 3)))


def test_statistics_are_part_of_the_state() -> None:
    assert set(PowerNorm(2).state_dict()) == {"weight", "bias", "psi2", "nu", "it"}


def test_the_mean_of_no_rows_is_nothing() -> None:
    assert mean_over_all(torch.zeros(0, 2)).tolist() == [0.0, 0.0]
    assert mean_over_all(torch.tensor([[1.0, 2.0], [3.0, 6.0]])).tolist() == [2.0, 4.0]


def test_names_become_layers() -> None:
    power = normalisation("power", 4, warmup=7, group_scaling=False, released=True)
    assert isinstance(power, PowerNorm) and power.warmup == 7 and not power.group_scaling
    assert power.batch_backward and power.cumulative_warmup
    assert isinstance(normalisation("none", 4, 7), nn.Identity)
    batch = normalisation("batch", 3, 7).double()
    assert isinstance(batch, BatchNorm)
    assert torch.allclose(batch(rows(0)), nn.BatchNorm1d(3).double()(rows(0)))
