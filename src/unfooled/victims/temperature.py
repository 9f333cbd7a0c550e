"""The temperature of a victim's logits, by which an attack is blind to how sure a model says it is.

A model whose logits are multiplied by 100 decides as before, but its probabilities are 0 and 1 to the last bit: no word
seems to matter, and a search by scores finds nothing. So an attack reads, of logits z,

    p = softmax(z / T*)                       sigmoid(z / T*) where a model says sets of labels

    T* = r · argmin over T in [.01, 100] of the negative log-likelihood of softmax(z / (r · T))

with r a size of the logits, a root mean square. Logits that are k times as large have k times the T*, and the same p.
The targets are Platt's (1999): a text's own class has (n + 1) / (n + 2), with n the texts of that class, and its
strongest rival has the rest; of a label in sets, (n₊ + 1) / (n₊ + 2) where it is right and 1 / (n₋ + 2) where it is
not. So T* is finite where a model is always right, and where there is one text.

Platt says / we do, because:
- two classes; of several the strongest rival has the rest, because a share of it for a class far below all others would
  ask for a temperature that makes everything else equal.

The specification says / we do, because:
- r is the root mean square of z; of classes we take that of the gaps between a text's own class and its strongest
  rival. A constant beside all logits, or a class far below all others, changes no answer, but pushes a T* that is
  measured in the size of z out of its range. Inside the range T* is the same number.
- the likelihood is that of all labels in sets; labels that no text has, or every text, are left out where there are
  others, because one of them far below 0 would again make everything else equal.
"""

from collections.abc import Sequence

import numpy as np

LOWEST, HIGHEST = 0.01, 100.0  # of logits of size 1
TOLERANCE = 1e-10  # of log T
FLOOR = 1e-12  # below every probability
LEAST = -1e300  # for −∞, the logit of what is never said: it has no share in any sum


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


def of_classes(logits: np.ndarray, labels: Sequence[int]) -> float:
    """T* of logits [n, C] of texts that have one class each; 1 where they say nothing at all.

    Texts whose own class or strongest rival has no finite logit are left out.
    """
    wide, gold = logits.astype(np.float64), np.asarray(labels)
    rival, gaps = rivals(wide, gold)
    told = np.isfinite(gaps)
    wide, gold, rival, size = wide[told], gold[told], rival[told], root_mean_square(gaps[told])
    if not size:
        return 1.0
    rows, count = np.arange(len(gold)), np.bincount(gold)[gold]
    targets = np.zeros(wide.shape)
    targets[rows, rival] = 1 / (count + 2)
    targets[rows, gold] = (count + 1) / (count + 2)
    apart = (wide - wide[rows, gold][:, None]) / size
    return size * searched(np.nan_to_num(apart, neginf=LEAST), targets, sets=False)


def rivals(logits: np.ndarray, gold: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The class that is likeliest beside each text's own, and how far it is below.

    >>> [found.tolist() for found in rivals(np.array([[3.0, 1.0, 2.0]]), np.array([0]))]
    [[2], [1.0]]
    """
    rows, others = np.arange(len(gold)), logits.copy()
    others[rows, gold] = -np.inf
    rival = others.argmax(axis=1)
    with np.errstate(invalid="ignore"):
        return rival, logits[rows, gold] - others[rows, rival]


def of_sets(logits: np.ndarray, labels: Sequence[Sequence[int]]) -> float:
    """T* of logits [n, C] of texts that have sets of labels; 1 where they say nothing at all."""
    inside = np.array([np.isin(np.arange(logits.shape[1]), own) for own in labels])
    varied = inside.any(axis=0) & ~inside.all(axis=0)
    kept = varied if varied.any() else np.ones_like(varied)
    wide = logits[:, kept].astype(np.float64)
    told = np.isfinite(wide).all(axis=1)
    inside, wide, size = inside[told][:, kept], wide[told], root_mean_square(wide[told])
    if not size:
        return 1.0
    count = inside.sum(axis=0)
    targets = np.where(inside, (count + 1) / (count + 2), 1 / (len(inside) - count + 2))
    return size * searched(wide / size, targets, sets=True)


def root_mean_square(values: np.ndarray) -> float:
    """The root mean square, of the largest numbers and of the smallest.

    >>> round(root_mean_square(np.array([1e-200, 7e-200])) / 1e-200, 6)
    5.0
    """
    largest = np.abs(values).max(initial=0.0)
    return float(largest * np.sqrt(np.mean((values / largest) ** 2))) if largest else 0.0


def searched(logits: np.ndarray, targets: np.ndarray, sets: bool) -> float:
    """The likeliest temperature of logits of size 1.

    The likelihood is convex in 1/T, so its slope there, the sum of (p − target) · z, changes its sign once: T is halved
    in upon between the two ends, on a logarithmic scale.
    """

    def too_sure(log_temperature: float) -> bool:
        return bool(((probabilities(logits, float(np.exp(log_temperature)), sets) - targets) * logits).sum() > 0)

    low, high = float(np.log(LOWEST)), float(np.log(HIGHEST))
    if not too_sure(low):
        return LOWEST
    if too_sure(high):
        return HIGHEST
    while high - low > TOLERANCE:
        middle = (low + high) / 2
        low, high = (middle, high) if too_sure(middle) else (low, middle)
    return float(np.exp((low + high) / 2))
