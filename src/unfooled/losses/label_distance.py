"""Contrast weighted by how easily two labels are confused.

Symbols as in CLLD: h rows, S their similarity, LDM label distances [C, C], q what rows say, z what their labels say.
A process contrasts its own rows [R, d] with those of all [N, d], among which row i is number ``start + i``.
"""

import torch
from torch import Tensor

SELF = -1e6  # the logit of a row with itself
SMALLEST = 1e-8  # product of norms (ξ)


def similarity(rows: Tensor, others: Tensor) -> Tensor:
    """S_ij = (cos(h_i, h_j) + 1)/2 of rows [R, d] and others [N, d], in [0, 1] (Eq. 4).

    >>> similarity(torch.tensor([[2.0, 0.0]]), torch.tensor([[1.0, 0.0], [0.0, 3.0], [-1.0, 0.0]])).tolist()
    [[1.0, 0.5, 0.0]]
    """
    sizes = rows.norm(dim=1)[:, None] * others.norm(dim=1)[None, :]
    return (rows @ others.T / sizes.clamp(min=SMALLEST) + 1) / 2


def itself(rows: int, others: int, start: int, device: torch.device | None = None) -> Tensor:
    """Where each row meets itself [R, N]."""
    place = torch.arange(rows, device=device)[:, None] + start
    return place == torch.arange(others, device=device)[None, :]


def log_shares(
    rows: Tensor, labels: Tensor, distances: Tensor, others: Tensor, other_labels: Tensor, start: int = 0
) -> Tensor:
    """log q [R, N]: the log-softmax of S · LDM over all rows but the row itself, in at least single precision.

    Paper says / we do: Eq. 5 masks a row with itself before the product with LDM (Eq. 8), which a distance of 0
    on the diagonal would undo; we mask after it.
    """
    precise = torch.promote_types(rows.dtype, torch.float32)
    between = distances.to(precise)[labels][:, other_labels]  # Eq. 7
    logits = similarity(rows.to(precise), others.to(precise)) * between  # Eq. 8
    own = itself(len(rows), len(others), start, rows.device)
    return logits.masked_fill(own, SELF).log_softmax(dim=1)  # Eqs. 5 and 12


def targets(labels: Tensor, other_labels: Tensor, start: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    """z [R, N]: uniform over the other rows of the same label; 0 throughout where there is none (Eqs. 6 and 13)."""
    same = labels[:, None] == other_labels[None, :]
    same &= ~itself(len(labels), len(other_labels), start, labels.device)
    return same.to(dtype) / same.sum(dim=1, keepdim=True).clamp(min=1)


def label_contrast(
    rows: Tensor, labels: Tensor, distances: Tensor, others: Tensor, other_labels: Tensor, start: int = 0
) -> Tensor:
    """KL(z_i ‖ q_i) of each row [R], with 0 log 0 = 0; 0 for a row without positives (the summand of Eq. 11)."""
    log_q = log_shares(rows, labels, distances, others, other_labels, start)
    z = targets(labels, other_labels, start, log_q.dtype)
    return (torch.xlogy(z, z) - z * log_q).sum(dim=1)


def static_distances(classes: int, pairs: Tensor, distance: float, otherwise: float = 1.0) -> Tensor:
    """``otherwise`` everywhere, the diagonal too; ``distance`` both ways between the listed pairs [P, 2].

    >>> static_distances(3, torch.tensor([[0, 2]]), 5.0).tolist()
    [[1.0, 1.0, 5.0], [1.0, 1.0, 1.0], [5.0, 1.0, 1.0]]
    """
    distances = torch.full((classes, classes), otherwise)
    for first, second in pairs.tolist():
        distances[first, second] = distances[second, first] = distance
    return distances


def confused_distances(
    confusion: Tensor, largest: float, symmetric: bool = False, counts: bool = False, shrinkage: float = 1.0
) -> Tensor:
    """1 + (largest - 1) · r_ab/max r, with r_ab = CM_ab/(n_a + shrinkage · C) for a ≠ b; the diagonal is 1.

    r_ab is the share of the n_a texts of class a that are taken for b, shrunken as if there were so many texts more for
    each of the C classes: else a class of which there is one text, and that one wrong, is the most confused of all.
    The more two labels are confused, the further apart they are pushed; no errors at all give 1 everywhere, and so does
    a class without examples. ``counts`` takes Algorithm 1 literally: the confusion itself, its large diagonal included.

    >>> confused_distances(torch.tensor([[8, 2], [1, 9]]), largest=5.0).tolist()
    [[1.0, 5.0], [3.0, 1.0]]
    """
    errors = confusion.double()
    texts = errors.sum(dim=1, keepdim=True)
    rates = errors if counts else errors / (texts + shrinkage * len(errors)).clamp(min=1)
    rates = (rates + rates.T) / 2 if symmetric else rates
    if counts:
        return rates.float()
    rates = rates * (1 - torch.eye(len(rates), dtype=rates.dtype, device=rates.device))
    worst = rates.max()
    return (1 + (largest - 1) * (rates / worst if worst > 0 else rates)).float()


def approached(distances: Tensor, target: Tensor, strength: float) -> Tensor:
    """LDM + strength · (found - LDM): exactly LDM at 0 and exactly what was found at 1 (Algorithm 1, line 10)."""
    return torch.lerp(distances, target.to(distances), strength)


def most_confused(confusion: Tensor, count: int) -> Tensor:
    """The ``count`` pairs of classes [P, 2] with the most errors between them, worst first; only pairs with errors.

    >>> most_confused(torch.tensor([[9, 1, 0], [0, 5, 4], [0, 2, 7]]), 1).tolist()
    [[1, 2]]
    """
    errors = confusion.double()
    between = torch.triu(errors + errors.T, diagonal=1).flatten()
    order = between.argsort(descending=True, stable=True)[:count]
    chosen = order[between[order] > 0]
    return torch.stack([chosen // len(errors), chosen % len(errors)], dim=1)
