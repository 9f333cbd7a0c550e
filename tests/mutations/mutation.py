"""A planted failure as a value."""

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "unfooled"


@dataclass(frozen=True)
class Mutation:
    """One silent failure: what a user would suffer, where it is planted, and the test that must catch it.

    ``old`` stands exactly once in ``file`` (below src/unfooled) and becomes ``new``; ``node`` is a test as pytest names
    it, below tests.
    """

    name: str
    suffered: str
    file: str
    old: str
    new: str
    node: str

    @property
    def test(self) -> str:
        """The catching test as pytest is asked for it at the root of the project."""
        return f"tests/{self.node}"

    def planted_in(self, text: str) -> str:
        """The text of the file with the failure in it."""
        times = text.count(self.old)
        if times != 1 or self.old == self.new:
            raise ValueError(f"{self.name}: what is replaced stands {times} times in {self.file}; write it anew")
        return text.replace(self.old, self.new)
