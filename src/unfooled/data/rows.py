"""The rows of a table become texts and labels; rows that lack one are counted and left out."""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic

from unfooled.data.columns import Columns
from unfooled.data.labels import MASKED, label_text
from unfooled.data.phrases import listed, place, shown
from unfooled.data.readers import Table
from unfooled.data.splits import Label
from unfooled.errors import BadInput
from unfooled.types import Texts

EMPTY_TEXT = "with empty text"
NO_LABEL = "without a label"
MASKED_LABEL = "labelled -1 or -100 (no label)"


@dataclass(frozen=True)
class Examples(Generic[Label]):
    """Usable rows as texts and label values, and how many rows were left out for which reason."""

    texts: list[Texts]
    labels: list[Label]
    left_out: Mapping[str, int]

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


def read_examples(table: Table, columns: Columns, masked: frozenset[str] = MASKED) -> Examples[str]:
    """Texts and labels of a table, in its order; ``masked`` labels stand for none."""
    check_columns(table, columns)
    texts: list[Texts] = []
    labels: list[str] = []
    left_out: Counter[str] = Counter({EMPTY_TEXT: 0, NO_LABEL: 0, MASKED_LABEL: 0})
    for index, row in enumerate(table.rows):
        some = tuple([row_text(table, index, name, row.get(name)) for name in columns.text])
        label = label_text(_plain_value(table, index, columns.label, row.get(columns.label)))
        if not all(map(str.strip, some)):
            left_out[EMPTY_TEXT] += 1
        elif not label:
            left_out[NO_LABEL] += 1
        elif label in masked:
            left_out[MASKED_LABEL] += 1
        else:
            texts.append(some)
            labels.append(label)
    return Examples(texts, labels, dict(left_out))


def _plain_value(table: Table, index: int, column: str, value: object) -> str | int | float | None:
    if value is None or isinstance(value, (str, int, float)):
        return value
    kind = type(value).__name__
    raise BadInput(
        f"{table.at(index, column)}: holds a {kind} ({shown(value, width=40)}), not one text or number; "
        f"choose another column with --text or --label"
    )


def check_columns(table: Table, columns: Columns) -> None:
    """Refuse a table that lacks a column."""
    missing = [name for name in (*columns.text, columns.label) if name not in table.columns]
    if missing:
        raise BadInput(
            f"{place(table.path)}: no column {listed(missing)}, which the other splits have; "
            f"rename one of its columns ({listed(table.columns)})"
        )


def row_text(table: Table, index: int, column: str, value: object) -> str:
    """A value as the text it is, refused where no tokenizer takes it."""
    text = value if isinstance(value, str) else _number_text(_plain_value(table, index, column, value))
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
