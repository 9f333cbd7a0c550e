"""The rows of a table become texts and labels; rows that lack one are counted and left out."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from unfooled.data.columns import Columns, choose
from unfooled.data.files.tables import DataTable
from unfooled.data.labels import MASKED, Names, label_text
from unfooled.data.phrases import listed, place, shown
from unfooled.data.sources import DataSettings
from unfooled.data.splits import Label
from unfooled.errors import BadInput, option
from unfooled.types import Texts

EMPTY_TEXT = "with empty text"
NO_LABEL = "without a label"
MASKED_LABEL = "labelled -1 or -100 (no label)"
SAMPLE = 200  # rows that a guess of the columns looks at


@dataclass(frozen=True)
class Examples(Generic[Label]):
    """Usable rows as texts and label values, their places in the table, and how many were left out for which reason."""

    texts: list[Texts]
    labels: list[Label]
    left_out: Mapping[str, int]
    rows: list[int]

    @property
    def lack_labels(self) -> bool:
        """Whether there are rows, and the label is what every one of them lacks (hidden test labels)."""
        unlabelled = self.left_out.get(NO_LABEL, 0) + self.left_out.get(MASKED_LABEL, 0)
        return not self.labels and unlabelled > 0

    def note(self, split: str) -> str | None:
        """One sentence on the rows left out, e.g. ``left out 2 rows of train: 2 with empty text``."""
        total = sum(self.left_out.values())
        if not total:
            return None
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.left_out.items() if count)
        return f"left out {total:,} {'row' if total == 1 else 'rows'} of {split}: {reasons}"


@dataclass(frozen=True)
class LabelReading(Generic[Label]):
    """How one kind of label is read: its columns, its rows, and what draws and fingerprints make of a label.

    ``strata`` are the groups that draws keep in proportion, ``least`` rows of each; rows of equal ``together`` are cut
    off together, such as all questions about one paragraph. Labels made of classes say which (``parts``), how they are
    made of them (``joined``), and what ``classes`` there are in train; ``check`` refuses what nothing is learnt from.
    """

    columns: Callable[[DataTable, DataSettings], tuple[Columns, str | None]]
    rows: Callable[[DataTable, Columns], Examples[Label]]
    strata: Callable[[Sequence[Label]], Sequence[object]]
    written: Callable[[Label], str]
    least: int = 0
    together: Callable[[Texts], object] | None = None
    parts: Callable[[Label], Iterable[str]] | None = None
    joined: Callable[[Iterable[Any]], Any] = next  # type: ignore[assignment]
    classes: Callable[[Sequence[Label], Names, Columns, str], tuple[str, ...]] = lambda *_: ()
    check: Callable[[Sequence[Label], str], None] = lambda *_: None

    def renamed(self, labels: Sequence[Label], called: Mapping[str, Any]) -> list[Any]:
        """The labels with their classes called otherwise; those that are made of none stay."""
        if self.parts is None:
            return list(labels)
        return [self.joined(called[part] for part in self.parts(label)) for label in labels]

    def flat(self, labels: Sequence[Label]) -> list[str]:
        """The classes that labels are made of, one after the other."""
        return [part for label in labels for part in self.parts(label)] if self.parts else []


def chosen_columns(table: DataTable, settings: DataSettings) -> tuple[Columns, str | None]:
    """The text and label columns, given or guessed, and a note on a guess."""
    return choose(table.columns, settings.text, settings.label, place(table.path), table.rows[:SAMPLE])


def read_rows(
    table: DataTable, columns: Columns, label_of: Callable[[int, Texts], tuple[Label | None, str]]
) -> Examples[Label]:
    """Texts and labels of a table, in its order; ``label_of`` a row is a label, or none and the reason for that."""
    missing = [name for name in (*columns.text, columns.label) if name not in table.columns]
    if missing:
        raise BadInput(
            f"{place(table.path)}: no column {listed(missing)}, which the other splits have; "
            f"rename one of its columns ({listed(table.columns)})"
        )
    texts: list[Texts] = []
    labels: list[Any] = []
    rows: list[int] = []
    left_out = Counter({EMPTY_TEXT: 0, NO_LABEL: 0, MASKED_LABEL: 0})
    for index, row in enumerate(table.rows):
        some = tuple([row_text(table, index, name, row.get(name)) for name in columns.text])
        label, reason = label_of(index, some) if all(map(str.strip, some)) else (None, EMPTY_TEXT)
        if reason:
            left_out[reason] += 1
        else:
            texts.append(some)
            labels.append(label)
            rows.append(index)
    return Examples(texts, labels, dict(left_out), rows)


def read_classes(table: DataTable, columns: Columns) -> Examples[str]:
    """Texts and the classes beside them, as the data writes them; -1 and -100 stand for none."""

    def label_of(index: int, _: Texts) -> tuple[str, str]:
        label = label_text(plain_value(table, index, columns.label, table.rows[index].get(columns.label)))
        return label, MASKED_LABEL if label in MASKED else "" if label else NO_LABEL

    return read_rows(table, columns, label_of)


def plain_value(table: DataTable, index: int, column: str, value: object) -> str | int | float | None:
    """A value that is one text or number, or none; refused where it is anything else."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    kind = type(value).__name__
    raise BadInput(
        f"{table.at(index, column)}: holds a {kind} ({shown(value, width=40)}), not one text or number; "
        f"choose another column with {option('text')} or {option('label')}"
    )


def row_text(table: DataTable, index: int, column: str, value: object) -> str:
    """A value as the text it is, refused where no tokenizer takes it."""
    text = value if isinstance(value, str) else _number_text(plain_value(table, index, column, value))
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            half = f"U+{ord(text[error.start]):04X}"
            raise BadInput(
                f"{table.at(index, column)}: letter {error.start + 1} is half a character ({half}), "
                f"which no tokenizer takes; mend or delete it"
            ) from None
    return text


def _number_text(value: str | int | float | None) -> str:
    return "" if value is None or (isinstance(value, float) and math.isnan(value)) else str(value)
