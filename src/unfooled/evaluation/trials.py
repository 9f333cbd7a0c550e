"""What a model is put through. A trial makes one record per example, lazily, batch by batch.

k-PGD as CARL's Tables 4 and 5 use it: evaluation mode, the gold label in the loss, no parameter gradients,
k steps of 2.5·eps/k from no perturbation, per-example Frobenius norm. The paper leaves k, the step and the
start open; what was chosen is in every log.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated

import torch
import torch.nn.functional as F
from pydantic import Field, field_validator
from torch import Tensor, nn

from unfooled.errors import BadInput
from unfooled.evaluation.records import Attack, Record
from unfooled.models import Classifier, TextModel, still
from unfooled.perturb import Ascent, k_pgd, worst_case
from unfooled.settings import Settings
from unfooled.tokens import by_length, encode
from unfooled.types import Output, Texts, Tokens


class PGDSettings(Settings):
    """How k-PGD attacks: the radii, the ascent steps, and the climbs (all but the first begin at noise)."""

    eps: tuple[Annotated[float, Field(ge=0, allow_inf_nan=False)], ...] = (0.0, 0.02, 0.075, 0.1)
    steps: int = Field(default=3, ge=1)
    restarts: int = Field(default=1, ge=1)

    @field_validator("eps")
    @classmethod
    def different(cls, eps: tuple[float, ...]) -> tuple[float, ...]:
        """Refuse no radius at all, and the same radius twice."""
        if not eps or len(set(eps)) < len(eps):
            raise ValueError("give at least one radius, and none of them twice")
        return eps


PGD_SETTINGS = PGDSettings()


@dataclass(frozen=True)
class Victims:
    """A batch as an attack sees it: the network, its input, gold labels [B] and the examples' places [B]."""

    classifier: Classifier
    tokens: Tokens
    label: Tensor
    index: Tensor

    def losses(self, output: Output) -> Tensor:
        """The cross-entropy of each example's label [B], in double precision; refuses what is not finite."""
        losses = F.cross_entropy(output.logits.double(), self.label, reduction="none")
        if not bool(torch.isfinite(losses).all() & torch.isfinite(output.features).all()):
            place = int(self.index[(~torch.isfinite(losses)).int().argmax()])
            raise BadInput(f"the model's answer to example {place} or one near it is not finite; restore the model")
        return losses

    def answers(self, output: Output) -> tuple[list[int], list[float]]:
        """The predicted class of each example, and the probability of its label."""
        own = output.logits.double().softmax(dim=-1).gather(1, self.label[:, None])[:, 0]
        return output.logits.argmax(dim=-1).tolist(), own.tolist()

    def records(self, output: Output, gradient: Tensor | None = None) -> list[Record]:
        """What the network says of the texts as they are; ``gradient`` [B, T, d] is that of the loss."""
        sizes: list[float | None] = [None] * len(self.index)
        if gradient is not None:
            sizes = [*norms(gradient * self.tokens.mask[..., None])]
        facts = (
            self.index.tolist(),
            self.label.tolist(),
            *self.answers(output),
            self.losses(output).tolist(),
            sizes,
        )
        return [Record(*fact) for fact in zip(*facts, strict=True)]


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


def clean(
    model: TextModel,
    texts: Sequence[Texts],
    labels: Sequence[int],
    batch_size: int = 64,
    done: Collection[int] = (),
) -> Iterator[Record]:
    """What the model says of each text as it is; examples in ``done`` are left out."""
    for victims in batches(model, texts, labels, batch_size, done):
        with still(model.classifier), torch.inference_mode():
            records = victims.records(victims.classifier(victims.tokens))
        yield from (record for record in records if record.index not in done)


def pgd(
    model: TextModel,
    texts: Sequence[Texts],
    labels: Sequence[int],
    settings: PGDSettings = PGD_SETTINGS,
    batch_size: int = 64,
    seed: int = 0,
    done: Collection[int] = (),
) -> Iterator[Record]:
    """What the model says of each text at the worst perturbation k-PGD finds within each radius."""
    for victims in batches(model, texts, labels, batch_size, done):
        with still(model.classifier), frozen(model.classifier):
            try:
                records = attacked(victims, settings, seed)
            except FloatingPointError as error:
                near = int(victims.index[0])
                raise BadInput(
                    f"example {near} or one near it cannot be attacked: {error}; retrain the model"
                ) from None
        yield from (record for record in records if record.index not in done)


def batches(
    model: TextModel, texts: Sequence[Texts], labels: Sequence[int], batch_size: int, done: Collection[int]
) -> Iterator[Victims]:
    """The texts in batches of similar length, without the batches that are done.

    A batch of which a part is done comes whole, so that a resumed trial computes what an unbroken one does.
    """
    where = next(model.classifier.parameters()).device
    encoded = encode(model.tokenizer, texts, model.max_length)
    for rows in by_length(encoded, batch_size):
        index = [int(row) for row in rows]
        if any(row not in done for row in index):
            gold = torch.tensor([int(labels[row]) for row in index], device=where)
            yield Victims(model.classifier, encoded.pad(rows).to(where), gold, torch.tensor(index))


