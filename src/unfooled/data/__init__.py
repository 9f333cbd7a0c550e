"""Texts on disk become examples: readers, columns, labels, splits and datasets."""

from unfooled.data.columns import Columns
from unfooled.data.datasets import Dataset, DataSettings, load, load_split
from unfooled.data.readers import Table, read_table
from unfooled.data.sources import known_names
from unfooled.data.splits import Split

__all__ = [
    "Columns",
    "DataSettings",
    "Dataset",
    "Split",
    "Table",
    "known_names",
    "load",
    "load_split",
    "read_table",
]
