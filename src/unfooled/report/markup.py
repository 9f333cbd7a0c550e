"""HTML and SVG that cannot be broken out of: whatever is not ``Markup`` is escaped where it enters."""

import json
from collections.abc import Iterable, Mapping
from html import escape

from pydantic import JsonValue

from unfooled.terminal import visible

VOID = {"meta", "input", "br", "hr", "link", "img"}


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = str | Markup | None
Piece = str | tuple[str, str]  # text as it was, or what it was and what it became


def plain(text: str) -> Markup:
    """Any text as HTML that shows it."""
    return Markup(escape(visible(text)))


def join(children: Iterable[Child], between: str = "") -> Markup:
    """Pieces one after another; None is nothing."""
    pieces = [child if isinstance(child, Markup) else plain(child) for child in children if child is not None]
    return Markup(between.join(pieces))


def tag(name: str, /, *children: Child, **attributes: object) -> Markup:
    """An element. ``class_`` is class, underscores are hyphens, True is a bare attribute, None and False are none.

    >>> tag("p", "1 < 2", class_="note", aria_hidden="true")
    '<p class="note" aria-hidden="true">1 &lt; 2</p>'
    """
    return element(name, {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}, children)


def element(name: str, attributes: Mapping[str, object], children: Iterable[Child]) -> Markup:
    """An element whose attributes are spelt as they are written."""
    words = [
        f" {key}" if value is True else f' {key}="{plain(number(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    ]
    head = f"<{name}{''.join(words)}>"
    return Markup(head if name in VOID else f"{head}{join(children)}</{name}>")


def number(value: object) -> str:
    """A number of a picture, with two decimals at most; other values as they are."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def data(value: JsonValue, name: str) -> Markup:
    """Values for the page's script as an element that nothing executes and no text can end early."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return Markup(f'<script type="application/json" id="{plain(name)}">{text}</script>')
