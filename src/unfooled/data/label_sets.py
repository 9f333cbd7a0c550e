"""Data whose labels are lists of classes, as the relations of two people in a dialogue (DialogRE).

A row holds its labels as a list, which JSON lines and Parquet can write. A row of DialogRE's form holds a dialogue
(a list of turns) and relations between pairs x, y; it becomes one example per pair: the dialogue, and the pair.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from unfooled.data.assembly import Reading, assemble
from unfooled.data.columns import Columns, choose
from unfooled.data.datasets import Dataset, DataSettings, source_of
from unfooled.data.labels import Names, apply_names, label_text, sort_labels
from unfooled.data.phrases import listed, place, shown
from unfooled.data.readers import Table
from unfooled.data.rows import EMPTY_TEXT, NO_LABEL, Examples, check_columns, row_text
from unfooled.data.splits import Split
from unfooled.errors import BadInput
from unfooled.types import Texts

Labels = tuple[str, ...]
DIALOGUE = Columns(("dialogue", "x; y"), "relations")  # of DialogRE's form
BETWEEN = "; "  # the two arguments of a relation


def load_sets(settings: DataSettings, seed: int) -> Dataset:
    """Splits whose labels are tuples of class numbers, in order."""
    source = source_of(settings)
    dataset = assemble(source, settings, seed, reading(source.names))
    names = tuple(name for _, name in source.names) or dataset.labels
    if len(names) < 2:
        raise BadInput(f"{dataset.name}: its lists hold {len(names)} different label; training needs two or more")
    number = {name: place for place, name in enumerate(names)}
    splits = {}
    for title, split in dataset.splits.items():
        strange = [label for label in occurring(split.labels) if label not in number]
        if strange:
            raise BadInput(
                f"{dataset.name}, {title}: label {listed(strange)} does not occur in train ({listed(names)}); "
                f"add such rows to train, or take them out there"
            )
        numbered = [tuple(sorted(number[label] for label in labels)) for labels in split.labels]
        splits[title] = Split(split.texts, numbered)
    learnt = set(occurring(dataset.train.labels))
    absent = [name for name in names if name not in learnt]
    note = (f"no row of train is labelled {listed(absent)}",) if absent else ()
    return replace(dataset, splits=splits, labels=names, notes=(*dataset.notes, *note))


def reading(names: Names) -> Reading[Labels]:
    """How sets are read, by name where the data has names for ids; pairs of one dialogue belong together."""
    return Reading(columns_of, partial(read_sets, names=names), by_first, "\x1f".join, first_text, occurring)


def columns_of(table: Table, settings: DataSettings) -> tuple[Columns, str | None]:
    """The text and label columns, given or guessed; DialogRE's form is known by its columns."""
    if is_dialogue(table) and settings.text is None and settings.label is None:
        return DIALOGUE, "columns: each pair of relations is an example, its text the dialogue and the pair"
    return choose(table.columns, settings.text, settings.label, place(table.path), table.rows[:200])


def is_dialogue(table: Table) -> bool:
    """Whether a table is of DialogRE's form."""
    return {"dialogue", "relations"} <= set(table.columns)


def read_sets(table: Table, columns: Columns, names: Names) -> Examples[Labels]:
    """Texts and their labels by name, each once, sorted."""
    found = read_dialogues(table) if columns == DIALOGUE else read_lists(table, columns)
    if not names:
        return found
    where = place(table.path)
    flat = [label for labels in found.labels for label in labels]
    called = dict(zip(flat, apply_names(flat, names, where), strict=True))
    return replace(found, labels=[tuple(sorted({called[label] for label in labels})) for labels in found.labels])


def read_lists(table: Table, columns: Columns) -> Examples[Labels]:
    """Rows with a list of labels each; an empty list is a set of none."""
    check_columns(table, columns)
    texts: list[Texts] = []
    labels: list[Labels] = []
    left_out = Counter({EMPTY_TEXT: 0, NO_LABEL: 0})
    for index, row in enumerate(table.rows):
        some = tuple([row_text(table, index, name, row.get(name)) for name in columns.text])
        value = row.get(columns.label)
        if not all(map(str.strip, some)):
            left_out[EMPTY_TEXT] += 1
        elif value is None:
            left_out[NO_LABEL] += 1
        else:
            texts.append(some)
            labels.append(labels_in(table, index, columns.label, value))
    return Examples(texts, labels, dict(left_out))


def labels_in(table: Table, index: int, column: str, value: object) -> Labels:
    """The labels of one list."""
    known = list(value) if isinstance(value, list | tuple) else None
    if known is None or not all(isinstance(one, str | int | float) and label_text(one) for one in known):
        raise BadInput(
            f"{table.at(index, column)}: holds {shown(value)}, not a list of labels; write a list, as in "
            f'["first", "second"], or train one label per row with --task classification'
        )
    return tuple(sorted({label_text(one) for one in known}))


def read_dialogues(table: Table) -> Examples[Labels]:
    """One example per related pair: the turns of the dialogue, a line each, and the pair."""
    texts: list[Texts] = []
    labels: list[Labels] = []
    left_out = Counter({EMPTY_TEXT: 0})
    for index, row in enumerate(table.rows):
        turns, relations = row.get("dialogue"), row.get("relations")
        if not isinstance(turns, list) or not isinstance(relations, list):
            raise BadInput(f"{table.at(index)}: dialogue and relations must be lists; mend the row")
        dialogue = "\n".join(row_text(table, index, "dialogue", turn) for turn in turns)
        for relation in relations:
            if not isinstance(relation, Mapping) or not {"x", "y", "r"} <= relation.keys():
                raise BadInput(f"{table.at(index, 'relations')}: a relation needs x, y and r; mend the row")
            pair = BETWEEN.join(row_text(table, index, "relations", relation[name]) for name in "xy")
            if not dialogue.strip():
                left_out[EMPTY_TEXT] += 1
                continue
            texts.append((dialogue, pair))
            labels.append(labels_in(table, index, "relations", relation["r"]))
    return Examples(texts, labels, dict(left_out))


def occurring(labels: Sequence[Labels]) -> tuple[str, ...]:
    """Every label that occurs, sorted."""
    return sort_labels(label for some in labels for label in some)


def by_first(labels: Sequence[Labels]) -> list[object]:
    """The first label of each row."""
    return [some[0] if some else "" for some in labels]


def first_text(texts: Texts) -> object:
    """The dialogue, or the text."""
    return texts[0]
