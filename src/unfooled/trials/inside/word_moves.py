"""One word of a text moved by the gradient of a model's own loss (ATCL's tables 2 to 4): tensors."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.models.encoders.classifier import still
from unfooled.models.sequences.language_model import LanguageModel
from unfooled.models.sequences.sequence_model import SequenceModel
from unfooled.models.sequences.surprise import token_losses
from unfooled.models.sequences.translate import BeamSearch, checked, decoded, padded
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


def continued(
    model: SequenceModel, text: str, words: Callable[[np.ndarray], np.ndarray], radius: float, count: int = 3
) -> tuple[str, str, str, str, tuple[float, ...]] | None:
    """Perturb the last complete word of a text that is not its end, and go on greedily from there.

    ``words`` marks complete words among ids. None where the text has no such word. Only as much of the text is read as
    the model takes. The text up to the word, the word, what is written without and with the move, and -log p of what
    is written behind the moved word, read without it.
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
    word = str(model.tokenizer.decode([int(given[-1])])).strip()
    return decode(given), word, decode(clean), decode(written), losses


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


def translated_both(model: SequenceModel, source: str, target: str, word: str, radius: float, beams: int) -> list[str]:
    """The translation of a source, and that with one word perturbed by the gradient of the reference's loss.

    A word of several tokens is perturbed in its first.
    """
    search = BeamSearch(beams=beams)
    tokens = padded([checked(model, source)], model)
    delta = one_word(source_gradient(model, tokens, target), torch.tensor([place_of(model, source, word)]), radius)
    return [decoded(model, tokens, search)[0], decoded(model, tokens, search, delta)[0]]


def place_of(model: SequenceModel, source: str, word: str) -> int:
    """The first token of a word in a source text."""
    start = source.find(word)
    place = model.tokenizer(source, verbose=False).char_to_token(start) if word and start >= 0 else None
    if place is None:
        raise BadInput(f"the source has no word {word!r}; choose one that stands in it")
    return int(place)


def source_gradient(model: SequenceModel, tokens: Tokens, target: str) -> Tensor:
    """The gradient of the reference's loss with respect to the source's looked-up vectors [1, T, d]."""
    asked = torch.tensor([model.target(target, verbose=False)["input_ids"]], device=tokens.ids.device)
    start = asked.new_full((1, 1), model.model.network.config.decoder_start_token_id)
    taught = Tokens(tokens.ids, tokens.mask, decoder=torch.cat([start, asked[:, :-1]], dim=1))
    delta = torch.zeros(*tokens.ids.shape, model.model.width, device=tokens.ids.device, requires_grad=True)
    with still(model.model), torch.enable_grad():
        logits = model.model(taught, delta).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1).float(), asked.flatten(), reduction="sum")
    return torch.autograd.grad(loss, delta)[0]
