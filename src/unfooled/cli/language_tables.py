"""What language models and translators were found to do, on the terminal: numbers, then texts, models side by side."""

from collections.abc import Iterator, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from unfooled.cli.tables import cell, short
from unfooled.evaluation.language_results import Found
from unfooled.evaluation.metrics import Score
from unfooled.evaluation.passages import CHANGED, COLUMNS, Passage, changed, passages
from unfooled.report.markup import visible

ROWS = ("as it is", "moved")
TITLES = {
    "neighbours": "word",
    "continuation": "text up to the [moved] word",
    "quality": "source",
    "side_by_side": "source with its [moved] word",
}


def print_found(found: Sequence[Found], most: int = 5) -> None:
    """One row a number, one column a model; then the first texts of each trial with what every model made of them."""
    models = list(dict.fromkeys(each.model for each in found))
    cells: dict[tuple[str, str], dict[str, Score]] = {}
    for each in found:
        share = changed(each)
        scores = {**each.scores, **({} if share is None else {CHANGED: share})}
        for name, score in scores.items():
            cells.setdefault((each.trial, name), {})[each.model] = score
    table = columned(models)
    for (trial, name), own in cells.items():
        table.add_row(plain(f"{trial}: {name}"), *(plain(cell(own[model]) if model in own else "") for model in models))
    console = Console()
    if cells:
        console.print(table)
        console.print("brackets are 95 % intervals", highlight=False)
    for trial in dict.fromkeys(each.trial for each in found if each.trial in COLUMNS):
        console.print(texts_table(passages(found, trial), trial, models, most))


def columned(models: Sequence[str]) -> Table:
    """A table with a column for each model's numbers."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column("", overflow="fold")
    for name in short(models):
        table.add_column(plain(name), justify="right", overflow="fold")
    return table


def texts_table(own: Sequence[Passage], trial: str, models: Sequence[str], most: int) -> Table:
    """The first texts of a trial: one row for each of its columns, the models beside each other."""
    rows = len(COLUMNS[trial])
    table = Table(box=SIMPLE_HEAD, expand=True)
    table.add_column(plain(TITLES[trial]), overflow="fold", ratio=3)
    if rows > 1:
        table.add_column("", no_wrap=True)
    for name in short(models):
        table.add_column(plain(name), overflow="fold", ratio=3 if rows > 1 else 4)
    for one in sorted(own, key=lambda one: not one.moved)[:most]:
        table.add_section()
        written = [one.written.get(model, ()) for model in models]
        for place, first in enumerate(first_cells(one, rows)):
            how = [plain(ROWS[place] if place < rows else "")] if rows > 1 else []
            table.add_row(plain(first), *how, *(plain(own[place] if place < len(own) else "") for own in written))
    if len(own) > most:
        table.caption = f"{most} of {len(own):,} texts; the folder has all"
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
