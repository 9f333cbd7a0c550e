"""A planted failure as a value."""

from dataclasses import dataclass
from pathlib import Path

from mutations.change import Quote, Swap

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"


@dataclass(frozen=True)
class Mutation:
    """One silent failure: what a user would suffer, where it is planted and how, and the test that must catch it.

    ``place`` is a module and the qualified name of a function, method, class or constant in it, as in
    ``unfooled.results.requirements:Requirement.holds``; of what is no Python, a file below src. ``test`` is a test as
    pytest names it, below tests.
    """

    name: str
    suffered: str
    place: str
    change: Swap | Quote
    test: str

    def file(self, source: Path = SOURCE) -> Path:
        """Where it is planted, below a folder of sources."""
        module, named, _ = self.place.partition(":")
        if not named:
            return source / module
        path = source / module.replace(".", "/")
        return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")

    def planted_in(self, text: str) -> str:
        """The text of the file with the failure in it."""
        return self.change.made(text, self.place.partition(":")[2])
