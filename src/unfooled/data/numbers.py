"""Labels that are numbers, as the similarity of two sentences (STS-B)."""

from collections.abc import Sequence

from unfooled.data.columns import Columns
from unfooled.data.files.tables import DataTable
from unfooled.data.labels import label_text, number_in
from unfooled.data.phrases import shown
from unfooled.data.rows import MASKED_LABEL, NO_LABEL, Examples, LabelReading, chosen_columns, plain_value, read_rows
from unfooled.errors import BadInput, option
from unfooled.types import Texts

STRATA = 10  # groups of similar numbers that draws keep in proportion


def read_numbers(table: DataTable, columns: Columns) -> Examples[float]:
    """Texts and numbers; where every label is -1 there is none, but a -1 among others is a number."""

    def label_of(index: int, _: Texts) -> tuple[float | None, str]:
        value = plain_value(table, index, columns.label, table.rows[index].get(columns.label))
        number = number_in(value)
        if number is None and label_text(value):
            raise BadInput(
                f"{table.at(index, columns.label)}: holds {shown(value)}, not a number; mend the row, name another "
                f"column with {option('label')}, or train classes with {option('task', 'classification')}"
            )
        return number, NO_LABEL if number is None else ""

    examples = read_rows(table, columns, label_of)
    if set(examples.labels) == {-1.0}:
        return Examples([], [], {**examples.left_out, MASKED_LABEL: len(examples.labels)}, [])
    return examples


def by_size(labels: Sequence[float]) -> list[object]:
    """Ten groups of about as many rows each, from the smallest numbers to the largest; equal numbers stay together."""
    import numpy as np

    edges = np.quantile(labels, np.arange(1, STRATA) / STRATA)
    return [int(group) for group in np.searchsorted(edges, labels, side="right")]


def refuse_equal(labels: Sequence[float], where: str) -> None:
    """Refuse numbers that do not differ."""
    if len(set(labels)) < 2:
        raise BadInput(
            f"{where}: every training row is labelled {labels[0]:g}; numbers are learnt from rows that differ"
        )


NUMBERS: LabelReading[float] = LabelReading(
    chosen_columns, read_numbers, strata=by_size, written=repr, check=refuse_equal
)
