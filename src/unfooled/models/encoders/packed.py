"""The same answers from fewer products: texts without padding, layer 0 once per token and place, the last at one place.

- Texts are packed one behind the other, so that no product is made of padding; attention runs over texts of one length.
- What layer 0 projects depends on a token, its position and its segment alone: each that differs is projected once.
  The questions of an attack are one text with a word exchanged, so that few differ.
- The head reads the first token's state, so that the last layer is needed there alone. With h_j the states below, q the
  first token's query, a its attention and W_k, W_v one head's share of the weights,

      q · (W_k h_j) = (W_kᵀ q) · h_j        Σ_j a_j (W_v h_j) = W_v (Σ_j a_j h_j)

  and what the bias of the keys adds is alike for all j, so that the softmax does not see it: no token of that layer
  needs a product of its own.

All of it is exact; sums are made in another order, which single precision sees in the last bits. Nothing is kept from
one batch to the next, so weights may change at any time. A network is asked so only where it answers a fixed probe as
it does itself (``pass_of``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from unfooled.models.encoders.classifier import Classifier, still
from unfooled.models.encoders.layouts import LAYOUTS, AttentionLayer, Layout
from unfooled.models.encoders.pretrained import positions
from unfooled.progress import Display
from unfooled.types import Tokens

NEAR = 1e-5  # times the largest logit, or 1: how far an answer to the probe may be off
PROBE = (2, 3, 7, 7, 12, 24)  # tokens of the texts that a network is tried on, two of them alike long

Answer = Callable[[Tokens], Tensor]


@dataclass(frozen=True)
class SameLength:
    """Texts of one length that follow each other: ``count`` of them, from text ``first`` and token ``start`` on."""

    first: int
    start: int
    count: int
    length: int

    @property
    def texts(self) -> slice:
        """Their places among the texts."""
        return slice(self.first, self.first + self.count)

    @property
    def tokens(self) -> slice:
        """Their places among the tokens."""
        return slice(self.start, self.start + self.count * self.length)


@dataclass(frozen=True)
class Packing:
    """Texts in order of length: where each was, runs of one length, and where each begins and the last one ends."""

    order: Tensor  # [B]
    runs: tuple[SameLength, ...]
    bounds: Tensor  # [B + 1], among the tokens

    @property
    def firsts(self) -> Tensor:
        """The place of each text's first token [B]."""
        return self.bounds[:-1]

    def split(self, states: Tensor) -> tuple[Tensor, ...]:
        """The tokens' states by run; its gradient is one copy, where a slice a run would fill a tensor for each."""
        return states.split([run.count * run.length for run in self.runs])


def packing_of(mask: Tensor) -> Packing:
    """How the texts of a batch are packed."""
    lengths, order = mask.sum(dim=1).sort(stable=True)
    sizes, counts = torch.unique_consecutive(lengths, return_counts=True)
    runs, first, start = [], 0, 0
    for length, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        runs.append(SameLength(first, start, count, length))
        first, start = first + count, start + count * length
    return Packing(order, tuple(runs), F.pad(lengths.cumsum(dim=0), (1, 0)))


def packed(layout: Layout, tokens: Tokens) -> Tensor:
    """Logits [B, C] of texts that all have a first token, in their own order."""
    packing = packing_of(tokens.mask)
    different, which = once_each(layout, tokens, packing)
    bias = None if layout.bias is None else layout.bias(tokens.ids.shape[1])
    states = different[which]
    for number, layer in enumerate(layout.layers[:-1]):
        below = states if number else different
        projected = [part(below) for part in (layer.query, layer.key, layer.value)]
        if not number:
            projected = [part[which] for part in projected]
        states = fed(layer, attended(projected, layout.heads, packing, bias), states)
    first = pooled(layout.layers[-1], states, layout.heads, packing, bias)
    logits = layout.answer(fed(layout.layers[-1], first, states[packing.firsts]))
    return torch.empty_like(logits).index_copy_(0, packing.order, logits)


