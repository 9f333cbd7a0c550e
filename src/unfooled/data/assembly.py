"""Splits whose labels are no classes become a dataset, by the same steps that ``datasets`` takes for classes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic

from unfooled.data.columns import Columns
from unfooled.data.datasets import SPLITS, Dataset, DataSettings, overlaps, refuse_none, train_table
from unfooled.data.phrases import place
from unfooled.data.readers import Table
from unfooled.data.rows import Examples
from unfooled.data.sources import Source
from unfooled.data.splits import Label, Split, cut, fingerprint
from unfooled.data.subsample import fewer
from unfooled.errors import BadInput
from unfooled.seeds import digest
from unfooled.types import Texts


@dataclass(frozen=True)
class Reading(Generic[Label]):
    """How one kind of label is read: its columns, its rows, and what draws and fingerprints make of a label.

    ``strata`` are the groups that draws keep in proportion; rows of equal ``together`` are cut off together, such
    as all questions about one paragraph.
    """

    columns: Callable[[Table, DataSettings], tuple[Columns, str | None]]
    rows: Callable[[Table, Columns], Examples[Label]]
    strata: Callable[[Sequence[Label]], list[object]]
    written: Callable[[Label], str]
    together: Callable[[Texts], object] | None = None
    names: Callable[[Sequence[Label]], tuple[str, ...]] = lambda labels: ()  # of the classes in all of train


def assemble(source: Source, settings: DataSettings, seed: int, reading: Reading[Label]) -> Dataset:
    """Train, validation (cut off train where there is none) and test if any, with notes on what was decided."""
    table = train_table(source)
    where = place(table.path)
    columns, guess = reading.columns(table, settings)
    splits: dict[str, Split[Label]] = {}
    notes = [*source.notes, guess]
    for split in SPLITS:
        if split not in source.splits:
            continue
        part = table if split == "train" else source.splits[split]()
        examples = reading.rows(part, columns)
        if examples.lack_labels and split != "train":
            notes.append(f"{split} has no labels, so it is not used")
            continue
        refuse_none(examples, columns, place(part.path))
        splits[split] = Split(examples.texts, examples.labels)
        notes.append(examples.note(split))
    written = {
        name: Split(split.texts, [reading.written(label) for label in split.labels]) for name, split in splits.items()
    }
    names = reading.names(splits["train"].labels)
    mark, train_mark = fingerprint(written, None), fingerprint({"train": written["train"]}, None)
    notes += cut_and_thin(splits, settings, seed, reading, where)
    notes += overlaps(splits)
    said = tuple(note for note in notes if note)
    return Dataset(source.name, splits, names, columns, mark, train_mark, said)


def cut_and_thin(
    splits: dict[str, Split[Label]], settings: DataSettings, seed: int, reading: Reading[Label], where: str
) -> list[str]:
    """Cut validation off train where there is none, then take the fraction and the limit of train."""
    notes: list[str] = []
    if "validation" not in splits:
        whole = splits["train"]
        if reading.together is None:
            groups = reading.strata(whole.labels)
            parts = cut(whole, settings.validation_fraction, seed, "validation", groups)
        else:
            parts = cut_together(whole, settings.validation_fraction, seed, reading.together)
        splits["train"], splits["validation"] = parts
        if not len(splits["validation"]):
            raise BadInput(f"{where}: too few rows to cut off a validation split; give more, or a validation file")
        notes.append(f"validation: {len(splits['validation']):,} rows cut off train by seed {seed}")
    train = splits["train"]
    groups = reading.strata(train.labels)
    splits["train"], said = fewer(train, groups, settings.fraction, settings.limit, seed, where, least=0)
    return notes + said


def cut_together(
    split: Split[Label], fraction: float, seed: int, together: Callable[[Texts], object]
) -> tuple[Split[Label], Split[Label]]:
    """What stays and what is cut off, rows of one unit on one side; one unit always stays."""
    units: dict[object, list[int]] = {}
    for row, texts in enumerate(split.texts):
        units.setdefault(together(texts), []).append(row)
    order = sorted(range(len(units)), key=lambda number: digest(seed, "validation", number))
    groups, away = list(units.values()), set[int]()
    for number in order[:-1]:
        if len(away) >= fraction * len(split):
            break
        away |= set(groups[number])
    return split.take(row for row in range(len(split)) if row not in away), split.take(sorted(away))
