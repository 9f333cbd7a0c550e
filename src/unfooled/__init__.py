"""Text models that small changes cannot fool and changes of meaning cannot slip past.

``import unfooled as uf`` is cheap; torch is loaded by the first name that needs it.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from unfooled.api import evaluate, train
    from unfooled.methods import CARL, CLLD, FGM, PGD, RAR, SMART, Finetune, FreeLB, RDrop, SupCon

_CALLS = ("train", "evaluate")

__all__ = [
    "CARL",
    "CLLD",
    "FGM",
    "PGD",
    "RAR",
    "SMART",
    "Finetune",
    "FreeLB",
    "RDrop",
    "SupCon",
    "evaluate",
    "train",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its room when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module 'unfooled' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module("unfooled.api" if name in _CALLS else "unfooled.methods"), name)
