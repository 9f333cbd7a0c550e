"""Texts become probabilities, or plain logits, in batches of similar length."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from unfooled.models.encoders.classifier import still
from unfooled.models.encoders.pretrained import TextModel
from unfooled.tokens import by_length, encode
from unfooled.types import Texts


def probabilities(model: TextModel, texts: Sequence[str | Texts], batch_size: int = 64) -> np.ndarray:
    """The probability of each class for each text [N, C], in the order given."""
    return answers(model, texts, batch_size, lambda logits: logits.softmax(dim=-1))


def chances(model: TextModel, texts: Sequence[str | Texts], batch_size: int = 64) -> np.ndarray:
    """The probability of each label of a model of sets, each for itself, for each text [N, C]."""
    return answers(model, texts, batch_size, torch.sigmoid)


def numbers(model: TextModel, texts: Sequence[str | Texts], batch_size: int = 64) -> np.ndarray:
    """What a model of numbers says of each text [N]."""
    return answers(model, texts, batch_size, lambda logits: logits)[:, 0]


def answers(
    model: TextModel, texts: Sequence[str | Texts], batch_size: int, read: Callable[[Tensor], Tensor]
) -> np.ndarray:
    """What ``read`` makes of the logits of each text, in double precision [N, C]."""
    where = next(model.classifier.parameters()).device
    encoded = encode(model.tokenizer, texts, model.max_length)
    out = np.zeros((len(texts), len(model.labels)))
    with still(model.classifier), torch.inference_mode():
        for rows in by_length(encoded, batch_size):
            logits = model.classifier(encoded.pad(rows).to(where)).logits
            out[rows] = read(logits.float().cpu().double()).numpy()
    return out
