"""The gradient of every loss against differences of its values, in double precision: off by 1e-6 at most."""

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor

import unfooled.losses
from unfooled.losses import (
    contrastive,
    divergence,
    label_distance,
    margins,
    nce,
    replaced,
    targets,
    tokens,
    uncertainty,
)

STEP = 1e-3  # of the differences, whose own error is of the order of its fourth power
LABELS = torch.tensor([0, 2, 1, 2])
SPANS = torch.tensor([[0, 2], [1, 1], [4, 0], [3, 2]])
SETS = torch.tensor([[0.0, 1, 1], [1, 0, 0], [0, 0, 0], [1, 1, 1]])
ASKED = torch.tensor([[1, -100, 0], [2, 2, -100]])  # -100: nothing is asked of this token
DISTANCES = torch.tensor([[1.0, 2, 3], [1, 1, 4], [2, 5, 1]], dtype=torch.float64)


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def rows(seed: int) -> Tensor:
    return drawn(4, 5, seed=seed)


# name → (the loss, what it is differentiated by)
LOSSES: dict[str, tuple[Callable[..., Tensor], tuple[Tensor, ...]]] = {
    "contrastive.synonym_antonym": (lambda *own: contrastive.synonym_antonym(*own, 0.7), (rows(0), rows(1), rows(2))),
    "contrastive.two_decisions": (contrastive.two_decisions, (rows(0), rows(1), rows(2))),
    "contrastive.misalignment": (contrastive.misalignment, (rows(0), rows(1))),
    "contrastive.uniformity": (contrastive.uniformity, (rows(0),)),
    "divergence.kl": (divergence.kl, (rows(0), rows(1))),
    "divergence.symmetric_kl": (divergence.symmetric_kl, (rows(0), rows(1))),
    "label_distance.log_shares": (
        lambda own, others: label_distance.log_shares(own, LABELS, DISTANCES, others, LABELS),
        (rows(0), rows(1)),
    ),
    "label_distance.label_contrast": (
        lambda own: label_distance.label_contrast(own, LABELS, DISTANCES, own, LABELS),
        (rows(0),),
    ),
    "label_distance.similarity": (label_distance.similarity, (rows(0), rows(1))),
    "margins.margins": (lambda logits: margins.margins(logits, LABELS), (drawn(4, 3),)),
    "nce.log_mean_exp": (nce.log_mean_exp, (drawn(4), drawn(4, 6, seed=1))),
    "nce.nce": (lambda *scores: nce.nce(*scores, torch.tensor(0.3)), (drawn(4), drawn(4, 6, seed=1))),
    "nce.info_nce": (nce.info_nce, (drawn(4), drawn(4, 6, seed=1))),
    "nce.negatives_only": (nce.negatives_only, (drawn(4), drawn(4, 6, seed=1))),
    "replaced.replaced_tokens": (lambda logits: replaced.replaced_tokens(logits, ASKED.clamp(max=1)), (drawn(2, 3),)),
    "targets.classes": (lambda logits: targets.classes(logits, LABELS), (drawn(4, 3),)),
    "targets.numbers": (lambda logits: targets.numbers(logits, drawn(4, seed=1)), (drawn(4, 1),)),
    "targets.sets": (lambda logits: targets.sets(logits, SETS), (drawn(4, 3),)),
    "targets.spans": (lambda logits: targets.spans(logits, SPANS), (drawn(4, 5, 2),)),
    "targets.tokens": (lambda logits: targets.tokens(logits, ASKED, 0.1), (drawn(2, 3, 4),)),
    "targets.target_loss": (lambda logits: targets.target_loss(logits, ASKED, "tokens")[0], (drawn(2, 3, 4),)),
    "tokens.reconstruction": (
        lambda *own: tokens.reconstruction(*own, LABELS, chunk=3),
        (drawn(4, 5), drawn(7, 5, seed=1), drawn(7, seed=2)),
    ),
    "uncertainty.learned_weights": (uncertainty.learned_weights, (drawn(3),)),
    "uncertainty.price": (uncertainty.price, (drawn(3),)),
    "three kinds of replaced tokens": (lambda logits: replaced.replaced_tokens(logits, ASKED), (drawn(2, 3, 3),)),
}
# What the room holds beside losses.
NO_LOSS = {
    "contrastive.precise": "a change of type",
    "contrastive.mean_cosines": "a measure that nobody minimises",
    "divergence.log_probabilities": "a part of the divergences",
    "label_distance.itself": "a mask",
    "label_distance.targets": "made of labels alone",
    "label_distance.static_distances": "made of settings alone",
    "label_distance.confused_distances": "made of counts of errors",
    "label_distance.approached": "moves a table of distances, which is no parameter",
    "label_distance.most_confused": "made of counts of errors",
    "tokens.losses_to_slopes": "a part of the reconstruction",
    "tokens.collect": "a part of the reconstruction",
}


def differences(value: Callable[[Tensor], Tensor], at: Tensor) -> Tensor:
    """The gradient by differences of fourth order, one number of the input after the other."""
    slopes = torch.zeros_like(at)
    for place in range(at.numel()):
        step = torch.zeros_like(at)
        step.view(-1)[place] = STEP
        near = value(at + step) - value(at - step)
        far = value(at + 2 * step) - value(at - 2 * step)
        slopes.view(-1)[place] = (8 * near - far) / (12 * STEP)
    return slopes


@pytest.mark.parametrize("name", LOSSES)
def test_the_gradient_is_that_of_differences(name: str, record_property: Callable[[str, object], None]) -> None:
    loss, inputs = LOSSES[name]
    weights = drawn(*loss(*inputs).shape, seed=9)  # all values of a loss at once, each by its own weight

    def total(*given: Tensor) -> Tensor:
        return (weights * loss(*given)).sum()

    leaves = [one.clone().requires_grad_() for one in inputs]
    gradients = torch.autograd.grad(total(*leaves), leaves)
    worst = 0.0
    for place, gradient in enumerate(gradients):
        expected = differences(lambda moved, at=place: total(*inputs[:at], moved, *inputs[at + 1 :]), inputs[place])
        assert expected.norm() > 1e-3  # there is something to compare
        worst = max(worst, float((gradient - expected).norm() / expected.norm()))
    record_property("largest relative error", worst)
    assert worst <= 1e-6


def test_every_function_of_the_room_is_checked_or_said_not_to_be_a_loss() -> None:
    room = Path(str(unfooled.losses.__file__)).parent
    functions = {
        f"{path.stem}.{node.name}"
        for path in room.glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    checked = {name for name in LOSSES if "." in name}
    assert checked | set(NO_LOSS) == functions and not checked & set(NO_LOSS)
