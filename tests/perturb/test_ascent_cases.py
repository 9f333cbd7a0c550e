"""Ten thousand perturbations of all norms, scopes, starts and numbers of steps: none leaves its ball."""

from collections.abc import Callable

import pytest
import torch

from unfooled.perturb import Ascent, Ball, Norm, Scope, Start, worst_case

COMBINATIONS = [(norm, scope, start) for norm in Norm for scope in Scope for start in Start]
CASES = 10_000
TOKENS, WIDTH = 6, 5


@pytest.mark.parametrize("norm, scope, start", COMBINATIONS)
def test_no_perturbation_of_ten_thousand_leaves_its_ball_or_touches_padding(
    norm: Norm, scope: Scope, start: Start, record_property: Callable[[str, object], None]
) -> None:
    """Every sentence of a batch is a case of its own: its length, its slope (1e-20 to 1e20), its curve."""
    count = -(-CASES // len(COMBINATIONS))
    random = torch.Generator().manual_seed(COMBINATIONS.index((norm, scope, start)))
    mask = torch.arange(TOKENS) < torch.randint(1, TOKENS + 1, (count, 1), generator=random)
    worst = 0.0
    for part, radius in enumerate((0.01, 0.4, 3.0)):  # a third of the cases each
        rows = torch.arange(part, count, 3)
        scale = 10.0 ** torch.randint(-20, 21, (len(rows), 1, 1), generator=random).double()
        slope = torch.randn(len(rows), TOKENS, WIDTH, generator=random).double() * scale
        ascent = Ascent(Ball(radius, norm, scope), 1 + part * 2, 0.7 * radius, start, 2 * radius)
        begun = ascent.begin(mask[rows], WIDTH, (7, part), rows)
        found = worst_case(ascent, begun, mask[rows], lambda delta, own=slope: (delta.double() * own).sin().sum())
        sizes = torch.linalg.vector_norm(found.double(), ord=norm.order, dim=(1, 2) if scope is Scope.SENTENCE else 2)
        worst = max(worst, float(sizes.max()) / radius)
        assert not found[~mask[rows]].any() and not begun[~mask[rows]].any()
        assert torch.isfinite(found).all() and (found.flatten(1).abs().amax(dim=1) > 0).all()
    record_property("cases", count)
    record_property("largest size over radius", worst)
    assert worst <= 1 + 1e-6
