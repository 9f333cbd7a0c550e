"""What a language model makes of one perturbed word: its perplexity, its nearest words, its continuations.

After ATCL's tables 2 to 4. A word is perturbed by a step of length ``radius`` up the gradient of the model's own loss.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.evaluation.metrics import Score
from unfooled.evaluation.perplexity import bounded_exp, token_losses
from unfooled.models.encoders.classifier import still
from unfooled.models.sequences.language_model import LanguageModel
from unfooled.models.sequences.sequence_model import SequenceModel
from unfooled.perturb.one_word import drawn_places, one_word
from unfooled.types import NO_LABEL, Batch, Tokens


def word_mover(model: Any, radius: float) -> Callable[[Batch], Tensor]:
    """What moves one complete word of each sequence, drawn by the batch's key, by the model's own gradient."""

    def moved(batch: Batch) -> Tensor:
        places = drawn_places(batch.targets["words"], batch.key, batch.index)
        delta = torch.zeros(*batch.tokens.mask.shape, model.width, device=batch.tokens.ids.device, requires_grad=True)
        losses = token_losses(model(batch.tokens, delta), batch.label)
        return one_word(torch.autograd.grad(losses.sum(), delta)[0], places, radius)

    return moved


@dataclass(frozen=True)
class Neighbour:
    """A word and how far its vector is."""

    word: str
    distance: float


def neighbours(model: SequenceModel, words: Sequence[str], count: int = 4) -> dict[str, list[Neighbour]]:
    """The words whose looked-up vectors are nearest, by Euclidean distance, of those that are one token."""
    table = model.model.network.get_input_embeddings().weight.detach().float()
    tokenizer, found = model.tokenizer, {}
    special = torch.tensor(sorted(set(tokenizer.all_special_ids)))
    for word in words:
        number = token_of(model, word)
        distances = (table - table[number]).norm(dim=1)
        distances[special] = math.inf
        distances[number] = math.inf
        nearest = distances.topk(min(count, len(table) - 1), largest=False)
        pairs = zip(nearest.indices.tolist(), nearest.values.tolist(), strict=True)
        found[word] = [Neighbour(readable(tokenizer, token), distance) for token, distance in pairs]
    return found


def token_of(model: SequenceModel, word: str) -> int:
    """The number of a word that is one token."""
    ids = model.tokenizer(word, add_special_tokens=False)["input_ids"]
    if len(ids) != 1 or ids[0] == model.tokenizer.unk_token_id:
        raise BadInput(f"{word!r} is no single token of the vocabulary of {model.name}; choose another word")
    return int(ids[0])


def readable(tokenizer: Any, token: int) -> str:
    """A token as text."""
    return str(tokenizer.decode([token])).strip()


@dataclass(frozen=True)
class Continuation:
    """A text up to its perturbed word, what the model goes on with, and how surprised it is by that itself."""

    text: str
    word: str
    clean: str
    perturbed: str
    losses: tuple[float, ...]  # -log p of the words written after the perturbation, read without it


def continuation(
    model: SequenceModel, text: str, words: Callable[[np.ndarray], np.ndarray], radius: float, count: int = 3
) -> Continuation | None:
    """Perturb the last complete word of a text that is not its end, and go on greedily from there.

    ``words`` marks complete words among ids. None where the text has no such word. Only as much of the text is
    read as the model takes.
    """
    ids = np.asarray(model.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"], dtype=np.int64)
    if len(ids) and (ids == model.tokenizer.unk_token_id).all():
        raise BadInput(f"every word of {text[:60]!r} is unknown to {model.name}; give a text in its words")
    candidates = np.flatnonzero(words(ids)[:-1])
    if not len(candidates):
        return None
    place = int(candidates[-1])
    language_model, room = model.model, model.max_length - count
    assert isinstance(language_model, LanguageModel)
    start = max(place + 1 - room, 0)
    given = torch.from_numpy(ids[start : place + 1])
    with still(language_model):
        gradient = gradient_at(language_model, ids[start : start + model.max_length])[:, : len(given)]
        delta = one_word(gradient, torch.tensor([len(given) - 1]), radius)
        clean = greedy(language_model, given, None, count, model.ending)
        written = greedy(language_model, given, delta, count, model.ending)
        losses = rated(language_model, given, written)
    decode = model.tokenizer.decode
    return Continuation(
        decode(given), readable(model.tokenizer, int(given[-1])), decode(clean), decode(written), losses
    )


def gradient_at(model: LanguageModel, ids: np.ndarray) -> Tensor:
    """The gradient of a text's loss with respect to its looked-up vectors [1, t, d]."""
    read = torch.from_numpy(ids)[None]
    delta = torch.zeros(1, read.shape[1], model.width, requires_grad=True)
    label = torch.cat([read[:, 1:], torch.full((1, 1), NO_LABEL)], dim=1)
    losses = token_losses(model(whole(read), delta), label)
    return torch.autograd.grad(losses.sum(), delta)[0]


def whole(ids: Tensor) -> Tokens:
    """Tokens without padding."""
    return Tokens(ids, torch.ones_like(ids, dtype=torch.bool))


def greedy(model: LanguageModel, given: Tensor, delta: Tensor | None, count: int, ending: int) -> Tensor:
    """The likeliest next tokens, one after the other, the given ones moved by ``delta``; at most so many."""
    ids = given[None]
    for _ in range(count):
        grown = None
        if delta is not None:
            grown = torch.zeros(1, ids.shape[1], delta.shape[2])
            grown[:, : delta.shape[1]] = delta
        with torch.no_grad():
            output = model(whole(ids), grown)
            scores = output.logits[:, -1] if output.rated is None else model.network.lm_head(output.states[:, -1])
        following = scores.argmax(dim=-1)
        if int(following) == ending and ids.shape[1] > len(given):
            break
        ids = torch.cat([ids, following[:, None]], dim=1)
    return ids[0, len(given) :]


def rated(model: LanguageModel, given: Tensor, written: Tensor) -> tuple[float, ...]:
    """-log p of the written tokens behind the given ones, nothing perturbed."""
    ids = torch.cat([given, written])[None]
    label = torch.full_like(ids, NO_LABEL)
    label[0, len(given) - 1 : -1] = written
    with torch.no_grad():
        return tuple(token_losses(model(whole(ids)), label)[0, len(given) - 1 : -1].tolist())


def continued_perplexity(found: Sequence[Continuation]) -> Score:
    """exp of the mean -log p over all words written behind perturbed ones, with its interval over texts."""
    sums = np.array([sum(each.losses) for each in found])
    words = sum(len(each.losses) for each in found)
    if not words:
        raise BadInput("no text has a complete word to perturb before its end; give longer texts")
    spread = 1.96 * math.sqrt(len(sums) * float(sums.var(ddof=1)) if len(sums) > 1 else 0.0) / words
    mean = float(sums.sum()) / words
    definition = "exp of the mean -log p of the words a model writes behind a perturbed one, as it rates them itself"
    return Score(bounded_exp(mean), bounded_exp(mean - spread), bounded_exp(mean + spread), words, definition)
