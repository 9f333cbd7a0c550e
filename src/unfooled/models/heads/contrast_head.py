"""The head that a contrast sees through; it is not saved with the model."""

import torch
from torch import Tensor, nn

from unfooled.seeds import generator


def contrast_head(width: int) -> nn.Sequential:
    """Width → width, ReLU, width → width: h = MLP(v).

    >>> contrast_head(4)(torch.zeros(3, 4)).shape
    torch.Size([3, 4])
    """
    return nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width))


def view_dropout(features: Tensor, key: tuple[int, int], index: Tensor, probability: float) -> Tensor:
    """Dropout before the head, for V views of B examples in rows [V·B, H], view by view.

    The mask is a function of ``key`` (seed, epoch), example and view: two views of one example always differ, and
    the same whatever the batch or the process it comes to.
    """
    if probability == 0 or not len(index):
        return features
    views, width = len(features) // len(index), features.shape[1]
    masks = [
        torch.rand(views, width, generator=generator(*key, example, "contrast head")) >= probability
        for example in index.tolist()
    ]
    kept = torch.stack(masks, dim=1).flatten(0, 1)  # [V, B, H] → rows view by view
    return features * kept.to(features) / (1 - probability)
