"""Texts that fool a model, read off a trained reconstructor (Qiu, Zhang and Zhou, 2021, Table 6).

The texts are attacked in embedding space; at every ordinary token the word that the reconstructor finds most likely
takes the token's place; the result is written out as text and kept where a victim, right on the original, is wrong on
it. Paper says / we do: it leaves k, the radius and the detokenising open; the ascent is the caller's, and the tokenizer
decodes. A special token is never put in. A text the reconstructor gives back as it was is no adversary.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.models import TextModel, probabilities, still
from unfooled.models.reconstructor import Reconstructor
from unfooled.perturb import Ascent, worst_case
from unfooled.tokens import by_length, encode
from unfooled.types import Tokens

PREFIX = "reconstructor."


@dataclass(frozen=True)
class Adversary:
    """A text, what it became, its label, and what the victim says of either."""

    index: int
    label: int
    original: str
    adversary: str
    predicted: int
    predicted_adversary: int


def reconstructor_of(model: TextModel, stored: Mapping[str, Tensor]) -> Reconstructor:
    """The trained head among an objective's stored tensors (a checkpoint's), tied to the model's embeddings."""
    tensors = {name.removeprefix(PREFIX): tensor for name, tensor in stored.items() if name.startswith(PREFIX)}
    if not tensors:
        raise BadInput("the run has no reconstructor; train one with --method rar")
    network = model.classifier.network
    head = Reconstructor(network.get_input_embeddings(), network.config.hidden_size)
    try:
        head.load_state_dict(tensors)
    except RuntimeError:
        raise BadInput("the reconstructor belongs to another model; give the model of the same run") from None
    return head.to(next(model.classifier.parameters()).device)


def from_reconstruction(
    model: TextModel,
    head: Reconstructor,
    victim: TextModel,
    texts: Sequence[str],
    labels: Sequence[int],
    ascent: Ascent,
    seed: int = 0,
    batch_size: int = 32,
) -> Iterator[Adversary]:
    """The adversaries of these texts that the victim falls for; texts longer than the model reads are cut."""
    if victim.labels != model.labels:
        raise BadInput(f"the victim's labels {list(victim.labels)} are not the model's {list(model.labels)}")
    where = next(model.classifier.parameters()).device
    encoded = encode(model.tokenizer, texts, model.max_length)
    for rows in by_length(encoded, batch_size):
        tokens, gold = encoded.pad(rows).to(where), torch.tensor([labels[row] for row in rows], device=where)
        delta = attack(model, tokens, gold, ascent, (seed, 0), torch.tensor(rows))
        written = rewritten(model, head, tokens, delta)
        before = [texts[row] for row in rows]
        says, says_now = (probabilities(victim, said).argmax(axis=1).tolist() for said in (before, written))
        changed = [new != old for new, old in zip(written, decoded(model, tokens.ids, tokens.mask), strict=True)]
        for fact in zip(rows.tolist(), gold.tolist(), before, written, says, says_now, changed, strict=True):
            if fact[-1] and fact[4] == fact[1] != fact[5]:
                yield Adversary(*fact[:-1])


def attack(
    model: TextModel, tokens: Tokens, gold: Tensor, ascent: Ascent, key: tuple[int, int], index: Tensor
) -> Tensor:
    """The worst perturbation [B, T, d] the ascent finds for the task loss, dropout off."""

    def task(moved: Tensor) -> Tensor:
        return F.cross_entropy(model.classifier(tokens, moved).logits, gold, reduction="sum")

    with still(model.classifier):
        start = ascent.begin(tokens.mask, model.classifier.width, key, index)
        return worst_case(ascent, start, tokens.mask, task)


def rewritten(model: TextModel, head: Reconstructor, tokens: Tokens, delta: Tensor) -> list[str]:
    """Each text with its ordinary tokens replaced by the likeliest words, at E + delta."""
    special = torch.tensor(model.tokenizer.all_special_ids, device=tokens.ids.device)
    words = len(model.tokenizer)  # tables may have rows to spare
    ordinary = tokens.mask & ~torch.isin(tokens.ids, special)
    with still(model.classifier), torch.no_grad():
        states = model.classifier(tokens, delta, states=True).states
        found = [
            head.logits(piece)[:, :words].index_fill(1, special, -torch.inf).argmax(dim=1)
            for piece in states[ordinary].split(256)
        ]
    ids = tokens.ids.clone()
    ids[ordinary] = torch.cat(found)
    return decoded(model, ids, tokens.mask)


def decoded(model: TextModel, ids: Tensor, mask: Tensor) -> list[str]:
    """The texts of padded ids, without special tokens."""
    rows = [row[real].tolist() for row, real in zip(ids, mask, strict=True)]
    return [str(model.tokenizer.decode(row, skip_special_tokens=True)) for row in rows]
