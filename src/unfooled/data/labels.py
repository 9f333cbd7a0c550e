"""Label values become class names, and class names become numbers."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from unfooled.data.phrases import listed, place, shown
from unfooled.errors import BadInput, either, option
from unfooled.parsing import json_file

Names = tuple[tuple[str, str], ...]  # (id in the data, name), in the order of the classes

MASKED = frozenset({"-1", "-100"})  # how datasets write "no label here"
MOST_CLASSES = 1000
SHOWN = 6  # classes for which a sentence writes out what to give
NAMELESS = re.compile(r"label_[0-9]+", re.IGNORECASE)  # what a network calls classes that nobody named
WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
WHOLE_FLOAT = re.compile(r"([+-]?[0-9]{1,18})\.0+")


def label_text(value: str | int | float | None) -> str:
    """A label value as text, empty where there is none.

    >>> [label_text(value) for value in (" pos ", 1, 1.0, "1.0", 2.5, True, None, float("nan"))]
    ['pos', '1', '1', '1', '2.5', 'true', '', '']
    """
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "" if math.isnan(value) else str(int(value)) if value.is_integer() else str(value)
    text = str(value).strip()
    # Tables written with a missing value somewhere hold 1.0 where 1 was meant.
    whole = WHOLE_FLOAT.fullmatch(text)
    return whole[1] if whole else text


def sort_labels(labels: Iterable[str]) -> tuple[str, ...]:
    """Distinct labels, by number where all are whole numbers, otherwise by text.

    >>> sort_labels(["10", "9", "10"]), sort_labels(["b", "9", "a"])
    (('9', '10'), ('9', 'a', 'b'))
    """
    distinct = sorted(set(labels))
    return tuple(sorted(distinct, key=int) if all(map(WHOLE.fullmatch, distinct)) else distinct)


def read_names(path: Path) -> Names:
    """The label names of a ``meta.json``: ids with names, or a list of names; none where it says neither."""
    try:
        meta = json_file(path)
    except ValueError as error:
        raise BadInput(f"{place(path)}: not JSON ({shown(error)}); mend it or take it away") from None
    labels = meta.get("labels") if isinstance(meta, dict) else None
    if isinstance(labels, list):
        labels = dict(enumerate(labels))
    if not isinstance(labels, dict) or not all(isinstance(name, (str, int)) for name in labels.values()):
        return ()
    names = {str(key).strip(): label_text(name) for key, name in labels.items()}
    if len(set(names.values())) < len(names):
        raise BadInput(f"{place(path)}: two labels have one name in {listed(names.values())}; rename one of them")
    return tuple((key, names[key]) for key in (sort_labels(names) if isinstance(meta["labels"], dict) else names))


def apply_names(labels: Sequence[str], names: Names, where: str) -> list[str]:
    """Labels by name, whether the data holds the names or their ids."""
    distinct = dict.fromkeys(labels)
    by_name = {name.casefold(): name for _, name in names}
    by_id = dict(names)
    for known in ({label: by_name.get(label.casefold()) for label in distinct}, by_id):
        if all(known.get(label) is not None for label in distinct):
            return [known[label] or "" for label in labels]
    strange = [label for label in distinct if label.casefold() not in by_name and label not in by_id]
    named = listed(f"{key} = {name}" for key, name in names)
    raise BadInput(
        f"{where}: label {listed(strange or distinct)} is not among those of meta.json ({named}); mend one of the two"
    )


def check_classes(labels: Sequence[str], classes: Sequence[str], column: str, where: str) -> None:
    """Refuse labels that no classifier can be trained on."""
    seen = Counter(labels)
    rows = len(labels)
    numbers = len(seen) > 20 and not all(map(WHOLE.fullmatch, seen)) and None not in map(number_in, seen)
    if len(seen) > MOST_CLASSES or (rows > 50 and 2 * len(seen) > rows) or numbers:
        raise BadInput(
            f"{where}, column {shown(column)}: {len(seen):,} different values in {rows:,} rows; "
            f"it looks like free text or numbers, not a label; name the label column with {option('label')}"
        )
    if len(seen) == 1:
        raise BadInput(
            f"{where}, column {shown(column)}: only one class ({listed(seen)}) in {rows:,} usable rows; "
            f"training needs rows of two or more"
        )
    if rows < len(classes):
        raise BadInput(
            f"{where}, column {shown(column)}: {rows:,} usable rows for {len(classes):,} classes; "
            f"give at least one row per class"
        )


def match_labels(labels: Sequence[str], names: Names, known: Sequence[str], where: str) -> tuple[list[int], str | None]:
    """Labels of some data as positions among a model's ``known`` names, and a note where ids had to decide.

    Tried in turn: the data's names, its raw values, its values as positions, its named ids as positions, and what is
    evident besides.
    """
    distinct = list(dict.fromkeys(labels))
    position = {name.casefold(): place for place, name in enumerate(known)}
    ids = {str(place): place for place in range(len(known))}
    called: Mapping[str, str] = {}
    if names:
        called = dict(zip(labels, apply_names(labels, names, where), strict=True))
    order = {name: place for place, (_, name) in enumerate(names)} if len(names) == len(known) else {}
    attempts = (
        ({label: position.get(called.get(label, label).casefold()) for label in distinct}, False),
        ({label: position.get(label.casefold()) for label in distinct}, False),
        ({label: ids.get(label) for label in distinct}, True),
        ({label: order.get(called.get(label, label)) for label in distinct}, True),
    )
    for positions, by_position in attempts:
        mapped = {label: place for label, place in positions.items() if place is not None}
        if len(mapped) == len(distinct):
            pairs = listed(f"{label} = {known[mapped[label]]}" for label in sort_labels(distinct))
            note = f"labels taken as positions among the model's: {pairs}" if by_position else None
            return [mapped[label] for label in labels], note
    said = sort_labels(called.get(label, label) for label in distinct)
    evident = evident_positions(said, known)
    if evident is not None:
        pairs = listed(f"{label} = {known[evident[label]]}" for label in said)
        return [evident[called.get(label, label)] for label in labels], f"labels taken as the model's: {pairs}"
    raise BadInput(
        f"{where}: its labels ({listed(said)}) are not those of the model ({listed(known)}); "
        f"{how_to_rename(said, known)}, or name another column with {option('label')}"
    )


def evident_positions(labels: Sequence[str], known: Sequence[str]) -> dict[str, int] | None:
    """Which of a model's names labels must be, where that is evident though none is the same; None where it is not.

    A label is the one name that begins so (pos, POSITIVE), the one name that holds its number (4, "4 stars", LABEL_4),
    or, of as many whole numbers in a row as there are nameless classes (LABEL_0, …), the one of its rank.

    >>> evident_positions(["neg", "pos"], ["NEGATIVE", "POSITIVE"]), evident_positions(["bad"], ["LABEL_0", "LABEL_1"])
    ({'neg': 0, 'pos': 1}, None)
    """
    folded = [name.casefold() for name in known]
    begun = {label: [place for place, name in enumerate(folded) if begins(label.casefold(), name)] for label in labels}
    numbers = [re.findall(r"[0-9]+", name) for name in folded]
    held = {label: [place for place, own in enumerate(numbers) if own == [label.lstrip("+")]] for label in labels}
    for places in (begun, held):
        alone = {label: some[0] for label, some in places.items() if len(some) == 1}
        if len(set(alone.values())) == len(labels):
            return alone
    nameless = all(NAMELESS.fullmatch(name) for name in known)
    if nameless and len(labels) == len(known) and all(map(WHOLE.fullmatch, labels)):
        ranked = sorted(labels, key=int)
        if int(ranked[-1]) - int(ranked[0]) == len(ranked) - 1:
            return {label: place for place, label in enumerate(ranked)}
    return None


def begins(one: str, other: str) -> bool:
    """Whether one of two words is the beginning of the other, and of three letters or more."""
    short, long = sorted((one, other), key=len)
    return len(short) >= 3 and long.startswith(short) and short.isalpha()


def how_to_rename(labels: Sequence[str], known: Sequence[str]) -> str:
    """What to give so that labels are found among a model's, written out where there are as many."""
    if len(labels) != len(known) or len(known) > SHOWN:
        return either("say what each is with --labels MODEL-LABEL=DATA-LABEL,…", "say what each is with labels={…}")
    pairs = list(zip(known, labels, strict=True))
    options = ",".join(f"{name}={label}" for name, label in pairs)
    python = ", ".join(f'"{name}": "{label}"' for name, label in pairs)
    return f"say what each is, as in {either(f'--labels {options}', f'labels={{{python}}}')} if that is what they mean"


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
