"""Translations of texts, greedy or by beam search."""

from collections.abc import Collection, Iterator, Sequence

import torch
from pydantic import Field
from torch import Tensor

from unfooled.errors import BadInput
from unfooled.models.encoders.classifier import still
from unfooled.models.sequences.sequence_model import SequenceModel
from unfooled.models.sequences.translator import Translator
from unfooled.settings import Settings
from unfooled.types import Tokens


class BeamSearch(Settings):
    """How a translation is looked for: so many beams (1 is greedy), and how length is rewarded."""

    beams: int = Field(4, ge=1)
    length_penalty: float = 0.6
    batch_size: int = Field(64, ge=1)


def translate(model: SequenceModel, texts: Sequence[str], search: BeamSearch | None = None) -> list[str]:
    """The translations of texts, in their order; batches are of similar length."""
    every = [""] * len(texts)
    for rows, written in batches(model, texts, search or BeamSearch()):
        for row, text in zip(rows, written, strict=True):
            every[row] = text
    return every


def batches(
    model: SequenceModel, texts: Sequence[str], search: BeamSearch, done: Collection[int] = ()
) -> Iterator[tuple[list[int], list[str]]]:
    """The rows of each batch with their translations, longest texts first; batches that are done are left out."""
    encoded = [checked(model, text) for text in texts]
    for rows in by_tokens(encoded, search.batch_size):
        if any(row not in done for row in rows):
            yield rows, decoded(model, padded([encoded[row] for row in rows], model), search)


def by_tokens(encoded: Sequence[Sequence[int]], batch_size: int) -> list[list[int]]:
    """The rows of batches of similar length, longest first.

    >>> by_tokens([[5], [5, 6, 7], [5, 6]], 2)
    [[1, 2], [0]]
    """
    order = sorted(range(len(encoded)), key=lambda number: -len(encoded[number]))
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


def streamed(model: SequenceModel, texts: Iterator[str], search: BeamSearch | None = None) -> Iterator[str]:
    """Translations as texts come in, a batch at a time; an empty line stays one."""
    how = search or BeamSearch()
    some: list[str] = []
    for text in texts:
        some.append(text)
        if len(some) == how.batch_size:
            yield from translated_lines(model, some, how)
            some = []
    yield from translated_lines(model, some, how)


def translated_lines(model: SequenceModel, texts: Sequence[str], search: BeamSearch) -> list[str]:
    """Translations of lines, of which some may be empty."""
    full = [text for text in texts if text.strip()]
    written = iter(translate(model, full, search))
    return [next(written) if text.strip() else "" for text in texts]


def checked(model: SequenceModel, text: str) -> list[int]:
    """The tokens of a source text, if the model takes so many."""
    ids = model.tokenizer(text, verbose=False)["input_ids"]
    if len(ids) > model.max_length:
        raise BadInput(
            f"the text beginning {text[:40]!r} has {len(ids)} tokens, more than the {model.max_length} that the model "
            "takes; split it into sentences"
        )
    return list(ids)


def padded(rows: Sequence[Sequence[int]], model: SequenceModel) -> Tokens:
    """Source texts as one rectangle."""
    width, padding = max(len(row) for row in rows), model.tokenizer.pad_token_id or 0
    ids = torch.tensor([[*row, *[padding] * (width - len(row))] for row in rows])
    lengths = torch.tensor([len(row) for row in rows])
    where = next(model.model.parameters()).device
    return Tokens(ids, torch.arange(width) < lengths[:, None]).to(where)


def decoded(model: SequenceModel, tokens: Tokens, search: BeamSearch, delta: Tensor | None = None) -> list[str]:
    """What the model writes for one batch, its source vectors moved by ``delta``."""
    translator = model.model
    assert isinstance(translator, Translator)
    with still(translator), torch.no_grad():
        written = translator.network.generate(
            encoder_outputs=translator.encoded(tokens, delta),
            attention_mask=tokens.mask.long(),
            num_beams=search.beams,
            length_penalty=search.length_penalty if search.beams > 1 else None,
            early_stopping=search.beams > 1,
            do_sample=False,
            max_length=model.max_length,
        )
    return [text.strip() for text in model.target.batch_decode(written, skip_special_tokens=True)]
