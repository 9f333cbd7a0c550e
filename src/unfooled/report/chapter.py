"""What a chapter of a page is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from unfooled.report.markup import Markup
from unfooled.report.told import Told


@dataclass(frozen=True)
class Chapter:
    """A chapter: its name in the navigation, and what it makes of results, empty where there is nothing to tell.

    One that has several sections gives them by their titles. ``heading`` stands above it where that is not its title;
    ``script`` is the file of this room that it needs.
    """

    title: str
    content: Callable[[Told], Markup | Mapping[str, Markup]]
    heading: str = ""
    script: str = ""
