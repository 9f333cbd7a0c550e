"""The rows of somebody's dataset with their numbers, through somebody's collator, and what can be read off them."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset, IterableDataset

from unfooled.data.columns import choose
from unfooled.errors import BadInput
from unfooled.loops.inputs import INDEX, LABELS, tokens_of
from unfooled.tokens import Encoded
from unfooled.types import Texts

CHUNK = 256  # rows that are collated together where all are read
ALIKE = 8  # rows whose tokens are held against those of their texts
Row = Mapping[str, Any]
Collate = Callable[[list[Row]], Any]


class NumberedRows(Dataset):
    """A dataset whose rows say their own number; rows that a method adds come after those there are."""

    def __init__(self, rows: Any, added: Sequence[Row] = ()) -> None:
        self.rows, self.added = rows, added

    def __len__(self) -> int:
        return len(self.rows) + len(self.added)

    def __getitem__(self, place: int) -> dict[str, Any]:
        first = len(self.rows)
        return {**(self.rows[place] if place < first else self.added[place - first]), INDEX: place}

    def __getitems__(self, places: Sequence[int]) -> list[dict[str, Any]]:
        """Several at once, as a dataset of the hub's kind gives them faster."""
        if not hasattr(self.rows, "__getitems__") or max(places) >= len(self.rows):
            return [self[place] for place in places]
        found = self.rows.__getitems__(list(places))
        return [{**row, INDEX: place} for place, row in zip(places, found, strict=True)]


class NumberedCollator:
    """Somebody's collator, to which the numbers of rows are nothing; they stand beside what it makes of the rows."""

    def __init__(self, collate: Collate) -> None:
        self.collate = collate

    def __call__(self, rows: list[Row]) -> Any:
        """The batch of some rows, with their numbers."""
        numbers = [row[INDEX] for row in rows]
        made = self.collate([{name: value for name, value in row.items() if name != INDEX} for row in rows])
        if not isinstance(made, Mapping) and not hasattr(made, "items"):
            raise BadInput(f"the data collator makes a {type(made).__name__}; methods need a dict of tensors by name")
        ids = made.get("input_ids")
        if ids is not None and len(ids) != len(numbers):
            raise BadInput(
                f"the data collator makes {len(ids)} rows of {len(numbers)}; methods must know which row is which: use "
                "one that leaves rows apart, such as DataCollatorWithPadding"
            )
        return {**made, INDEX: torch.tensor(numbers)}


def check_rows(dataset: Any) -> None:
    """Refuse what has no rows by number."""
    if isinstance(dataset, IterableDataset) or not hasattr(dataset, "__len__") or not hasattr(dataset, "__getitem__"):
        raise BadInput(
            f"the training set is a {type(dataset).__name__}, whose rows have no numbers by which a method could know "
            "them again; give one with a length, such as Dataset.from_list(list(it))"
        )
    if not len(dataset) or not isinstance(dataset[0], Mapping):
        kind = type(dataset[0]).__name__ if len(dataset) else "no row at all"
        raise BadInput(f"the first row of the training set is {kind}; rows must be dicts of input_ids, labels, …")


def label_column(dataset: Any, label_names: Sequence[str]) -> str:
    """The column of labels, as the trainer would find it."""
    columns = columns_of(dataset)
    usual = [name for name in (*label_names, LABELS, "label", "label_ids") if name in columns]
    if not usual:
        raise BadInput(f"the training set has no column of labels (it has {', '.join(columns)}); call it labels")
    return usual[0]


def columns_of(dataset: Any) -> list[str]:
    """The names of a dataset's columns."""
    return list(getattr(dataset, "column_names", None) or dataset[0])


def column(dataset: Any, name: str) -> list[Any]:
    """One value of every row; a dataset of the hub's kind is asked for the column alone."""
    if hasattr(dataset, "select_columns"):
        return list(dataset.select_columns([name])[name])
    return [dataset[place][name] for place in range(len(dataset))]


def text_columns(dataset: Any, wanted: str | None, label: str, who: str) -> tuple[str, ...]:
    """The columns of texts, as named or guessed."""
    some = [dataset[place] for place in range(min(len(dataset), ALIKE))]
    words = [name for name in columns_of(dataset) if isinstance(some[0][name], str) and name != label]
    if not words and wanted is None:
        raise BadInput(
            f"{who} changes words of the training texts, and the dataset has none (it has "
            f"{', '.join(columns_of(dataset))}); keep the column of texts when you tokenise (no remove_columns)"
        )
    return choose([*words, label], wanted, label, "train_dataset", some)[0].text


def texts_of(dataset: Any, names: Sequence[str]) -> list[Texts]:
    """The texts of every row."""
    return list(zip(*(column(dataset, name) for name in names), strict=True))


def added_rows(
    dataset: Any, texts: Sequence[Texts], names: Sequence[str], labels: tuple[str, Sequence[Any]], cut: Any
) -> list[Row]:
    """Rows that a method adds, with the columns that those of the dataset have; ``cut`` tokenises a text."""
    label, values = labels
    known = set(columns_of(dataset))
    return [
        {
            **{name: value for name, value in cut(own).items() if name in known},
            **dict(zip(names, own, strict=True)),
            label: value,
        }
        for own, value in zip(texts, values, strict=True)
    ]


def check_alike(dataset: Any, texts: Sequence[Texts], names: Sequence[str], cut: Any) -> None:
    """Refuse texts that are not what the rows' own tokens were made of: a method would train on something else."""
    for place in range(min(len(dataset), ALIKE)):
        row = dataset[place]
        if "input_ids" not in row:
            return  # the collator tokenises
        mask = row.get("attention_mask", [1] * len(row["input_ids"]))
        own = [int(token) for token, real in zip(row["input_ids"], mask, strict=True) if real]
        if own != list(cut(texts[place])["input_ids"]):
            raise BadInput(
                f"row {place}: {', '.join(names)} is not what its input_ids were made of; name the column with text=, "
                "and with max_length= where texts were cut"
            )


def encoded_rows(rows: NumberedRows, collate: Collate, padding: int) -> Encoded:
    """All rows as tokens, through the collator that training uses."""
    ids: list[np.ndarray] = []
    segments: list[np.ndarray] = []
    with torch.random.fork_rng(devices=[]):
        for start in range(0, len(rows), CHUNK):
            made = collate([rows[place] for place in range(start, min(start + CHUNK, len(rows)))])
            tokens = tokens_of(made)
            for place, mask in enumerate(tokens.mask):
                ids.append(tokens.ids[place][mask].numpy().astype(np.int32))
                if tokens.segments is not None:
                    segments.append(tokens.segments[place][mask].numpy().astype(np.int8))
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in ids])]).astype(np.int64)
    return Encoded(np.concatenate(ids), np.concatenate(segments) if segments else None, offsets, padding)
