"""Sense-true PWWS: the search of PWWS over substitutes that mean what their word means.

Of the substitutes that PWWS takes out of WordNet, only about one in seven shares a common sense with its word: one
of the two commonest senses of both. A model that is fooled by the others ("good → undecomposed") may not be to blame;
this attack blames it only for the rest. Its lists are parts of those of PWWS, which does the same where its ``senses``
are "shared"; it is an attack of its own so that both can stand in one table.
"""

from functools import partial
from typing import ClassVar, Literal

from unfooled.attacks.attack import Attack, Parts
from unfooled.attacks.attempt import Search
from unfooled.attacks.pwws import pwws
from unfooled.substitution.substitutes import Substitutes, wordnet


class SenseTruePWWS(Attack):
    """PWWS with substitutes alone that share a common sense with their word."""

    says: ClassVar[str] = (
        "replaces words by dictionary synonyms that share a common meaning with them, until the answer turns wrong"
    )
    possessives: bool = True
    allow_nonpositive: bool = False
    choose: Literal["once", "again"] = "once"
    unknown: str | None = None  # None is the victim's own
    questions: Literal["needed", "all"] = "needed"

    def search(self, parts: Parts) -> Search:
        """The search over what shares a sense, or over the substitutes given."""
        return partial(pwws, settings=self, substitutes=self.choices(parts))

    def choices(self, parts: Parts) -> Substitutes:
        """The substitutes given, or those of WordNet's synonyms that share a common sense with their word."""
        return parts.substitutes or wordnet(tagger=parts.tag, possessives=self.possessives, shared_sense=True)
