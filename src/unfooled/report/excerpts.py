"""Texts to be read: each with its marked words and what every model wrote, the models one below the other."""

from collections.abc import Sequence

from unfooled.report.markup import Markup, join, tag
from unfooled.report.story import Excerpt, Excerpts, Piece

OPEN = 8  # texts that are seen at once


def excerpts_sections(own: Sequence[Excerpts]) -> list[tuple[str, str, Markup]]:
    """A section for each kind of texts, as (key, name in the navigation, content)."""
    return [
        (f"texts-{place}", one.title, excerpts_section(one, f"texts-{place}"))
        for place, one in enumerate(own)
        if one.texts
    ]


def excerpts_section(own: Excerpts, key: str) -> Markup:
    """The first texts open, the others folded away."""
    cards = [card(text, own.columns) for text in own.texts]
    rest = cards[OPEN:]
    told = (
        f"{len(cards):,} of {own.whole:,} texts are here; the results folder has all."
        if len(cards) < own.whole
        else None
    )
    folded = tag("details", tag("summary", f"{len(rest):,} more"), tag("ol", *rest, class_="cases")) if rest else None
    parts = [tag("p", own.says), tag("p", told) if told else None, tag("ol", *cards[:OPEN], class_="cases"), folded]
    return tag("section", tag("h2", own.title), *parts, id=key)


def card(text: Excerpt, columns: Sequence[str]) -> Markup:
    """One text and a table of what was written."""
    head = tag("thead", tag("tr", tag("th", "model", scope="col"), *(tag("th", name, scope="col") for name in columns)))
    rows = [
        tag(
            "tr",
            tag("th", model, scope="row"),
            *(tag("td", marked(own), data_name=name) for name, own in zip(columns, written, strict=True)),
        )
        for model, written in text.rows
    ]
    return tag(
        "li",
        tag("p", marked(text.text)),
        tag("p", "reference: ", tag("b", text.reference), class_="meta") if text.reference else None,
        tag("table", tag("caption", "What each model wrote"), head, tag("tbody", *rows), class_="readings"),
        class_="case",
    )


def marked(pieces: Sequence[Piece]) -> Markup:
    """A text whose pairs are struck out and marked."""
    return join([piece if isinstance(piece, str) else pair(*piece) for piece in pieces])


def pair(old: str, new: str) -> Markup:
    """What was, struck out, and what is, marked; nothing for what is empty."""
    return join([tag("del", old) if old else None, tag("mark", new) if new else None])