def once_each(layout: Layout, tokens: Tokens, packing: Packing) -> tuple[Tensor, Tensor]:
    """The states of tokens that differ in id, position or segment, and which of them each packed token has."""
    real = tokens.mask[packing.order]
    columns = [tokens.ids, layout.positions(tokens.ids)]
    columns += [] if tokens.segments is None else [tokens.segments]
    facts = [column[packing.order][real] for column in columns]
    key = torch.zeros_like(facts[0])
    for fact in facts:
        key = key * (int(fact.max()) + 1) + fact
    _, which = key.unique(return_inverse=True)
    some = torch.empty(int(which.max()) + 1, dtype=torch.long, device=key.device)
    some[which] = torch.arange(len(which), device=key.device)
    ids, positions, *segments = [fact[some] for fact in facts]
    return layout.embed(ids, positions, segments[0] if segments else None), which


def attended(
    projected: Sequence[Tensor], heads: int, packing: Packing, bias: Tensor | None, dropout: float = 0.0
) -> Tensor:
    """What every token gathers from those of its text [N, H], from queries, keys and values; ``bias`` is added."""
    answers = not dropout and not torch.is_grad_enabled()  # which the probe has seen
    if projected[0].is_cuda and bias is None and answers:
        return attended_at_once(projected, heads, packing)
    parts = []
    for run, own in zip(packing.runs, zip(*(packing.split(part) for part in projected), strict=True), strict=True):
        shape = run.count, run.length, heads, -1
        query, key, value = (part.view(shape).transpose(1, 2) for part in own)
        added = None if bias is None else bias[None, :, : run.length, : run.length]
        gathered = F.scaled_dot_product_attention(query, key, value, attn_mask=added, dropout_p=dropout)
        parts.append(gathered.transpose(1, 2).reshape(run.count * run.length, -1))
    return torch.cat(parts)


def attended_at_once(projected: Sequence[Tensor], heads: int, packing: Packing) -> Tensor:
    """The same in one call for texts of all lengths, as graphics processors like it; never yet run on one."""
    query, key, value = (
        torch.nested.nested_tensor_from_jagged(part.view(len(part), heads, -1), packing.bounds).transpose(1, 2)
        for part in projected
    )
    gathered = F.scaled_dot_product_attention(query, key, value)
    return gathered.transpose(1, 2).values().reshape(projected[0].shape)


def pooled(layer: AttentionLayer, states: Tensor, heads: int, packing: Packing, bias: Tensor | None) -> Tensor:
    """What the first token of each text gathers in a layer [B, H], without a product for any other token."""
    keys, values = (part.weight.view(heads, -1, states.shape[1]) for part in (layer.key, layer.value))
    queries = layer.query(states[packing.firsts]).view(-1, heads, keys.shape[1])
    looks = torch.einsum("bhe,hed->bhd", queries, keys) * keys.shape[1] ** -0.5
    means, sums = [], []
    for run, own in zip(packing.runs, packing.split(states), strict=True):
        below = own.view(run.count, run.length, -1)
        scores = looks[run.texts] @ below.transpose(1, 2)
        if bias is not None:
            scores = scores + bias[:, 0, : run.length]
        attention = layer.drop_looks(scores.softmax(dim=-1))
        means.append(attention @ below)
        sums.append(attention.sum(dim=-1, keepdim=True))  # 1 each, but for dropout
    gathered = torch.einsum("bhd,hed->bhe", torch.cat(means), values)
    if layer.value.bias is not None:
        gathered = gathered + torch.cat(sums) * layer.value.bias.view(heads, -1)
    return gathered.reshape(len(gathered), -1)


def fed(layer: AttentionLayer, gathered: Tensor, states: Tensor) -> Tensor:
    """The states behind a layer, from what its attention gathered."""
    states = layer.attended(layer.drop_mixed(layer.mix(gathered)).add_(states))
    return layer.fed(layer.drop_fed(layer.narrow(layer.bend(layer.widen(states)))).add_(states))


