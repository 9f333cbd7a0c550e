"""Encoders taken apart: where the parts are that a packed pass goes through, one line of the table for each network.

All of them are layers of self-attention and two linear maps, each followed by a sum and a LayerNorm, and all read the
state of the first token. What differs is what the parts are called, how positions are counted and what is made of that
state. The modules are the network's own: nothing is copied, so nothing can be out of date.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class AttentionLayer:
    """One layer by its parts, in the order in which they are gone through."""

    query: nn.Linear
    key: nn.Linear
    value: nn.Linear
    drop_looks: nn.Dropout  # of the attention, while training
    mix: nn.Linear  # of what the heads say
    drop_mixed: nn.Module
    attended: nn.LayerNorm
    widen: nn.Linear
    bend: Callable[[Tensor], Tensor]
    narrow: nn.Linear
    drop_fed: nn.Module
    fed: nn.LayerNorm


@dataclass(frozen=True)
class Layout:
    """An encoder with its classification head, taken apart."""

    heads: int
    layers: tuple[AttentionLayer, ...]
    embed: Callable[[Tensor, Tensor, Tensor | None], Tensor]  # ids, positions, segments [n] of tokens → states [n, H]
    positions: Callable[[Tensor], Tensor]  # of padded ids [B, T]
    answer: Callable[[Tensor], Tensor]  # states of first tokens [B, H] → logits [B, C]
    bias: Callable[[int], Tensor] | None = None  # of a length: what is added to its attention scores [heads, T, T]


def bert(network: Any) -> Layout:
    """BERT: a pooler reads the first token."""
    return Layout(
        heads=network.config.num_attention_heads,
        layers=tuple(map(bert_layer, network.bert.encoder.layer)),
        embed=embedding(network.bert),
        positions=columns,
        answer=lambda first: network.classifier(network.dropout(network.bert.pooler(first[:, None]))),
    )


def roberta(network: Any) -> Layout:
    """RoBERTa: positions are counted from the padding id onwards, and over no padding token."""
    padding = network.roberta.embeddings.padding_idx
    return Layout(
        heads=network.config.num_attention_heads,
        layers=tuple(map(bert_layer, network.roberta.encoder.layer)),
        embed=embedding(network.roberta),
        positions=lambda ids: counted(ids, padding),
        answer=lambda first: network.classifier(first[:, None]),
    )


def electra(network: Any) -> Layout:
    """ELECTRA: vectors of tokens may be narrower than states."""
    return Layout(
        heads=network.config.num_attention_heads,
        layers=tuple(map(bert_layer, network.electra.encoder.layer)),
        embed=embedding(network.electra, getattr(network.electra, "embeddings_project", None)),
        positions=columns,
        answer=lambda first: network.classifier(first[:, None]),
    )


def mpnet(network: Any) -> Layout:
    """MPNet: attention scores are moved by how far apart two tokens are, alike in every layer."""
    encoder, padding = network.mpnet.encoder, network.mpnet.embeddings.padding_idx
    table = encoder.relative_attention_bias.weight
    return Layout(
        heads=network.config.num_attention_heads,
        layers=tuple(map(mpnet_layer, encoder.layer)),
        embed=embedding(network.mpnet, segments=False),
        positions=lambda ids: counted(ids, padding),
        answer=lambda first: network.classifier(first[:, None]),
        bias=lambda length: encoder.compute_position_bias(torch.empty(1, length, device=table.device))[0],
    )


def distilbert(network: Any) -> Layout:
    """DistilBERT: no segments, and a layer of its own before the last."""
    return Layout(
        heads=network.config.n_heads,
        layers=tuple(map(distilbert_layer, network.distilbert.transformer.layer)),
        embed=embedding(network.distilbert, segments=False),
        positions=columns,
        answer=lambda first: network.classifier(network.dropout(torch.relu(network.pre_classifier(first)))),
    )


def bert_layer(layer: Any) -> AttentionLayer:
    """The parts of a layer of BERT, RoBERTa or ELECTRA."""
    own, after = layer.attention.self, layer.attention.output
    attending = own.query, own.key, own.value, own.dropout, after.dense, after.dropout, after.LayerNorm
    return AttentionLayer(*attending, *feed_forward(layer))


def mpnet_layer(layer: Any) -> AttentionLayer:
    """The parts of a layer of MPNet."""
    own, after = layer.attention.attn, layer.attention
    attending = own.q, own.k, own.v, own.dropout, own.o, after.dropout, after.LayerNorm
    return AttentionLayer(*attending, *feed_forward(layer))


def distilbert_layer(layer: Any) -> AttentionLayer:
    """The parts of a layer of DistilBERT."""
    own, fed = layer.attention, layer.ffn
    attending = own.q_lin, own.k_lin, own.v_lin, own.dropout, own.out_lin, nn.Identity(), layer.sa_layer_norm
    return AttentionLayer(*attending, fed.lin1, fed.activation, fed.lin2, fed.dropout, layer.output_layer_norm)


def feed_forward(layer: Any) -> tuple[Any, ...]:
    """What BERT and its kin do behind their attention."""
    wide, narrow = layer.intermediate, layer.output
    return wide.dense, wide.intermediate_act_fn, narrow.dense, narrow.dropout, narrow.LayerNorm


def embedding(
    encoder: Any, widened: Callable[[Tensor], Tensor] | None = None, segments: bool = True
) -> Callable[[Tensor, Tensor, Tensor | None], Tensor]:
    """What an encoder makes of tokens before its first layer, for tokens that stand in no text."""

    def embed(ids: Tensor, positions: Tensor, own: Tensor | None) -> Tensor:
        known = {"token_type_ids": own[None]} if segments and own is not None else {}
        states = encoder.embeddings(input_ids=ids[None], position_ids=positions[None], **known)[0]
        return states if widened is None else widened(states)

    return embed


def columns(ids: Tensor) -> Tensor:
    """Positions that count columns [B, T]."""
    return torch.arange(ids.shape[1], device=ids.device).expand_as(ids)


def counted(ids: Tensor, padding: int) -> Tensor:
    """Positions that count tokens other than padding, of which the first has the one behind the padding id.

    >>> counted(torch.tensor([[5, 6, 1, 7]]), 1).tolist()
    [[2, 3, 1, 4]]
    """
    real = ids.ne(padding).long()
    return real.cumsum(dim=1) * real + padding


LAYOUTS: Mapping[str, Callable[[Any], Layout]] = {
    "BertForSequenceClassification": bert,
    "RobertaForSequenceClassification": roberta,
    "XLMRobertaForSequenceClassification": roberta,
    "ElectraForSequenceClassification": electra,
    "MPNetForSequenceClassification": mpnet,
    "DistilBertForSequenceClassification": distilbert,
}
