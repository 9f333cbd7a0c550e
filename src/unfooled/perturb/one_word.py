"""One token of each sequence moved by a step of a given length up the gradient: FGM for a word."""

import torch
from torch import Tensor

from unfooled.gather import anywhere
from unfooled.perturb.ball import Ball, Scope
from unfooled.seeds import generator


def drawn_places(allowed: Tensor, key: tuple[int, int], index: Tensor) -> Tensor:
    """One allowed position of each sequence [B], all equally likely; -1 where there is none."""
    places = []
    for row, example in zip(allowed.cpu(), index.tolist(), strict=True):
        choices = row.nonzero().squeeze(1)
        if len(choices):
            turn = torch.randint(len(choices), (), generator=generator(*key, example, "perturbed word"))
            places.append(int(choices[turn]))
        else:
            places.append(-1)
    return torch.tensor(places, device=allowed.device)


def one_word(gradient: Tensor | None, places: Tensor, radius: float) -> Tensor:
    """eps · g/‖g‖ at each sequence's place, 0 everywhere else [B, T, d]."""
    if gradient is None or anywhere(not torch.isfinite(gradient).all()):
        raise FloatingPointError("the gradient with respect to the perturbation is not finite")
    chosen = torch.arange(gradient.shape[1], device=gradient.device) == places[:, None]
    return radius * Ball(radius, scope=Scope.TOKEN).direction(gradient, chosen)
