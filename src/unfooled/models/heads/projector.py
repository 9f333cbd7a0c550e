"""Two linear layers with a normalisation between them: DCL's projector and predictor."""

from torch import nn

from unfooled.models.heads.power_norm import Norm, normalisation


def projector(
    width: int,
    hidden: int,
    out: int,
    norm: Norm = "power",
    warmup: int = 1000,
    group_scaling: bool = True,
    released: bool = False,
) -> nn.Sequential:
    """Width → hidden, normalisation, ReLU, hidden → out."""
    middle = normalisation(norm, hidden, warmup, group_scaling, released)
    return nn.Sequential(nn.Linear(width, hidden), middle, nn.ReLU(), nn.Linear(hidden, out))
