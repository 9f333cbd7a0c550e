"""Worst cases in embedding space."""

from unfooled.perturb.ascent import Ascent, Start, free_passes, worst_case
from unfooled.perturb.ball import Ball, Norm, Scope
from unfooled.perturb.presets import FGM, FREELB, PGD, SMART, k_pgd

__all__ = [
    "FGM",
    "FREELB",
    "PGD",
    "SMART",
    "Ascent",
    "Ball",
    "Norm",
    "Scope",
    "Start",
    "free_passes",
    "k_pgd",
    "worst_case",
]
