"""The confusion of an evaluation, counted on the way to whatever metrics a trainer computes."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from unfooled.types import Evaluation


class CountedMetrics:
    """Somebody's ``compute_metrics``, or none, that also counts which class was said of which, over all it is given."""

    def __init__(self, own: Callable[..., Mapping[str, float]] | None, classes: int) -> None:
        self.own, self.counts = own, np.zeros((classes, classes), dtype=np.int64)

    def __call__(self, prediction: Any, *arguments: Any, **named: Any) -> Any:
        """Count, and compute what would have been computed."""
        said, right = classes_of(prediction.predictions), prediction.label_ids
        if said is not None and right is not None:
            np.add.at(self.counts, (np.asarray(right).reshape(-1), said), 1)
        return {} if self.own is None else self.own(prediction, *arguments, **named)

    def evaluation(self, metrics: Mapping[str, Any]) -> Evaluation:
        """What was found, as methods are told it."""
        scores = {name: float(value) for name, value in metrics.items() if isinstance(value, int | float)}
        return Evaluation(scores, torch.from_numpy(self.counts) if self.counts.any() else None)


def classes_of(predictions: Any) -> np.ndarray | None:
    """The class said of each text, by its logits or as it is; None where neither is there.

    >>> classes_of(np.array([[0.1, 0.9], [2.0, 1.0]])).tolist(), classes_of((np.array([1, 0]),)).tolist()
    ([1, 0], [1, 0])
    """
    first = predictions[0] if isinstance(predictions, tuple) else predictions
    rows = np.asarray(first.cpu() if hasattr(first, "cpu") else first)
    if rows.ndim == 2 and rows.shape[1] > 1:
        return rows.argmax(axis=1)
    return rows.astype(np.int64) if rows.ndim == 1 and rows.dtype.kind in "iu" else None
