"""Text models that small changes cannot fool and changes of meaning cannot slip past.

``import unfooled as uf`` is cheap; torch is loaded by the first name that needs it.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from unfooled.api import evaluate, train
    from unfooled.methods import FGM, PGD, SMART, Finetune, FreeLB

_HOMES = {
    "train": "unfooled.api",
    "evaluate": "unfooled.api",
    "Finetune": "unfooled.methods",
    "FGM": "unfooled.methods",
    "PGD": "unfooled.methods",
    "FreeLB": "unfooled.methods",
    "SMART": "unfooled.methods",
}

__all__ = ["FGM", "PGD", "SMART", "Finetune", "FreeLB", "evaluate", "train"]


def __getattr__(name: str) -> Any:
    """Load a public name from its room when it is first asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module 'unfooled' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
