"""A name becomes a dataset: texts and labels by split, with notes on everything decided on the way."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unfooled.data.classes import CLASSES
from unfooled.data.columns import Columns
from unfooled.data.files.links import discreet
from unfooled.data.files.tables import DataTable
from unfooled.data.labels import Names, apply_names, match_labels, sort_labels
from unfooled.data.phrases import listed, place, shown
from unfooled.data.rows import Examples, LabelReading
from unfooled.data.sources import DataSettings, Source, forget, source_of
from unfooled.data.splits import Label, Split, cut, cut_together, draw, fingerprint, shared_texts, text_key
from unfooled.data.subsample import fewer
from unfooled.errors import BadInput, option

SPLITS = ("train", "validation", "test")


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


@discreet
def load_examples(settings: DataSettings, seed: int, reading: LabelReading[Any] = CLASSES) -> Dataset:
    """Data for training: train, validation (cut off train where there is none) and test if any.

    Classes are numbers, those of sets in order; other labels are as they were read.
    """
    source = source_of(settings)
    where = place(train_table(source).path)
    splits, classes, columns, notes = read_splits(source, settings, reading)
    written = {name: Split(split.texts, [*map(reading.written, split.labels)]) for name, split in splits.items()}
    marks = fingerprint(written), fingerprint({"train": written["train"]})
    notes += cut_and_thin(splits, classes, settings, seed, reading, where)
    reading.check(splits["train"].labels, f"{source.name}, column {shown(columns.label)}")
    notes += overlaps(splits)
    learnt = set(reading.flat(splits["train"].labels))
    absent = [name for name in classes if name not in learnt]
    notes += [f"no row of train is labelled {listed(absent)}"] if absent else []
    numbers = {name: number for number, name in enumerate(classes)}
    numbered = {name: Split(split.texts, reading.renamed(split.labels, numbers)) for name, split in splits.items()}
    return Dataset(source.name, numbered, classes, columns, *marks, tuple(note for note in notes if note))


def read_splits(
    source: Source, settings: DataSettings, reading: LabelReading[Label]
) -> tuple[dict[str, Split[Label]], tuple[str, ...], Columns, list[str | None]]:
    """Every usual split with its labels by name, the classes of train, the columns, and notes."""
    columns, guess = reading.columns(train_table(source), settings)
    names = label_names(source, settings, columns)
    splits: dict[str, Split[Label]] = {}
    classes: tuple[str, ...] = ()
    notes: list[str | None] = [*source.notes, guess]
    for split in (name for name in SPLITS if name in source.splits):
        table = source.splits[split]()
        where, examples = place(table.path), reading.rows(table, columns)
        notes += table.notes
        forget()  # the examples hold the texts from here on
        if examples.lack_labels and split != "train":
            notes.append(f"{split} has no labels, so it is not used")
            continue
        refuse_none(examples, columns, where)
        parts = reading.flat(examples.labels)
        called = dict(zip(parts, apply_names(parts, names, where) if names else parts, strict=True))
        labels = reading.renamed(examples.labels, called)
        classes = reading.classes(labels, names, columns, where) if split == "train" else classes
        strange = sort_labels(set(called.values()) - set(classes))
        if strange:
            raise BadInput(
                f"{where}, column {shown(columns.label)}: label {listed(strange)} does not occur in train "
                f"({listed(classes)}); add such rows to train, or take them out here"
            )
        splits[split] = Split(examples.texts, labels)
        notes.append(examples.note(split))
    return splits, classes, columns, notes


@discreet
def load_split(
    settings: DataSettings,
    labels: Sequence[str],
    split: str | None = None,
    limit: int | None = None,
    seed: int = 0,
    reading: LabelReading[Any] = CLASSES,
) -> tuple[Split[Any], str, tuple[str, ...]]:
    """One split for a model with these label names, its fingerprint, and notes.

    Without a name it is test, else validation, else train or the file itself; ``limit`` rows are drawn by
    seed, stratified. Classes are numbers of the model's ``labels``.
    """
    source = source_of(settings)
    notes: list[str | None] = [*source.notes]
    wanted = wanted_splits(source, split)
    for name in wanted:
        table = source.splits[name]()
        columns, guess = reading.columns(table, settings)
        examples = reading.rows(table, columns)
        notes += table.notes
        if not examples.lack_labels or name == wanted[-1]:
            break
        notes.append(f"{name} has no labels, so another split is used")
    where = place(table.path)
    refuse_none(examples, columns, where)
    names = label_names(source, settings, columns) if name in SPLITS else ()
    parts = reading.flat(examples.labels)
    numbers, how = match_labels(parts, names, labels, where) if parts else ([], None)
    called = {part: labels[number] for part, number in zip(parts, numbers, strict=True)}
    chosen = whole = Split(examples.texts, reading.renamed(examples.labels, called))
    title = source.name if source.is_one_file and name == "train" else name
    notes += [guess, examples.note(title), how]
    if limit is not None and limit < len(whole):
        chosen = whole.take(draw(reading.strata(whole.labels), limit, seed, "evaluation"))
        notes.append(f"{title}: {len(chosen):,} of {len(whole):,} rows, drawn by seed {seed}")
    mark = fingerprint({name: Split(whole.texts, [*map(reading.written, whole.labels)])})
    order = {label: number for number, label in enumerate(labels)}
    numbered = Split(chosen.texts, reading.renamed(chosen.labels, order))
    return numbered, mark, tuple(note for note in notes if note)


def wanted_splits(source: Source, split: str | None) -> list[str]:
    """The split asked for, or those to try in turn; a split whose labels are hidden sends on to the next."""
    names = list(reversed(SPLITS)) if split is None else [split]
    there = [name for name in names if name in source.splits]
    if not there:
        raise BadInput(
            f"{source.name} has no {split or 'train, validation or test'} split; name one of {listed(source.splits)}"
        )
    return there


def train_table(source: Source) -> DataTable:
    """The rows of the training split."""
    if "train" not in source.splits:
        raise BadInput(
            f"{source.name} has no train split (it has {listed(source.splits)}); name other data, or the file itself"
        )
    return source.splits["train"]()


def label_names(source: Source, settings: DataSettings, columns: Columns) -> Names:
    """Label names of the source, unless another label column than the usual one was asked for."""
    return source.names if settings.label is None or columns.label.casefold() == "label" else ()


def refuse_none(examples: Examples, columns: Columns, where: str) -> None:
    """Refuse data of which no row can be used."""
    if not examples.texts:
        raise BadInput(
            f"{where}: no usable row ({examples.note('the file')}); check columns {listed(columns.text)} and "
            f"{shown(columns.label)}, or name others with {option('text')} and {option('label')}"
        )


def cut_and_thin(
    splits: dict[str, Split[Label]],
    classes: Sequence[str],
    settings: DataSettings,
    seed: int,
    reading: LabelReading[Label],
    where: str,
) -> list[str]:
    """Cut validation off train where there is none, then draw a fraction, and at most ``limit`` rows, of train."""
    notes: list[str] = []
    whole, fraction, limit = splits["train"], settings.validation_fraction, settings.limit
    was_cut = "validation" not in splits
    if was_cut and reading.together is not None:
        splits["train"], splits["validation"] = cut_together(whole, fraction, seed, reading.together)
    elif was_cut:
        splits["train"], splits["validation"] = cut(whole, fraction, seed, "validation", reading.strata(whole.labels))
        counts = Counter(reading.flat(whole.labels))
        single = [name for name in classes if counts[name] == 1]
        notes += [f"labels with a single row, which stays in train: {listed(single)}"] if single else []
    if not len(splits["validation"]):
        raise BadInput(f"{where}: too few rows to cut off a validation split; give more, or a validation file")
    train = splits["train"]
    splits["train"], said = fewer(
        train, reading.strata(train.labels), settings.fraction, limit, seed, where, reading.least
    )
    notes += said
    if reading.least and was_cut and limit is not None and limit < len(train):
        rows = max(round(limit * fraction / (1 - fraction)), len(classes))
        validation = splits["validation"]
        if rows < len(validation):
            # A short training run should not spend its time on validating a long split.
            splits["validation"] = validation.take(draw(reading.strata(validation.labels), rows, seed, "limit"))
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
