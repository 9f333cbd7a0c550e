"""The temperature of a classifier, fitted on validation after the weights are chosen.

Every classifier keeps it in its configuration, by which ``predict`` makes its probabilities likely ones; the weights
stay those that were chosen. Where the plan says ``calibrate``, it is folded into the last layer instead, so that
whoever opens the model gets them, and what is kept is 1:

    softmax(z / T),  z = W h + b        becomes        softmax(z'),  z' = (W / T) h + b / T

That is done in memory and in what is saved, never in a checkpoint, so that a run that goes on is the same run. No
answer changes, only how sure it is. T is the likeliest with targets as Platt (1999) smooths them: the class of a text
has (n + 1) / (n + 2), with n the texts of that class, so T is finite where all answers are right.

Platt says / we do, because:
- two classes; of several the strongest rival has the rest, because a share for a class far below all others would ask
  for a temperature that makes everything else equal.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from unfooled.models.encoders.classifier import last_linear
from unfooled.models.encoders.predict import Sharing, answers
from unfooled.models.encoders.pretrained import TextModel
from unfooled.tokens import Encoded

LOWEST, HIGHEST = 0.01, 100.0  # T in sizes of the logits' gaps
TOLERANCE = 1e-10  # of log T
NEAR = 1e-5  # how near z' · T must come to z


@dataclass(frozen=True)
class Calibration:
    """The temperature that a model's logits were divided by, None where they were not, and what to say of it."""

    temperature: float | None
    note: str


def fitted(model: TextModel, encoded: Encoded, labels: Sequence[int], sharing: Sharing) -> float | None:
    """The likeliest temperature of a split, with the model left as it is."""
    return likeliest_temperature(answers(model, encoded, sharing=sharing), torch.tensor(labels))


def calibrate(model: TextModel, encoded: Encoded, labels: Sequence[int], sharing: Sharing) -> Calibration:
    """Fold the likeliest temperature of a split into the model's last layer, where that divides its logits."""
    logits = answers(model, encoded, sharing=sharing)
    temperature = likeliest_temperature(logits, torch.tensor(labels))
    if temperature is None:
        return Calibration(None, "temperature: none, because the logits tell no class from another")
    last = last_linear(model.classifier.network)
    before = [parameter.detach().clone() for parameter in last.parameters()]
    divide(last, temperature)
    folded = answers(model, encoded, sharing=sharing)
    apart = float((folded * temperature - logits).abs().max())
    if apart <= NEAR * max(1.0, float(logits.abs().max())) and torch.equal(folded.argmax(1), logits.argmax(1)):
        return Calibration(temperature, f"temperature: {temperature:.3g}, folded into the last layer")
    for parameter, kept in zip(last.parameters(), before, strict=True):
        parameter.data.copy_(kept)
    return Calibration(
        None, f"temperature: not folded, because the last layer divided gives other logits (by {apart:.2g})"
    )


def divide(layer: nn.Linear, temperature: float) -> None:
    """W / T and b / T."""
    for parameter in layer.parameters():
        parameter.data.div_(temperature)


def likeliest_temperature(logits: Tensor, labels: Tensor) -> float | None:
    """T of logits [n, C] in double precision with the class of each text [n]; None where no class stands out.

    The likelihood is convex in 1/T, so its slope there, the sum of (p - target) · z, changes its sign once.
    """
    own = labels[:, None]
    rival = logits.scatter(1, own, -math.inf).argmax(1, keepdim=True)
    apart = logits - logits.gather(1, own)
    size = float(apart.gather(1, rival).square().mean().sqrt())
    if not (0 < size < math.inf):
        return None
    count = torch.bincount(labels)[labels][:, None].double()
    targets = torch.zeros_like(logits).scatter(1, rival, 1 / (count + 2)).scatter(1, own, (count + 1) / (count + 2))

    def too_sure(log_temperature: float) -> bool:
        said = (apart / (size * math.exp(log_temperature))).softmax(1)
        return bool(((said - targets) * apart).sum() > 0)

    low, high = math.log(LOWEST), math.log(HIGHEST)
    while high - low > TOLERANCE:
        middle = (low + high) / 2
        low, high = (middle, high) if too_sure(middle) else (low, middle)
    return size * math.exp((low + high) / 2)
