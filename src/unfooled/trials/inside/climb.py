"""Climbs of the loss in embedding space, example by example, on a batch whose network is frozen.

k-PGD as CARL's Tables 4 and 5 use it: evaluation mode, the gold label in the loss, no parameter gradients,
k steps of 2.5·eps/k from no perturbation, per-example Frobenius norm. The paper leaves k, the step and the
start open; what was chosen is in every log.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from unfooled.perturb import Ascent, k_pgd, worst_case
from unfooled.trials.inside.batch import VictimBatch
from unfooled.types import Output

# Of one example where a climb ended: radius, prediction, confidence, loss, the losses on the way, cosine and distance
# of the features before and there, the perturbation's size, the number of the climb.
Ended = tuple[float, int, float, float, tuple[float, ...], float, float, float, int]


@dataclass(frozen=True)
class Ground:
    """A batch before the attack: the network's output, the losses [B] and their gradient [B, T, d]."""

    output: Output
    losses: Tensor
    gradient: Tensor


@dataclass(frozen=True)
class Climb:
    """Where an ascent ended: the output there, the losses [B] after each step, the perturbation [B, T, d]."""

    output: Output
    path: Sequence[Tensor]
    delta: Tensor


def grounded(batch: VictimBatch) -> Ground:
    """The clean pass, which all climbs from 0 share, and its gradient."""
    mask = batch.tokens.mask
    zero = torch.zeros(*mask.shape, batch.classifier.width, device=mask.device).requires_grad_()
    with torch.enable_grad():
        output = batch.classifier(batch.tokens, zero)
        losses = batch.losses(output)
        (gradient,) = torch.autograd.grad(losses.sum(), zero)
    return Ground(Output(output.logits.detach(), output.features.detach()), losses.detach(), gradient)


def gradient_norms(batch: VictimBatch, ground: Ground) -> list[float]:
    """How large the gradient of each example's loss is, padding left out."""
    return norms(ground.gradient * batch.tokens.mask[..., None])


def climbs(batch: VictimBatch, ground: Ground, eps: float, steps: int, restarts: int, seed: int) -> list[list[Ended]]:
    """Where every climb within one radius brings each example: the first from 0, the others from noise."""
    if eps == 0:  # no perturbation is allowed, so the clean pass is the attack
        still_there = Climb(ground.output, [ground.losses] * (steps + 1), torch.zeros_like(ground.gradient))
        return [ended(batch, ground, still_there, eps, 0)]
    every = [ended(batch, ground, from_zero(batch, ground, k_pgd(eps, steps)), eps, 0)]
    for restart in range(1, restarts):
        ascent = k_pgd(eps, steps, random_start=True)
        noise = ascent.begin(batch.tokens.mask, batch.classifier.width, (seed, restart), batch.key)
        every.append(ended(batch, ground, climb(batch, ascent, noise), eps, restart))
    return every


def from_zero(batch: VictimBatch, ground: Ground, ascent: Ascent) -> Climb:
    """A climb from no perturbation, whose first gradient is known."""
    delta = ascent.climb(torch.zeros_like(ground.gradient), ground.gradient, batch.tokens.mask)
    rest = climb(batch, replace(ascent, steps=ascent.steps - 1), delta)
    return replace(rest, path=[ground.losses, *rest.path])


def climb(batch: VictimBatch, ascent: Ascent, delta: Tensor) -> Climb:
    """All steps of the ascent from ``delta``, and what the network says where they end."""
    path: list[Tensor] = []

    def loss_at(moved: Tensor) -> Tensor:
        losses = batch.losses(batch.classifier(batch.tokens, moved))
        path.append(losses.detach())
        return losses.sum()

    delta = worst_case(ascent, delta, batch.tokens.mask, loss_at)
    with torch.no_grad():
        output = batch.classifier(batch.tokens, delta)
        path.append(batch.losses(output))
    return Climb(output, path, delta)


def ended(batch: VictimBatch, ground: Ground, end: Climb, eps: float, restart: int) -> list[Ended]:
    """Where a climb brought each example, beside where it was."""
    before, after = ground.output.features.double(), end.output.features.double()
    cosines = F.cosine_similarity(before, after, dim=-1).clamp(-1, 1).tolist()
    distances = torch.linalg.vector_norm(after - before, dim=-1).tolist()
    predictions, confidences = batch.answers(end.output)
    paths = torch.stack(list(end.path), dim=1).tolist()
    facts = zip(predictions, confidences, paths, cosines, distances, norms(end.delta), strict=True)
    return [
        (eps, prediction, confidence, path[-1], tuple(path), cosine, distance, size, restart)
        for prediction, confidence, path, cosine, distance, size in facts
    ]


def norms(perturbation: Tensor) -> list[float]:
    """The Frobenius norm of each example's part of [B, T, d], in double precision: tiny is not 0."""
    return torch.linalg.vector_norm(perturbation.double().flatten(1), dim=1).tolist()
