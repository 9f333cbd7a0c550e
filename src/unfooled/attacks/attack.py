"""What every attack's settings share, and what an attack is built from."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from pydantic import JsonValue

from unfooled.attacks.attempt import Search
from unfooled.settings import Settings
from unfooled.substitution.substitutes import Substitutes
from unfooled.text.document import Document
from unfooled.text.english.tagging import Tagger


@dataclass(frozen=True)
class Parts:
    """What an attack is given from outside; what is left out the attack makes itself, or cannot do without."""

    substitutes: Substitutes | None = None
    similarity: Any = None  # has ``vectors(texts)``, unit rows, or is a callable (reference, texts) → cosines
    tag: Tagger | None = None
    notes: dict[str, JsonValue] = field(default_factory=dict)  # what the parts are, for the log


@dataclass(frozen=True)
class NearWords:
    """A table an attack asks for: so many near words of each word at most, none less like it than this cosine."""

    most: int
    least_cosine: float


class Attack(Settings, ABC):
    """An attack's settings, which make its search."""

    needs_similarity: ClassVar[bool] = False  # a sentence encoder
    looks_inside: ClassVar[bool] = False  # at a network's gradient
    needs_scores: ClassVar[bool] = True  # goes by how sure the victim says it is, not by its answer alone
    in_english: ClassVar[bool] = True  # the words it puts in are English; False: letters, which any text has
    says: ClassVar[str] = ""  # goes on from its name and tells in plain words what it does

    @property
    def near_words(self) -> NearWords | None:
        """The table of near words it cannot do without, if there is one."""
        return None

    def choices(self, parts: Parts) -> Substitutes | None:
        """What may stand for each word, in any combination; None where it judges combinations or makes words up."""
        return None

    @abstractmethod
    def search(self, parts: Parts) -> Search:
        """The search, built from these parts."""


@dataclass(frozen=True)
class Swaps(Sequence[str]):
    """A document's texts with another word at one place, for many (place, word).

    Each is made when it is looked at: of a long document they are too many to be held, and the engine stops looking
    where the budget ends.
    """

    document: Document
    changes: Sequence[tuple[int, str]]

    def __len__(self) -> int:
        return len(self.changes)

    def __getitem__(self, number: Any) -> Any:
        return swapped(self.document, *self.changes[number])


def swapped(document: Document, place: int, word: str) -> str:
    """The text with another word at one place.

    >>> from unfooled.text.document import read
    >>> swapped(read("A good film."), 1, "bad")
    'A bad film.'
    """
    start, end = document.spans[place]
    return f"{document.text[:start]}{word}{document.text[end:]}"