@contextmanager
def frozen(module: nn.Module) -> Iterator[None]:
    """While open, no parameter can receive a gradient."""
    learning = [parameter for parameter in module.parameters() if parameter.requires_grad]
    for parameter in learning:
        parameter.requires_grad_(False)
    try:
        yield
    finally:
        for parameter in learning:
            parameter.requires_grad_(True)


def attacked(victims: Victims, settings: PGDSettings, seed: int) -> list[Record]:
    """The records of one batch under attack; all climbs from 0 share the clean pass and its gradient."""
    mask = victims.tokens.mask
    zero = torch.zeros(*mask.shape, victims.classifier.width, device=mask.device).requires_grad_()
    with torch.enable_grad():
        output = victims.classifier(victims.tokens, zero)
        losses = victims.losses(output)
        (gradient,) = torch.autograd.grad(losses.sum(), zero)
    ground = Ground(Output(output.logits.detach(), output.features.detach()), losses.detach(), gradient)
    by_radius = [worst(victims, ground, eps, settings, seed) for eps in settings.eps]
    return [
        replace(record, attacks=attacks)
        for record, attacks in zip(
            victims.records(ground.output, ground.gradient), zip(*by_radius, strict=True), strict=True
        )
    ]


def worst(victims: Victims, ground: Ground, eps: float, settings: PGDSettings, seed: int) -> list[Attack]:
    """Each example's worst outcome over all climbs within one radius: fooled first, else the highest loss."""
    if eps == 0:  # no perturbation is allowed, so the clean pass is the attack
        still_there = Climb(ground.output, [ground.losses] * (settings.steps + 1), torch.zeros_like(ground.gradient))
        return outcomes(victims, ground, still_there, eps, 0)
    tries = [outcomes(victims, ground, from_zero(victims, ground, k_pgd(eps, settings.steps)), eps, 0)]
    for restart in range(1, settings.restarts):
        ascent = k_pgd(eps, settings.steps, random_start=True)
        noise = ascent.begin(victims.tokens.mask, victims.classifier.width, (seed, restart), victims.index)
        tries.append(outcomes(victims, ground, climb(victims, ascent, noise), eps, restart))
    kept = [worse(some, label) for some, label in zip(zip(*tries, strict=True), victims.label.tolist(), strict=True)]
    return [replace(one, losses=first.losses) for one, first in zip(kept, tries[0], strict=True)]


def worse(tries: Sequence[Attack], label: int) -> Attack:
    """The outcome to be reported: one that fools if there is any, and of those the highest loss."""
    return max(tries, key=lambda attack: (attack.prediction != label, attack.loss))


def from_zero(victims: Victims, ground: Ground, ascent: Ascent) -> Climb:
    """A climb from no perturbation, whose first gradient is known."""
    delta = ascent.climb(torch.zeros_like(ground.gradient), ground.gradient, victims.tokens.mask)
    rest = climb(victims, replace(ascent, steps=ascent.steps - 1), delta)
    return replace(rest, path=[ground.losses, *rest.path])


def climb(victims: Victims, ascent: Ascent, delta: Tensor) -> Climb:
    """All steps of the ascent from ``delta``, and what the network says where they end."""
    path: list[Tensor] = []

    def loss_at(moved: Tensor) -> Tensor:
        losses = victims.losses(victims.classifier(victims.tokens, moved))
        path.append(losses.detach())
        return losses.sum()

    delta = worst_case(ascent, delta, victims.tokens.mask, loss_at)
    with torch.no_grad():
        output = victims.classifier(victims.tokens, delta)
        path.append(victims.losses(output))
    return Climb(output, path, delta)


def outcomes(victims: Victims, ground: Ground, end: Climb, eps: float, restart: int) -> list[Attack]:
    """Where a climb brought each example, beside where it was."""
    before, after = ground.output.features.double(), end.output.features.double()
    cosines = F.cosine_similarity(before, after, dim=-1).clamp(-1, 1).tolist()
    distances = torch.linalg.vector_norm(after - before, dim=-1).tolist()
    predictions, confidences = victims.answers(end.output)
    paths = torch.stack(list(end.path), dim=1).tolist()
    facts = zip(predictions, confidences, paths, cosines, distances, norms(end.delta), strict=True)
    return [
        Attack(eps, prediction, confidence, path[-1], tuple(path), cosine, distance, size, restart)
        for prediction, confidence, path, cosine, distance, size in facts
    ]


def norms(perturbation: Tensor) -> list[float]:
    """The Frobenius norm of each example's part of [B, T, d], in double precision: tiny is not 0."""
    return torch.linalg.vector_norm(perturbation.double().flatten(1), dim=1).tolist()
