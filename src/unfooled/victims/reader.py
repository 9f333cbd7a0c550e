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

    def batch(self, texts: Sequence[Texts]) -> tuple[Encoded, np.ndarray]:
        """The tokens of these texts, each sequence once, and which of them each text has [n].

        Texts that differ may be read alike: in a word behind the last token that is read, in words that no tokenizer
        knows. They are answered once.
        """
        known = {text: self.waiting.pop(text) for text in dict.fromkeys(texts) if text in self.waiting}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            self.lengths(new)
            known |= {text: self.waiting.pop(text) for text in new}
        once: dict[tuple[bytes, bytes], tuple[int, np.ndarray, np.ndarray | None]] = {}
        which = [once.setdefault(bytes_of(*known[text]), (len(once), *known[text]))[0] for text in texts]
        segments = [segment for _, _, segment in once.values() if segment is not None]
        encoded = Encoded(
            ids=np.concatenate([ids for _, ids, _ in once.values()]),
            segments=np.concatenate(segments) if segments else None,
            offsets=np.concatenate([[0], np.cumsum([len(ids) for _, ids, _ in once.values()])]).astype(np.int64),
            padding=self.tokenizer.pad_token_id or 0,
        )
        return encoded, np.array(which)


def bytes_of(ids: np.ndarray, segments: np.ndarray | None) -> tuple[bytes, bytes]:
    """Tokens as what they are told apart by."""
    return ids.tobytes(), b"" if segments is None else segments.tobytes()
