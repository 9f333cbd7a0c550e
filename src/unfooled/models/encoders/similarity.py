"""How like two texts are: the cosine of their sentence vectors."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import torch

from unfooled.models.checks import check_padding
from unfooled.models.encoders.pretrained import positions, weights_hash
from unfooled.models.locate import locate
from unfooled.models.opening import network_of, opening, tokenizer_of
from unfooled.tokens import by_length, encode


class Similarity:
    """A sentence encoder: the mean of the last hidden states, of length 1.

    Texts are cut at ``max_length`` tokens or at what the encoder takes: of two texts that differ beyond it, it would
    say that they are the same. It remembers the vectors of the texts last asked for, at most ``remembered`` of them.
    """

    def __init__(
        self, name: str = "minilm", max_length: int = 512, batch_size: int = 64, remembered: int = 4096
    ) -> None:
        place = locate(name)
        with opening(place):
            self.tokenizer = tokenizer_of(place)
            self.network = network_of(place).train(False)
        check_padding(self.tokenizer, name)
        self.name, self.batch_size, self.remembered = name, batch_size, remembered
        self.max_length = min(max_length, positions(self.network))
        self.known: OrderedDict[str, np.ndarray] = OrderedDict()

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        """Unit rows [n, d], in the order of the texts."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        # Copies, because a row of an array keeps the whole array in memory as long as it is remembered.
        fresh = {text: row.copy() for text, row in zip(new, self.encoded(new), strict=True)}
        self.known |= fresh
        rows = [self.known[text] for text in texts]
        for text in texts:
            self.known.move_to_end(text)
        while len(self.known) > self.remembered:
            self.known.popitem(last=False)
        return np.stack(rows) if rows else np.zeros((0, int(self.network.config.hidden_size)), dtype=np.float32)

    def encoded(self, texts: Sequence[str]) -> np.ndarray:
        """Unit rows of texts that are not remembered, in batches of similar length."""
        out = np.zeros((len(texts), int(self.network.config.hidden_size)), dtype=np.float32)
        if not texts:
            return out
        tokens = encode(self.tokenizer, list(texts), self.max_length)
        with torch.inference_mode():
            for rows in by_length(tokens, self.batch_size):
                batch = tokens.pad(rows)
                mask = batch.mask[..., None].float()
                states = self.network(input_ids=batch.ids, attention_mask=batch.mask.long()).last_hidden_state
                means = (states * mask).sum(dim=1) / mask.sum(dim=1)
                out[rows] = torch.nn.functional.normalize(means, dim=-1).numpy()
        return out

    def __call__(self, reference: str, texts: Sequence[str]) -> np.ndarray:
        """The cosine of each text with the reference."""
        vectors = self.vectors([reference, *texts])
        return vectors[1:] @ vectors[0]

    def whole_words(self) -> list[str]:
        """The words of the encoder's vocabulary that are one token of three letters or more, in its order."""
        words = sorted(self.tokenizer.get_vocab().items(), key=lambda entry: entry[1])
        return [word for word, _ in words if word.isascii() and word.isalpha() and word.islower() and len(word) > 2]

    def fingerprint(self) -> str:
        """The SHA-256 of the weights, the vocabulary and the length."""
        words = sorted(self.tokenizer.get_vocab().items())
        return hashlib.sha256(f"{weights_hash(self.network)}{words}{self.max_length}".encode()).hexdigest()
