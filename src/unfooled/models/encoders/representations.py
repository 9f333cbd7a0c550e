"""What an encoder makes of texts, layer by layer, and how alike two texts are to it.

States of a layer are [B, T, H]; layer 0 is the embedding's output, the last is the encoder's. Sentences are compared
by the cosine of their first token's states ("cls"), of the mean of all their tokens' ("mean"), or token by token
("bertscore").
"""

import inspect
from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from unfooled.errors import BadInput
from unfooled.models.encoders.classifier import added, still
from unfooled.models.encoders.lora import unwrapped
from unfooled.models.encoders.masked import inputs
from unfooled.tokens import encode
from unfooled.types import Tokens

POOLINGS = ("cls", "mean", "bertscore")


def has_layers(network: Any) -> bool:
    """Whether a network has an encoder of layers that can be looked into."""
    known = inspect.signature(unwrapped(network).base_model.forward).parameters
    return "output_hidden_states" in known or any(one.kind is one.VAR_KEYWORD for one in known.values())


def layers(network: Any, tokens: Tokens, delta: Tensor | None = None) -> tuple[Tensor, ...]:
    """The states of every layer of a Hugging Face model's encoder, in single precision.

    ``delta`` [B, T, d] is added to the looked-up token vectors.
    """
    encoder: nn.Module = unwrapped(network).base_model
    if not has_layers(network):
        raise BadInput(f"{type(network).__name__} has no layers of token states; leave this trial out for it")
    with added(network.get_input_embeddings(), delta):
        hidden = encoder(**inputs(encoder, tokens), output_hidden_states=True).hidden_states
    if hidden is None:
        raise BadInput(f"{type(network).__name__} does not give its layers' states; leave this trial out for it")
    return tuple(states.float() for states in hidden)


def content(tokens: Tokens, special: Sequence[int]) -> Tensor:
    """Which tokens are words [B, T]: neither padding nor special ([CLS], [SEP], …)."""
    return tokens.mask & ~torch.isin(tokens.ids, torch.tensor(list(special), device=tokens.ids.device))


def pooled(states: Tensor, mask: Tensor, pooling: str) -> Tensor:
    """One vector a text [B, H]: its first token's state, or the mean over its real tokens."""
    if pooling == "cls":
        return states[:, 0]
    weights = mask[..., None].to(states.dtype)
    return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)


def bert_score(one: Tensor, one_words: Tensor, other: Tensor, other_words: Tensor) -> Tensor:
    """BERTScore's F1 [B] of two batches of texts (Zhang et al., ICLR 2020), every word of the same weight.

    Recall is the mean over a text's words of the highest cosine with a word of the other text, precision the same the
    other way round; a text without words is like nothing: 0. As in its release, special tokens do not count.
    """
    cosines = F.normalize(one, dim=-1) @ F.normalize(other, dim=-1).transpose(1, 2)  # [B, T, U]
    met = one_words[:, :, None] & other_words[:, None, :]
    cosines = cosines.masked_fill(~met, -torch.inf)
    recall = mean_over(cosines.amax(dim=2), one_words)
    precision = mean_over(cosines.amax(dim=1), other_words)
    whole = precision + recall
    some = one_words.any(dim=1) & other_words.any(dim=1) & (whole.abs() > 1e-12)
    return torch.where(some, 2 * precision * recall / torch.where(some, whole, 1.0), 0.0)


def mean_over(values: Tensor, chosen: Tensor) -> Tensor:
    """The mean [B] of the chosen entries of each row; 0 where none is."""
    total = torch.where(chosen & torch.isfinite(values), values, 0.0).sum(dim=1)
    return total / chosen.sum(dim=1).clamp(min=1)


def alikeness(pooling: str, states: Tensor, mask: Tensor, words: Tensor, one: Tensor, other: Tensor) -> Tensor:
    """How alike texts are, row ``one[i]`` and row ``other[i]`` of a batch, in double precision [n]."""
    if pooling == "bertscore":
        fine = states.double()
        return bert_score(fine[one], words[one], fine[other], words[other])
    vectors = pooled(states.double(), mask, pooling)
    return F.cosine_similarity(vectors[one], vectors[other], dim=-1)


def triple_likeness(
    network: Any, tokenizer: Any, triples: Sequence[tuple[str, str, str]], max_length: int
) -> list[Any]:
    """Of each triple, by each comparison, how alike its first text is to the second and to the third, in every layer.

    Every text of the batch is read once: equal texts are equally near. [triples][comparisons][layers][2]
    """
    where = next(network.parameters()).device
    texts = [text for triple in triples for text in triple]
    rows = {text: row for row, text in enumerate(dict.fromkeys(texts))}
    tokens = encode(tokenizer, list(rows), max_length).pad(range(len(rows))).to(where)
    index = torch.tensor([rows[text] for text in texts], device=where).view(-1, 3)
    words = content(tokens, tokenizer.all_special_ids)
    compared = []
    with still(network), torch.inference_mode():
        states = layers(network, tokens)[1:]
        for pooling in POOLINGS:
            sides = [
                torch.stack(
                    [alikeness(pooling, layer, tokens.mask, words, index[:, 0], index[:, side]) for layer in states]
                )
                for side in (1, 2)
            ]
            compared.append(torch.stack(sides, dim=-1).transpose(0, 1).tolist())  # [triples, layers, 2]
    return list(zip(*compared, strict=True))
