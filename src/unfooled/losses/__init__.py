"""Formulas: pure functions of tensors."""

from unfooled.losses.divergence import kl, symmetric_kl

__all__ = ["kl", "symmetric_kl"]
