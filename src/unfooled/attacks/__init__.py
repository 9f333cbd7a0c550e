"""Worst cases in words: searches ask, one engine answers, records say what became of each example."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unfooled.attacks.attack import Attack, Parts
    from unfooled.attacks.deepwordbug import DeepWordBug
    from unfooled.attacks.engine import Limits
    from unfooled.attacks.goals import UNTARGETED, Goal, targeted
    from unfooled.attacks.pwws import PWWS, PWWS_PEER
    from unfooled.attacks.random_words import RandomWords
    from unfooled.attacks.records import OUTCOMES, AttackRecord, Change, Outcome
    from unfooled.attacks.run import run_attack
    from unfooled.attacks.table import ATTACKS
    from unfooled.attacks.textfooler import TextFooler
    from unfooled.attacks.victim import Victim

# Imported on first use: whoever only reads records need not wait for torch.
_ROOMS = {
    "attack": ("Attack", "Parts"),
    "deepwordbug": ("DeepWordBug",),
    "engine": ("Limits",),
    "goals": ("UNTARGETED", "Goal", "targeted"),
    "pwws": ("PWWS", "PWWS_PEER"),
    "random_words": ("RandomWords",),
    "records": ("OUTCOMES", "AttackRecord", "Change", "Outcome"),
    "run": ("run_attack",),
    "table": ("ATTACKS",),
    "textfooler": ("TextFooler",),
    "victim": ("Victim",),
}
__all__ = [
    "ATTACKS",
    "OUTCOMES",
    "PWWS",
    "PWWS_PEER",
    "UNTARGETED",
    "Attack",
    "AttackRecord",
    "Change",
    "DeepWordBug",
    "Goal",
    "Limits",
    "Outcome",
    "Parts",
    "RandomWords",
    "TextFooler",
    "Victim",
    "run_attack",
    "targeted",
]


def __getattr__(name: str) -> object:
    for room, names in _ROOMS.items():
        if name in names:
            return vars(import_module(f"{__name__}.{room}"))[name]
    raise AttributeError(f"module {__name__} has no attribute {name}")
