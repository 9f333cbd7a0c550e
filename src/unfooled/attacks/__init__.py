"""Worst cases in words: searches ask, one engine answers, records say what became of each example."""

from unfooled.attacks.table import ATTACKS
from unfooled.table import lazily

# Imported on first use: whoever only reads records need not wait for a search's libraries.
HOMES = {
    "attack": ("Attack", "Parts"),
    "engine": ("Limits",),
    "goals": ("UNTARGETED", "Goal", "targeted"),
    "pwws": ("PWWS_PEER",),
    "records": ("OUTCOMES", "AttackRecord", "Change", "Outcome"),
    "run": ("run_attack",),
}
PLACES = {
    **ATTACKS.exports,
    **{name: f"unfooled.attacks.{home}:{name}" for home, names in HOMES.items() for name in names},
}
__all__ = ["ATTACKS", *PLACES]
__getattr__ = lazily(__name__, PLACES)
