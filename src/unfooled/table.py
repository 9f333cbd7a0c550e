"""Tables of names: what a name stands for is imported when it is used, so that listing names imports nothing."""

from collections.abc import Callable, Iterator, Mapping
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
        entry: Entry = at(self.entries[name][0])
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

    @property
    def exports(self) -> dict[str, str]:
        """Where each entry is, by what its own module calls it."""
        return {place.partition(":")[2]: place for place, _ in self.entries.values()}

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


def lazily(module: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """A module's ``__getattr__``: each name is imported from its place when it is first asked for."""

    def load(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return at(places[name])

    return load


def at(place: str) -> Any:
    """What stands at "module:attribute", imported now.

    >>> at("math:pi")
    3.141592653589793
    """
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)