def pass_of(model: nn.Module) -> Answer:
    """The quickest way to a classifier's logits, with dropout off and without gradients: packed, or as it is itself.

    It is tried on a fixed probe. Where the two differ, or the layout is not known, the network is asked as it is.
    """

    def plain(tokens: Tokens) -> Tensor:
        logits: Tensor = model(tokens).logits
        return logits

    layout = layout_told(model) if isinstance(model, Classifier) else None
    if layout is None:
        return plain

    def quick(tokens: Tokens) -> Tensor:
        if model.autocast is not None or not bool(tokens.mask[:, 0].all()):
            return plain(tokens)
        return packed(layout, tokens if model.takes_segments else replace(tokens, segments=None))

    return quick if told_alike(model, plain, quick) else plain


def layout_told(model: Classifier) -> Layout | None:
    """The layout of a network; that of an encoder it is not known is said once."""
    layout, kind = layout_of(model), type(model.network).__name__
    in_one_piece = model.network.base_model is model.network  # it has no encoder
    if layout is None and not in_one_piece and kind.endswith("ForSequenceClassification"):
        say(kind, "its layout is not known")  # other kinds read every token, and have nothing to save
    return layout


def told_alike(model: Classifier, plain: Answer, other: Answer) -> bool:
    """Whether a classifier answers the probe as it does itself if it is asked another way; where not, that is said."""
    why = unlike(model, plain, other)
    if why:
        say(type(model.network).__name__, why)
    return not why


def unlike(model: Classifier, plain: Answer, other: Answer) -> str:
    """How another way of asking a classifier fails for the probe; empty where it answers as the classifier does."""
    tokens = probe(model)
    with still(model), torch.inference_mode():
        own = plain(tokens)
        try:
            off = float((own - other(tokens)).abs().max())
        except Exception as error:  # whatever a changed network or an untried device does, it answers as it is
            return f"it cannot be asked so here ({str(error)[:100]})"
    return f"its logits are {off:.1e} off then" if not off <= NEAR * max(1.0, float(own.abs().max())) else ""


def layout_of(classifier: Classifier) -> Layout | None:
    """The network taken apart, where it can be: known by its class, in single precision, of plain linear maps."""
    network = classifier.network
    known = LAYOUTS.get(type(network).__name__)
    if known is None or {weight.dtype for weight in network.parameters()} != {torch.float32}:
        return None
    try:
        layout = known(network)
    except AttributeError:  # somebody put modules of their own around its parts
        return None
    plain = all(type(part) is nn.Linear for layer in layout.layers for part in (layer.key, layer.value))
    return layout if layout.layers and plain and not getattr(network.config, "is_decoder", False) else None


def probe(classifier: Classifier) -> Tokens:
    """Tokens of a few texts that are the same for every network of this vocabulary."""
    network = classifier.network
    words, padding = classifier.table.shape[0], network.config.pad_token_id or 0
    lengths = torch.tensor(PROBE).clamp(max=positions(network))
    mask = torch.arange(int(lengths.max())) < lengths[:, None]
    ids = (torch.arange(mask.numel()).view(mask.shape) * 7919 + 11) % words
    kinds = int(getattr(network.config, "type_vocab_size", 1))
    segments = (torch.arange(mask.shape[1]) >= 5).long().expand_as(mask) * mask if kinds > 1 else None
    where = next(network.parameters()).device
    return Tokens(ids.masked_fill(~mask, padding), mask, segments).to(where)


@cache
def said() -> set[str]:
    """The networks of which it was said that they are asked with padding, by their kinds."""
    return set()


def say(kind: str, why: str) -> None:
    """Tell whoever watches that a kind of network is asked with padding, once."""
    if kind not in said():
        said().add(kind)
        Display("", 0).say(f"{kind} is asked with padding, which is slower than without: {why}")
