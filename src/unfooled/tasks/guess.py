"""The task that data asks for, guessed from how it looks; said in a note, and overruled by ``--task``."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from unfooled.data.columns import choose
from unfooled.data.datasets import DataSettings, source_of, train_table
from unfooled.data.embedded import MOVIE_REVIEWS
from unfooled.data.label_sets import is_dialogue
from unfooled.data.numbers import number_in
from unfooled.data.phrases import place
from unfooled.data.questions import ANSWERS, CONTEXTS, QUESTIONS, flattened, known
from unfooled.data.readers import Table
from unfooled.data.sources import data_root
from unfooled.errors import BadInput

SAMPLE = 2000  # rows that are looked at
MANY = 10  # different numbers, above which they are not classes
CLASSIFICATION = ("classification", "")


def guess(settings: DataSettings) -> tuple[str, str]:
    """A task, and the reason in a few words; classification, for no reason, where nothing speaks for another.

    What cannot be read is no matter here: whoever reads it next says what is wrong with it.
    """
    if settings.source == MOVIE_REVIEWS:
        return CLASSIFICATION  # known to be, and slow to read twice
    lines = guess_by_files(settings)
    if lines:
        return lines
    try:
        source = source_of(settings)
        return CLASSIFICATION if "train" not in source.splits else guess_by_rows(train_table(source), settings)
    except BadInput:
        return CLASSIFICATION


def guess_by_files(settings: DataSettings) -> tuple[str, str] | None:
    """Plain text is for a language model; plain text in two languages, line by line, for a translator."""
    root = data_root()
    for path in (Path(settings.source).expanduser(), *([root / settings.source] if root else [])):
        if path.is_file() and is_plain(path.name):
            return "lm", f"{path.name} is plain text"
        names = sorted(file.name for file in path.iterdir()) if path.is_dir() else []
        trains = [name for name in names if is_plain(name) and name.split(".")[0] == "train"]
        languages = {name.split(".")[1] for name in trains if len(name.removesuffix(".gz").split(".")) == 3}
        if len(languages) > 1:
            return "translation", f"it has the same lines in {', '.join(sorted(languages))}"
        if trains:
            return "lm", f"{trains[0]} is plain text"
        if names:
            return None
    return None


def is_plain(name: str) -> bool:
    """Whether a file is plain text by its name."""
    return name.lower().removesuffix(".gz").endswith(".txt")


def guess_by_rows(table: Table, settings: DataSettings) -> tuple[str, str]:
    """The task of a table: by its columns, or by the values of its label column."""
    if is_dialogue(table):
        return "multilabel", "its rows are dialogues with relations"
    names = flattened(table).columns
    label = settings.label or known(names, ANSWERS)
    rows = flattened(table).rows[:SAMPLE]
    if known(names, QUESTIONS) and known(names, CONTEXTS) and label and most(map(is_answers, column(rows, label))):
        return "span", f"column {label} holds answers with their places in a context"
    columns, _ = choose(table.columns, settings.text, settings.label, place(table.path), rows[:200])
    values = column(rows, columns.label)
    if most(isinstance(value, list | tuple) for value in values):
        return "multilabel", f"column {columns.label} holds lists"
    numbers = [number for number in map(number_in, values) if number is not None]
    fractions = any(not number.is_integer() for number in numbers)
    if most(number_in(value) is not None for value in values) and fractions and len(set(numbers)) > MANY:
        return "regression", f"column {columns.label} holds {len(set(numbers))} different numbers"
    return CLASSIFICATION


def column(rows: Sequence[Mapping[str, object]], name: str) -> list[object]:
    """The values of a column, without the missing ones."""
    return [row[name] for row in rows if row.get(name) not in (None, "")]


def most(truths: Iterable[bool]) -> bool:
    """Whether more than half are true."""
    found = list(truths)
    return sum(found) * 2 > len(found)


def is_answers(value: object) -> bool:
    """Whether a value is answers with texts, as SQuAD writes them."""
    if isinstance(value, Mapping):
        return "text" in value
    return isinstance(value, list) and all(isinstance(one, Mapping) and "text" in one for one in value)
