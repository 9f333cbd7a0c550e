"""Texts that a network reads as a whole, cut at its longest input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unfooled.types import Texts

if TYPE_CHECKING:
    from unfooled.models.encoders.pretrained import TextModel
    from unfooled.tokens import Encoded


def encoded(model: TextModel, texts: Sequence[Texts]) -> Encoded:
    """The tokens of texts or pairs."""
    from unfooled.tokens import encode

    return encode(model.tokenizer, texts, model.max_length)


def cut_note(tokens: Encoded, model: TextModel) -> tuple[str, ...]:
    """A note where texts are cut at the model's longest input."""
    cut = int((tokens.lengths >= model.max_length).sum())
    note = f"{cut:,} of {len(tokens):,} train texts reach {model.max_length} tokens and are cut there"
    return (note,) if cut else ()
