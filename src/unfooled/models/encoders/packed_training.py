"""Passes with gradients without padding: the network's own, of packed texts, the last layer at one place.

Texts that get other words grow, each by as much as chance has it, so that much of a rectangle of them is padding. What
``packed`` does for answers is done here for training: every product is of real tokens, and the last layer is made at
the first token alone unless somebody asks for its states. Nothing is shared between tokens that are alike, because
dropout and perturbations are not. Without dropout, logits and gradients are those of the padded pass but for rounding;
with it, other masks are drawn.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from transformers.activations import GELUActivation

from unfooled.errors import BadInput
from unfooled.models.encoders.classifier import Classifier, Pass, Passed, added
from unfooled.models.encoders.half_rows import half_rows, whole_rows
from unfooled.models.encoders.layouts import Layout
from unfooled.models.encoders.packed import (
    Packing,
    attended,
    fed,
    layout_of,
    layout_told,
    packing_of,
    pooled,
    told_alike,
    unlike,
)
from unfooled.types import Tokens

ROUNDS_ONCE = (nn.GELU, nn.ReLU, GELUActivation)  # in half precision: what is between is made in single precision


def pack(model: Classifier) -> None:
    """Make a classifier train without padding from now on; refused where that would not be the same network."""
    layout, kind = layout_of(model), type(model.network).__name__
    if layout is None:
        raise BadInput(f"{kind} cannot be trained without padding: its layout is not known; leave plan.packed out")
    unpadded = unpadded_pass(model, layout)
    why = unlike(model, lambda tokens: model(tokens).logits, lambda tokens: unpadded(tokens, None, ()).logits)
    if why:
        raise BadInput(f"{kind} cannot be trained without padding: {why}; leave plan.packed out")
    model.unpadded = unpadded


def unpadded_pass(model: Classifier, layout: Layout) -> Pass:
    """A pass without padding, in the precision that the model has when it is made."""

    def unpadded(tokens: Tokens, delta: Tensor | None, layers: Collection[int]) -> Passed:
        return passed(model, reduced(layout, model, int(tokens.mask.sum())), tokens, delta, layers)

    return unpadded


def quick_pass(model: Classifier) -> Pass | None:
    """What makes perturbed passes quicker, with their gradients; None where a network is passed through as it is.

    It is tried on the fixed probe, moved a little. One that was packed to be trained, or is in another precision, goes
    its own way; on graphics processors, where none was timed, so do all.
    """
    where = next(model.parameters()).device
    if model.unpadded is not None or model.autocast is not None or where.type != "cpu":
        return None
    layout = layout_told(model)
    if layout is None:
        return None
    unpadded = unpadded_pass(model, layout)

    def moved(tokens: Tokens) -> Tensor:
        steps = torch.arange(tokens.ids.numel() * model.width) % 7 - 3
        return 1e-3 * steps.view(*tokens.ids.shape, model.width)

    ways = [lambda tokens, way=way: way(tokens, moved(tokens), ()).logits for way in (model.padded, unpadded)]
    return unpadded if told_alike(model, *ways) else None


@contextmanager
def passing(model: Classifier, way: Pass | None) -> Iterator[None]:
    """While open, a classifier's passes go this way; its own where there is none."""
    was = model.unpadded
    model.unpadded = was if way is None else way
    try:
        yield
    finally:
        model.unpadded = was


def reduced(layout: Layout, model: Classifier, rows: int) -> Layout:
    """The layout with the products of its layers in the model's reduced precision, and all else as it stands.

    Products alone are faster in half precision on a processor. The last layer has no large ones: it is made at a token.
    """
    if (half := model.autocast) is None:
        return layout

    def alone(part: Any) -> Any:
        return lambda given: whole_rows(widened(part)(given), len(given))

    def widened(part: Any) -> Any:
        def product(given: Tensor) -> Tensor:
            with model.precision(given.device):
                return part(half_rows(given, half))

        return product

    def narrowed(part: Any) -> Any:
        def product(given: Tensor) -> Tensor:
            with model.precision(given.device):
                return whole_rows(part(given), rows)

        return product

    def bent(bend: Any) -> Any:
        return bend if isinstance(bend, ROUNDS_ONCE) else lambda given: bend(given.float()).to(given.dtype)

    *inner, last = layout.layers
    layers = [
        replace(
            layer,
            **{name: alone(getattr(layer, name)) for name in ("query", "key", "value", "mix")},
            widen=widened(layer.widen),
            bend=bent(layer.bend),
            narrow=narrowed(layer.narrow),
        )
        for layer in inner
    ]
    return replace(layout, layers=(*layers, last))


def passed(model: Classifier, layout: Layout, tokens: Tokens, delta: Tensor | None, layers: Collection[int]) -> Passed:
    """Logits [B, C] of texts in their own order, and the states [B, T, H] of the layers that are wanted."""
    packing = packing_of(tokens.mask)
    real = tokens.mask[packing.order]
    places = torch.arange(tokens.mask.numel(), device=real.device).view(tokens.mask.shape)[packing.order][real]
    states = embedded(model, layout, tokens, delta, places)
    bias = None if layout.bias is None else layout.bias(tokens.ids.shape[1])
    kept = {}
    last = len(layout.layers) - 1
    for number, layer in enumerate(layout.layers):
        if number == last and last not in layers:
            gathered, states = pooled(layer, states, layout.heads, packing, bias), states[packing.firsts]
        else:
            projected = [part(states) for part in (layer.query, layer.key, layer.value)]
            dropout = layer.drop_looks.p if layer.drop_looks.training else 0.0
            gathered = attended(projected, layout.heads, packing, bias, dropout)
        states = fed(layer, gathered, states)
        if number in layers:
            kept[number] = spread(states, places, tokens)
            states = kept[number].flatten(end_dim=1)[places]  # what is given out is what goes on: it has a gradient
    first = states if last not in layers else states[packing.firsts]
    return Passed(layout.answer(first[own_order(packing)]), tuple(kept[number] for number in layers))


def embedded(model: Classifier, layout: Layout, tokens: Tokens, delta: Tensor | None, places: Tensor) -> Tensor:
    """The states of all real tokens before the first layer, their looked-up vectors moved by ``delta`` [B, T, d]."""
    columns = [tokens.ids, layout.positions(tokens.ids)]
    columns += [tokens.segments] if tokens.segments is not None and model.takes_segments else []
    ids, positions, *segments = [column.reshape(-1)[places] for column in columns]
    moved = None if delta is None else delta.reshape(-1, delta.shape[-1])[places][None]
    with added(model.lookup, moved):
        return layout.embed(ids, positions, segments[0] if segments else None)


def spread(states: Tensor, places: Tensor, tokens: Tokens) -> Tensor:
    """Packed states as a rectangle [B, T, H], 0 where there is padding."""
    flat = states.new_zeros(tokens.ids.numel(), states.shape[1]).index_copy(0, places, states)
    return flat.view(*tokens.ids.shape, -1)


def own_order(packing: Packing) -> Tensor:
    """Where each text of a batch is among the packed ones [B]."""
    return packing.order.argsort()
