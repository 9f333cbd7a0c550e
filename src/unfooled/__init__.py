"""Text models that small changes cannot fool and changes of meaning cannot slip past.

``import unfooled as uf`` is cheap; torch is loaded by the first name that needs it.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from unfooled.attacks import PWWS, DeepWordBug, RandomWords, TextFooler, run_attack
    from unfooled.calls.adversaries import generate
    from unfooled.calls.attacking import attack, attack_text
    from unfooled.calls.comparing import compare
    from unfooled.calls.evaluating import evaluate
    from unfooled.calls.gating import gate
    from unfooled.calls.generating import generate_versions
    from unfooled.calls.language import evaluate_language
    from unfooled.calls.training import train
    from unfooled.calls.translating import translate
    from unfooled.calls.tuning import tune
    from unfooled.calls.verifying import verify
    from unfooled.calls.version_lines import VersionLines
    from unfooled.methods import (
        ATCL,
        CARL,
        CLINE,
        CLLD,
        DCL,
        FGM,
        MLM,
        PGD,
        RAR,
        SMART,
        AdversarialText,
        Augment,
        Finetune,
        FreeLB,
        RDrop,
        SupCon,
    )

# Where names come from that are no method's.
_HOMES = {
    "attacks": ("PWWS", "DeepWordBug", "RandomWords", "TextFooler", "run_attack"),
    "calls.adversaries": ("generate",),
    "calls.attacking": ("attack", "attack_text"),
    "calls.comparing": ("compare",),
    "calls.evaluating": ("evaluate",),
    "calls.gating": ("gate",),
    "calls.generating": ("generate_versions",),
    "calls.language": ("evaluate_language",),
    "calls.training": ("train",),
    "calls.translating": ("translate",),
    "calls.tuning": ("tune",),
    "calls.verifying": ("verify",),
    "calls.version_lines": ("VersionLines",),
}

__all__ = [
    "ATCL",
    "CARL",
    "CLINE",
    "CLLD",
    "DCL",
    "FGM",
    "MLM",
    "PGD",
    "PWWS",
    "RAR",
    "SMART",
    "AdversarialText",
    "Augment",
    "DeepWordBug",
    "Finetune",
    "FreeLB",
    "RDrop",
    "RandomWords",
    "SupCon",
    "TextFooler",
    "VersionLines",
    "attack",
    "attack_text",
    "compare",
    "evaluate",
    "evaluate_language",
    "gate",
    "generate",
    "generate_versions",
    "run_attack",
    "train",
    "translate",
    "tune",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its room when it is first asked for."""
    if name not in __all__:
        raise AttributeError(f"module 'unfooled' has no attribute {name!r}")
    from importlib import import_module

    room = next((room for room, names in _HOMES.items() if name in names), "methods")
    return getattr(import_module(f"unfooled.{room}"), name)
