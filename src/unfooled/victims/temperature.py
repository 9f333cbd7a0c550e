"""The temperature of a victim's logits, by which an attack is blind to how sure a model says it is.

A model whose logits are multiplied by 100 decides as before, but its probabilities are 0 and 1 to the last bit: no word
seems to matter, and a search by scores finds nothing. So an attack reads, of logits z,

    p = softmax(z / T*)                       sigmoid(z / T*) where a model says sets of labels

    T* = r · argmin over T in [.01, 100] of the negative log-likelihood of softmax(z / (r · T))

with r the root mean square of z. Logits that are k times as large have k times the T*, and the same p. The targets
are Platt's (1999): a text's own class has (n + 1) / (n + 2), with n the texts of that class, and the other classes
share the rest; of a label in sets, (n₊ + 1) / (n₊ + 2) where it is right and 1 / (n₋ + 2) where it is not. So T* is
finite where a model is always right, and where there is one text.

Platt says / we do, because:
- two classes; the share of the other class is divided among the others where there are several.

The specification says / we do, because:
- r is that of z; of classes we take it after the mean of each row is gone, because softmax does not see that mean and a
  constant of a million beside all logits would otherwise push the temperature out of its range.
"""

from collections.abc import Sequence

import numpy as np

LOWEST, HIGHEST = 0.01, 100.0  # of logits whose root mean square is 1
TOLERANCE = 1e-10  # of log T
FLOOR = 1e-12  # below every probability


def probabilities(logits: np.ndarray, temperature: float = 1.0, sets: bool = False) -> np.ndarray:
    """What logits [n, C] say at a temperature, in double precision: classes, or labels one by one.

    >>> probabilities(np.array([[0.0, np.log(3.0)]])).round(6).tolist()
    [[0.25, 0.75]]
    >>> probabilities(np.array([[0.0, 2 * np.log(3.0)]]), 2.0, sets=True).round(6).tolist()
    [[0.5, 0.75]]
    """
    scaled = logits.astype(np.float64) / temperature
    if sets:
        small = np.exp(-np.abs(scaled))  # which never overflows
        return np.where(scaled >= 0, 1.0, small) / (1 + small)
    with np.errstate(invalid="ignore"):  # what is not finite is said by whoever asks
        powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def class_targets(labels: Sequence[int], classes: int) -> np.ndarray:
    """Platt's targets [n, C] of texts that have one class each.

    >>> class_targets([0, 0, 1], 2).tolist()
    [[0.75, 0.25], [0.75, 0.25], [0.33333333333333337, 0.6666666666666666]]
    """
    gold = np.asarray(labels)
    own = np.bincount(gold, minlength=classes)[gold]
    right = (own + 1) / (own + 2)
    targets = np.repeat(((1 - right) / (classes - 1))[:, None], classes, axis=1)
    targets[np.arange(len(gold)), gold] = right
    return targets


def set_targets(labels: Sequence[Sequence[int]], classes: int) -> np.ndarray:
    """Platt's targets [n, C] of texts that have sets of labels, label by label.

    >>> set_targets([(0,), (0, 1), ()], 2).round(3).tolist()
    [[0.75, 0.25], [0.75, 0.667], [0.333, 0.25]]
    """
    inside = np.array([np.isin(np.arange(classes), own) for own in labels])
    count = inside.sum(axis=0)
    return np.where(inside, (count + 1) / (count + 2), 1 / (len(inside) - count + 2))


def fitted(logits: np.ndarray, targets: np.ndarray, sets: bool = False) -> float:
    """T* of logits [n, C] and their targets; 1 where the logits say nothing at all.

    The likelihood is convex in 1/T, so its slope there, the sum of (p − target) · z, changes its sign once: T is halved
    in upon between the two ends, on a logarithmic scale.
    """
    centred = logits.astype(np.float64)
    if not sets:
        centred = centred - centred.mean(axis=1, keepdims=True)
    largest = np.abs(centred).max(initial=0.0)
    if not largest:
        return 1.0
    size = largest * np.sqrt(np.mean((centred / largest) ** 2))  # squares of tiny numbers vanish
    unit = centred / size

    def too_sure(log_temperature: float) -> bool:
        return bool(((probabilities(unit, float(np.exp(log_temperature)), sets) - targets) * unit).sum() > 0)

    low, high = float(np.log(LOWEST)), float(np.log(HIGHEST))
    if not too_sure(low):
        return float(size * LOWEST)
    if too_sure(high):
        return float(size * HIGHEST)
    while high - low > TOLERANCE:
        middle = (low + high) / 2
        low, high = (middle, high) if too_sure(middle) else (low, middle)
    return float(size * np.exp((low + high) / 2))
