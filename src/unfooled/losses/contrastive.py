"""Texts drawn to their likes and pushed from their opposites, and how well that has gone.

Representations are rows [B, H]. Everything is computed in at least single precision: raw dot products reach hundreds.
"""

import torch
import torch.nn.functional as F
from torch import Tensor


def precise(rows: Tensor) -> Tensor:
    """The rows in at least single precision."""
    return rows.to(torch.promote_types(rows.dtype, torch.float32))


def synonym_antonym(original: Tensor, synonym: Tensor, antonym: Tensor, scale: float = 1.0) -> Tensor:
    """-log of exp⟨o, s⟩ / (exp⟨o, s⟩ + exp⟨o, a⟩) per text [B], with ⟨·,·⟩ scaled (CLINE, Eqs. 5 and 6).

    >>> row = torch.ones(1, 4)
    >>> round(synonym_antonym(row, row, row).item(), 6)  # log 2
    0.693147
    """
    original, synonym, antonym = precise(original), precise(synonym), precise(antonym)
    return F.softplus(scale * (original * (antonym - synonym)).sum(dim=1))


def two_decisions(original: Tensor, synonym: Tensor, antonym: Tensor) -> Tensor:
    """Two yes-or-no decisions on the *mean* of the product, halved, per text [B]: what CLINE's code does.

    Half of -log sigmoid(mean(o · s)) - log(1 - sigmoid(mean(o · a))).
    """
    original, synonym, antonym = precise(original), precise(synonym), precise(antonym)
    like, unlike = (original * synonym).mean(dim=1), (original * antonym).mean(dim=1)
    return (F.softplus(-like) + F.softplus(unlike)) / 2


def misalignment(predictions: Tensor, targets: Tensor) -> Tensor:
    """‖p/|p| - t/|t|‖² = 2 - 2 cos(p, t) per row [B], in [0, 4] (DCL, Eq. 8).

    >>> misalignment(torch.tensor([[2.0, 0.0]] * 3), torch.tensor([[3.0, 0.0], [0.0, 1.0], [-5.0, 0.0]])).tolist()
    [0.0, 2.0, 4.0]
    """
    return 2 - 2 * F.cosine_similarity(precise(predictions), precise(targets), dim=1)


def uniformity(rows: Tensor, sharpness: float = 2.0) -> Tensor:
    """The log of the mean of exp(-t ‖u - v‖²) over pairs of different rows, each at unit length (DCL, Eq. 6).

    0 where all rows agree; the lower, the more evenly they are spread. A measure, which DCL does not minimise.

    >>> round(uniformity(torch.tensor([[1.0, 0.0], [-3.0, 0.0]])).item(), 4)
    -8.0
    """
    if len(rows) < 2:
        raise ValueError("uniformity is about pairs: it needs two rows at least")
    units = F.normalize(precise(rows), dim=1)
    squares = (2 - 2 * units @ units.T).clamp(min=0)
    apart = ~torch.eye(len(rows), dtype=torch.bool, device=rows.device)
    pairs = squares[apart]
    return torch.logsumexp(-sharpness * pairs, dim=0) - torch.log(torch.tensor(float(pairs.numel())))


def mean_cosines(rows: Tensor, partners: Tensor) -> tuple[Tensor, Tensor]:
    """The mean cosine of each row with its partner, and with the partners of other rows (DCL, Figure 3)."""
    units, others = F.normalize(precise(rows), dim=1), F.normalize(precise(partners), dim=1)
    cosines = units @ others.T
    own, count = cosines.diagonal(), len(rows)
    return own.mean(), (cosines.sum() - own.sum()) / max(count * (count - 1), 1)
