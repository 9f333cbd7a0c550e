"""Text models that small changes cannot fool and changes of meaning cannot slip past.

``import unfooled as uf`` is cheap; torch is loaded by the first name that needs it.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from unfooled.attacks import PWWS, DeepWordBug, RandomWords, TextFooler, run_attack
    from unfooled.commands.attack import attack, attack_text
    from unfooled.commands.compare import compare
    from unfooled.commands.evaluate import evaluate
    from unfooled.commands.gate import gate
    from unfooled.commands.generate import generate_versions
    from unfooled.commands.language import evaluate_language
    from unfooled.commands.train import train
    from unfooled.commands.translate import translate
    from unfooled.commands.tune import tune
    from unfooled.commands.verify import verify
    from unfooled.generate.lines import VersionLines
    from unfooled.generate.reconstruction import generate
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
    "generate.reconstruction": ("generate",),
    "commands.attack": ("attack", "attack_text"),
    "commands.compare": ("compare",),
    "commands.evaluate": ("evaluate",),
    "commands.gate": ("gate",),
    "commands.generate": ("generate_versions",),
    "commands.language": ("evaluate_language",),
    "commands.train": ("train",),
    "commands.translate": ("translate",),
    "commands.tune": ("tune",),
    "commands.verify": ("verify",),
    "generate.lines": ("VersionLines",),
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
