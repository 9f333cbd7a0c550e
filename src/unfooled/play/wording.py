"""What the page and its answers say: every English text of this room stands in one file."""

import json
from functools import cache
from importlib.resources import files

ENGLISH = "english.json"


@cache
def english() -> dict[str, str]:
    """Every text by its name; ``{name}`` in a text stands for a value."""
    texts: dict[str, str] = json.loads(files("unfooled.play").joinpath(ENGLISH).read_text(encoding="utf-8"))
    return texts


def say(name: str, /, **values: object) -> str:
    """A text with its values.

    >>> say("place", ahead=3)
    '3 before you'
    """
    return english()[name].format_map(values)
