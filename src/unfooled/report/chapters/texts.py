"""Texts to be read: each with its marked words and what every model wrote, the models one below the other."""

from collections.abc import Sequence
from difflib import SequenceMatcher

from unfooled.report.chapter import Chapter
from unfooled.report.markup import Markup, Piece, join, tag
from unfooled.report.told import Told
from unfooled.trials.passages import Passage, Passages, most_telling

MOST = 100  # texts of a trial on a page
OPEN = 8  # texts that are seen at once


def content(told: Told) -> dict[str, Markup]:
    """A section for each trial that has texts, what models wrote twice first."""
    forms = {one.trial: form for one in told.results.trials if (form := one.form.passages) is not None}
    sections = {}
    for trial, form in sorted(forms.items(), key=lambda pair: -len(pair[1].columns)):
        own = [one for one in told.results.trials if one.trial == trial]
        passages, count = most_telling(form, {one.model: one.briefs for one in own}, MOST)
        if passages:
            sections[form.title] = section(form, form.says(own[0].header.settings), passages, count)
    return sections


def section(form: Passages, says: str, passages: Sequence[Passage], count: int) -> Markup:
    """The most telling of so many texts, a screenful open, the others folded away."""
    cards = [card(one, form.columns) for one in passages]
    left_out = f"{len(cards):,} of {count:,} texts are here; the results folder has all."
    rest = cards[OPEN:]
    folded = tag("details", tag("summary", f"{len(rest):,} more"), tag("ol", *rest, class_="cases")) if rest else None
    return join(
        [
            tag("p", says),
            tag("p", left_out) if len(cards) < count else None,
            tag("ol", *cards[:OPEN], class_="cases"),
            folded,
        ]
    )


def card(one: Passage, columns: Sequence[str]) -> Markup:
    """One text and a table of what was written."""
    head = tag("thead", tag("tr", tag("th", "model", scope="col"), *(tag("th", name, scope="col") for name in columns)))
    rows = [
        tag(
            "tr",
            tag("th", model, scope="row"),
            *(tag("td", marked(own), data_name=name) for name, own in zip(columns, compared(written), strict=True)),
        )
        for model, written in one.written.items()
    ]
    return tag(
        "li",
        tag("p", marked(with_marked(one))),
        tag("p", "reference: ", tag("b", one.reference), class_="meta") if one.reference else None,
        tag("table", tag("caption", "What each model wrote"), head, tag("tbody", *rows), class_="readings"),
        class_="case",
    )


def marked(pieces: Sequence[Piece]) -> Markup:
    """A text whose pairs are struck out and marked."""
    return join([piece if isinstance(piece, str) else pair(*piece) for piece in pieces])


def pair(old: str, new: str) -> Markup:
    """What was, struck out, and what is, marked; nothing for what is empty."""
    return join([tag("del", old) if old else None, tag("mark", new) if new else None])


def compared(written: Sequence[str]) -> tuple[tuple[Piece, ...], ...]:
    """What a model wrote, column by column; what is not in the first is marked in the others."""
    first, *others = written
    return ((first,), *(differing(first, other) for other in others))


def with_marked(one: Passage) -> tuple[Piece, ...]:
    """A text whose moved word is marked."""
    before, word, behind = one.cut
    pieces: list[Piece] = [before, *([("", word)] if word else []), behind]
    return tuple(piece for piece in pieces if piece)


def differing(before: str, after: str) -> tuple[Piece, ...]:
    """The second text, its words that the first has not marked and those that are gone struck out.

    >>> differing("a dog ran home", "a cat ran")
    ('a ', ('', 'cat'), ' ran ', ('home', ''))
    """
    old, new = before.split(), after.split()
    pieces: list[Piece] = []
    for how, old_start, old_end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        gone, here = " ".join(old[old_start:old_end]), " ".join(new[new_start:new_end])
        piece: Piece = here if how == "equal" else (gone if how == "delete" else "", here)
        pieces += [" ", piece] if pieces else [piece]
    return merged(pieces)


def merged(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Pieces of plain text that follow one another as one."""
    whole: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str) and whole and isinstance(whole[-1], str):
            whole[-1] += piece
        else:
            whole.append(piece)
    return tuple(whole)


CHAPTER = Chapter("Texts", content)
