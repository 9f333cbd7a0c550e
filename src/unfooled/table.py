"""Tables of names: what a name stands for is imported when it is used, so that listing names imports nothing."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Generic, TypeVar

from unfooled.errors import BadInput, nearest

Entry = TypeVar("Entry")


class Table(Mapping[str, Entry], Generic[Entry]):
    """Names, each with where its entry is ("module:attribute") and one line on it; ``what`` is what an entry is.

    >>> table: Table[Any] = Table("number", {"pi": ("math:pi", "The ratio of circumference and diameter.")})
    >>> table["pi"], table.lines, list(table)
    (3.141592653589793, {'pi': 'The ratio of circumference and diameter.'}, ['pi'])
    """

    def __init__(self, what: str, entries: Mapping[str, tuple[str, str]]) -> None:
        self.what, self.entries = what, dict(entries)

    def __getitem__(self, name: str) -> Entry:
        module, _, attribute = self.entries[name][0].partition(":")
        entry: Entry = vars(import_module(module))[attribute]
        return entry

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    @property
    def lines(self) -> dict[str, str]:
        """What each name stands for, in a line."""
        return {name: line for name, (_, line) in self.entries.items()}

    def check(self, name: str) -> None:
        """Refuse a name that is not in the table, with the nearest that is."""
        if name not in self.entries:
            raise BadInput(f"there is no {self.what} called {name}; {nearest(name, self.entries)}")

    def find(self, name: str) -> Entry:
        """What a name stands for, refused where there is none of that name."""
        self.check(name)
        return self[name]

    def name_of(self, entry: Any) -> str | None:
        """The name of an entry; None where it is not in the table. Nothing is imported to find out."""
        module, attribute = getattr(entry, "__module__", ""), getattr(entry, "__qualname__", "")
        place = f"{module}:{attribute}"
        return next((name for name, (own, _) in self.entries.items() if own == place), None)
