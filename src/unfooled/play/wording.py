"""What the page and its answers say: every English text of this room stands in one file."""

from functools import cache
from importlib.resources import files

from unfooled.parsing import json_value

ENGLISH = "english.json"


@cache
def english() -> dict[str, str]:
    """Every text by its name; ``{name}`` in a text stands for a value."""
    texts: dict[str, str] = json_value(files("unfooled.play").joinpath(ENGLISH).read_text(encoding="utf-8"))
    return texts


def say(name: str, /, **values: object) -> str:
    """A text with its values.

    >>> say("place", ahead=3)
    '3 before you'
    """
    return english()[name].format_map(values)
