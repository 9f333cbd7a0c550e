"""Tables of a page: every number with its interval, readable aloud and on a phone."""

from collections.abc import Iterable, Sequence

from unfooled.report.markup import Child, Markup, tag
from unfooled.scores.score import Score


def table(caption: str, head: Sequence[Child], bodies: Iterable[Markup], class_: str | None = None) -> Markup:
    """A table in a frame that scrolls by itself, with the keyboard too."""
    top = tag("thead", tag("tr", *(tag("th", cell, scope="col") for cell in head)))
    whole = tag("table", tag("caption", caption), top, *bodies, class_=class_)
    return tag("div", whole, class_="scroll", tabindex="0", role="region", aria_label=caption)


def row(name: Child, *cells: Markup) -> Markup:
    """A row whose first cell names it."""
    return tag("tr", tag("th", name, scope="row"), *cells)


def cell(score: Score | None, best: bool = False) -> Markup:
    """A number with its interval below it."""
    if score is None:
        return tag("td", tag("span", "–", aria_label="not measured"), class_="number")
    small = tag("small", score.interval) if score.interval else None
    return tag("td", tag("b" if best else "span", score.text), small, class_="number")
