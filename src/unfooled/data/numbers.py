"""Data whose labels are numbers, as the similarity of two sentences (STS-B)."""

import math
from collections.abc import Sequence

import numpy as np

from unfooled.data.assembly import Reading, assemble
from unfooled.data.columns import Columns, choose
from unfooled.data.datasets import Dataset, DataSettings, source_of
from unfooled.data.labels import label_text
from unfooled.data.phrases import place, shown
from unfooled.data.readers import Table
from unfooled.data.rows import MASKED_LABEL, Examples, read_examples
from unfooled.errors import BadInput

STRATA = 10  # groups of similar numbers that draws keep in proportion


def load_numbers(settings: DataSettings, seed: int) -> Dataset:
    """Splits whose labels are floats."""
    dataset = assemble(source_of(settings), settings, seed, reading())
    if len(set(dataset.train.labels)) < 2:
        raise BadInput(
            f"{dataset.name}, column {shown(dataset.columns.label)}: every training row is labelled "
            f"{dataset.train.labels[0]:g}; numbers are learnt from rows that differ"
        )
    return dataset


def reading() -> Reading[float]:
    """How numbers are read."""
    return Reading(columns_of, read_numbers, by_size, repr)


def columns_of(table: Table, settings: DataSettings) -> tuple[Columns, str | None]:
    """The text and label columns, given or guessed."""
    return choose(table.columns, settings.text, settings.label, place(table.path), table.rows[:200])


def read_numbers(table: Table, columns: Columns) -> Examples[float]:
    """Texts and numbers; where every label is -1 there is none, but a -1 among others is a number."""
    found = read_examples(table, columns, masked=frozenset())
    for index, row in enumerate(table.rows):
        value = row.get(columns.label)
        if number_in(value) is None and label_text(value):  # type: ignore[arg-type]
            raise BadInput(
                f"{table.at(index, columns.label)}: holds {shown(value)}, not a number; mend the row, name another "
                f"column with --label, or train classes with --task classification"
            )
    if set(found.labels) == {"-1"}:
        return Examples([], [], {**found.left_out, MASKED_LABEL: len(found.labels)})
    return Examples(found.texts, [float(label) for label in found.labels], found.left_out)


def number_in(value: object) -> float | None:
    """The finite number a value is or spells, if any.

    >>> [number_in(value) for value in (2, "2.5", True, "two", "nan", None)]
    [2.0, 2.5, None, None, None, None]
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def by_size(labels: Sequence[float]) -> list[object]:
    """Ten groups of about as many rows each, from the smallest numbers to the largest; equal numbers stay together."""
    edges = np.quantile(labels, np.arange(1, STRATA) / STRATA)
    return [int(group) for group in np.searchsorted(edges, labels, side="right")]
