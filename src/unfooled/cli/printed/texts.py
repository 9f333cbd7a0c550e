"""Texts of trials on the terminal: each with what every model made of it, models side by side."""

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from unfooled.cli.printed.tables import short
from unfooled.results.folder import Results
from unfooled.terminal import show, visible
from unfooled.trials.passages import Passage, Passages, most_telling

ROWS = ("as it is", "moved")


def print_texts(results: Results, most: int = 5) -> None:
    """The first texts of each trial that has some, the most telling first."""
    for trial in dict.fromkeys(one.trial for one in results.trials if one.form.passages is not None):
        own = [one for one in results.trials if one.trial == trial]
        form = own[0].form.passages
        if form is not None:
            told, count = most_telling(form, {one.model: one.briefs for one in own}, most)
            show(texts_table(told, form, [one.model for one in own], count))


def texts_table(own: Sequence[Passage], form: Passages, models: Sequence[str], count: int) -> Table:
    """Some of so many texts of a trial: one row for each of its columns, the models beside each other."""
    rows = len(form.columns)
    table = Table(box=SIMPLE_HEAD, expand=True)
    table.add_column(plain(form.heading), overflow="fold", ratio=3)
    if rows > 1:
        table.add_column("", no_wrap=True)
    for name in short(models):
        table.add_column(plain(name), overflow="fold", ratio=3 if rows > 1 else 4)
    for one in own:
        table.add_section()
        written = [one.written.get(model, ()) for model in models]
        for place, first in enumerate(first_cells(one, rows)):
            how = [plain(ROWS[place] if place < rows else "")] if rows > 1 else []
            table.add_row(plain(first), *how, *(plain(own[place] if place < len(own) else "") for own in written))
    if count > len(own):
        table.caption = f"{len(own)} of {count:,} texts; the folder has all"
    return table


def first_cells(one: Passage, rows: int) -> Iterator[str]:
    """What stands at the left of a text's rows: the text, its reference, nothing."""
    told = [in_brackets(one), *([f"reference: {one.reference}"] if one.reference else [])]
    yield from told
    yield from [""] * (rows - len(told))


def in_brackets(one: Passage) -> str:
    """The text, its moved word in brackets; a word that is all of it needs none.

    >>> in_brackets(Passage("the old man", "old", "", {}, 4))
    'the [old] man'
    """
    before, word, behind = one.cut
    return f"{before}[{word}]{behind}" if word and before + behind else one.text


def plain(text: str) -> Text:
    """Text as it is: brackets are no markup, and controls are shown instead of obeyed."""
    return Text(visible(text))
