"""PWWS over other forms of a word alone ("film" → "films"): the attack of a source that may be held out of training."""

from typing import ClassVar

from unfooled.attacks.attack import Parts
from unfooled.attacks.pwws import PWWS
from unfooled.substitution.sources import inflections
from unfooled.substitution.substitutes import Substitutes


class OtherForms(PWWS):
    """Other forms of words in the order of probability-weighted word saliency."""

    says: ClassVar[str] = "replaces words by other forms of themselves, until the answer turns wrong"

    def choices(self, parts: Parts) -> Substitutes:
        """Other forms of the word."""
        return inflections()
