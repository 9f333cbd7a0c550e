"""Texts become logits or probabilities, in batches of similar length, perhaps shared out over processes."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
import torch
from torch import Tensor

from unfooled.models.encoders.classifier import still
from unfooled.models.encoders.packed import pass_of
from unfooled.models.encoders.pretrained import TextModel
from unfooled.tokens import Encoded, by_length, encode
from unfooled.types import Texts


class Sharing(Protocol):
    """This process among those that answer together."""

    @property
    def rank(self) -> int:
        """The number of this process."""

    @property
    def count(self) -> int:
        """How many there are."""

    def add_up(self, values: Tensor) -> Tensor:
        """The sum of a tensor over all processes."""


class Alone:
    """One process that answers by itself."""

    rank, count = 0, 1

    def add_up(self, values: Tensor) -> Tensor:
        """The values as they are."""
        return values


def answers(
    model: TextModel,
    encoded: Encoded,
    batch_size: int = 64,
    sharing: Sharing | None = None,
    read: Callable[[Tensor, Sequence[int]], Tensor] = lambda logits, rows: logits,
    width: int | None = None,
) -> Tensor:
    """What ``read`` makes of the logits of each text, in double precision [N, width], dropout off."""
    where, sharing = next(model.classifier.parameters()).device, sharing or Alone()
    logits_of = pass_of(model.classifier)
    out = torch.zeros(len(encoded), len(model.labels) if width is None else width, dtype=torch.float64)
    with still(model.classifier), torch.no_grad():
        for turn, rows in enumerate(by_length(encoded, batch_size)):
            if turn % sharing.count == sharing.rank:
                logits = logits_of(encoded.pad(rows).to(where))
                out[torch.from_numpy(rows)] = read(logits.float().cpu().double(), rows.tolist())
    return sharing.add_up(out.to(where)).cpu()


def probabilities(model: TextModel, texts: Sequence[str | Texts], batch_size: int = 64) -> np.ndarray:
    """The probability of each class for each text [N, C], in the order given."""
    encoded = encode(model.tokenizer, texts, model.max_length)
    return answers(model, encoded, batch_size, read=lambda logits, rows: logits.softmax(dim=-1)).numpy()
