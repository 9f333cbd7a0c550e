"""Sense-true PWWS: the search of PWWS over substitutes that mean what their word means.

Of the substitutes that PWWS takes out of WordNet, only about one in seven shares a common sense with its word: one
of the two commonest senses of both. A model that is fooled by the others ("good → undecomposed") may not be to blame;
this attack blames it only for the rest. What it finds, PWWS's substitutes hold as well: its lists are parts of theirs.
"""

from typing import Literal

from unfooled.attacks.pwws import PWWS


class SenseTruePWWS(PWWS):
    """PWWS with substitutes alone that share a common sense with their word."""

    senses: Literal["any", "shared"] = "shared"
