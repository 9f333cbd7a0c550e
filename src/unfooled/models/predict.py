"""Texts become probabilities, in batches of similar length."""

from collections.abc import Sequence

import numpy as np
import torch

from unfooled.models.classifier import still
from unfooled.models.pretrained import TextModel
from unfooled.tokens import Texts, by_length, encode


def probabilities(model: TextModel, texts: Sequence[str | Texts], batch_size: int = 64) -> np.ndarray:
    """The probability of each class for each text [N, C], in the order given."""
    where = next(model.classifier.parameters()).device
    encoded = encode(model.tokenizer, texts, model.max_length)
    out = np.zeros((len(texts), len(model.labels)))
    with still(model.classifier), torch.inference_mode():
        for rows in by_length(encoded, batch_size):
            logits = model.classifier(encoded.pad(rows).to(where)).logits
            out[rows] = logits.float().cpu().double().softmax(dim=-1).numpy()
    return out
