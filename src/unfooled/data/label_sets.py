"""Labels that are lists of classes, as the relations of two people in a dialogue (DialogRE).

A row holds its labels as a list, which JSON lines and Parquet can write. A row of DialogRE's form holds a dialogue
(a list of turns) and relations between pairs x, y; it becomes one example per pair: the dialogue, and the pair.
"""

from collections.abc import Mapping, Sequence
from operator import itemgetter

from unfooled.data.columns import Columns
from unfooled.data.files.tables import DataTable
from unfooled.data.labels import Names, label_text, sort_labels
from unfooled.data.phrases import shown
from unfooled.data.rows import EMPTY_TEXT, NO_LABEL, Examples, LabelReading, chosen_columns, read_rows, row_text
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput, option
from unfooled.types import Texts

Labels = tuple[str, ...]
DIALOGUE = Columns(("dialogue", "x; y"), "relations")  # of DialogRE's form
BETWEEN = "; "  # the two arguments of a relation


def columns_of(table: DataTable, settings: DataSettings) -> tuple[Columns, str | None]:
    """The text and label columns, given or guessed; DialogRE's form is known by its columns."""
    if is_dialogue(table) and settings.text is None and settings.label is None:
        return DIALOGUE, "columns: each pair of relations is an example, its text the dialogue and the pair"
    return chosen_columns(table, settings)


def is_dialogue(table: DataTable) -> bool:
    """Whether a table is of DialogRE's form."""
    return {"dialogue", "relations"} <= set(table.columns)


def read_sets(table: DataTable, columns: Columns) -> Examples[Labels]:
    """Texts and their labels, each once, sorted; an empty list is a set of none."""
    if columns == DIALOGUE:
        return read_dialogues(table)

    def label_of(index: int, _: Texts) -> tuple[Labels | None, str]:
        value = table.rows[index].get(columns.label)
        return (None, NO_LABEL) if value is None else (labels_in(table, index, columns.label, value), "")

    return read_rows(table, columns, label_of)


def labels_in(table: DataTable, index: int, column: str, value: object) -> Labels:
    """The labels of one list."""
    known = list(value) if isinstance(value, list | tuple) else None
    if known is None or not all(isinstance(one, str | int | float) and label_text(one) for one in known):
        raise BadInput(
            f"{table.at(index, column)}: holds {shown(value)}, not a list of labels; write a list, as in "
            '["first", "second"], or train one label per row with ' + option("task", "classification")
        )
    return tuple(sorted({label_text(one) for one in known}))


def read_dialogues(table: DataTable) -> Examples[Labels]:
    """One example per related pair: the turns of the dialogue, a line each, and the pair."""
    texts: list[Texts] = []
    labels: list[Labels] = []
    rows: list[int] = []
    empty = 0
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
                empty += 1
                continue
            texts.append((dialogue, pair))
            labels.append(labels_in(table, index, "relations", relation["r"]))
            rows.append(index)
    return Examples(texts, labels, {EMPTY_TEXT: empty}, rows)


def set_names(labels: Sequence[Labels], names: Names, columns: Columns, where: str) -> tuple[str, ...]:
    """The classes, named by the data or as they occur; refused where there is nothing to tell apart."""
    classes = tuple(name for _, name in names) or sort_labels(label for some in labels for label in some)
    if len(classes) < 2:
        raise BadInput(f"{where}: its lists hold {len(classes)} different label; training needs two or more")
    return classes


SETS: LabelReading[Labels] = LabelReading(
    columns_of, read_sets, strata=lambda labels: [some[:1] for some in labels], written="\x1f".join,
    together=itemgetter(0), parts=tuple, joined=lambda classes: tuple(sorted(set(classes))), classes=set_names,
)  # fmt: skip
