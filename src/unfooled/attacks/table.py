"""The one table of attacks' names."""

from unfooled.attacks.attack import Attack
from unfooled.attacks.deepwordbug import DeepWordBug
from unfooled.attacks.pwws import PWWS
from unfooled.attacks.random_words import RandomWords
from unfooled.attacks.textfooler import TextFooler
from unfooled.errors import BadInput, nearest

ATTACKS: dict[str, type[Attack]] = {
    "pwws": PWWS,
    "textfooler": TextFooler,
    "deepwordbug": DeepWordBug,
    "random": RandomWords,
}


def attack_named(name: str) -> type[Attack]:
    """The settings class of an attack, by its name in the table."""
    if name not in ATTACKS:
        raise BadInput(f"there is no attack called {name}; {nearest(name, ATTACKS)}")
    return ATTACKS[name]


def name_of(attack: Attack) -> str:
    """The name of an attack in the table, or of its class where it is not there."""
    return next((name for name, kind in ATTACKS.items() if kind is type(attack)), type(attack).__name__)
