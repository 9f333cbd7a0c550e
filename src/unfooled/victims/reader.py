"""Texts become tokens when their length is asked, and wait for the batch they are answered in."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from unfooled.tokens import Encoded, encode
from unfooled.types import Texts

REMEMBERED = 50_000  # texts whose tokens wait for their batch


class TextReader:
    """Tokenises texts when their length is asked, and keeps the tokens until the texts come in a batch."""

    def __init__(self, tokenizer: Any, max_length: int) -> None:
        self.tokenizer, self.max_length = tokenizer, max_length
        self.unknown: str | None = tokenizer.unk_token or tokenizer.mask_token
        self.waiting: dict[Texts, tuple[np.ndarray, np.ndarray | None]] = {}

    def lengths(self, texts: Sequence[Texts]) -> list[int]:
        """Tokens per text."""
        if len(self.waiting) > REMEMBERED:
            self.waiting.clear()
        encoded = encode(self.tokenizer, list(texts), self.max_length)
        for place, text in enumerate(texts):
            span = slice(encoded.offsets[place], encoded.offsets[place + 1])
            self.waiting[text] = (encoded.ids[span], None if encoded.segments is None else encoded.segments[span])
        return encoded.lengths.tolist()

    def batch(self, texts: Sequence[Texts]) -> Encoded:
        """The tokens of these texts, read now where that was not done before."""
        known = {text: self.waiting.pop(text) for text in dict.fromkeys(texts) if text in self.waiting}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            self.lengths(new)
            known |= {text: self.waiting.pop(text) for text in new}
        rows = [known[text] for text in texts]
        segments = [segment for _, segment in rows if segment is not None]
        return Encoded(
            ids=np.concatenate([ids for ids, _ in rows]),
            segments=np.concatenate(segments) if segments else None,
            offsets=np.concatenate([[0], np.cumsum([len(ids) for ids, _ in rows])]).astype(np.int64),
            padding=self.tokenizer.pad_token_id or 0,
        )
