"""Labels that are classes, one to a text."""

from collections.abc import Sequence

from unfooled.data.columns import Columns
from unfooled.data.labels import Names, check_classes, sort_labels
from unfooled.data.rows import LabelReading, chosen_columns, read_classes


def class_names(labels: Sequence[str], names: Names, columns: Columns, where: str) -> tuple[str, ...]:
    """The classes, named by the data or as they occur; refused where no classifier can be trained on them."""
    classes = tuple(name for _, name in names) or sort_labels(labels)
    check_classes(labels, classes, columns.label, where)
    return classes


CLASSES: LabelReading[str] = LabelReading(
    chosen_columns, read_classes, strata=list, written=str, least=1, parts=lambda label: (label,), classes=class_names
)
