"""Adversaries on disk: what an attack left behind, or a file with a text, its adversary and the label in every row."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unfooled.data.columns import usual_column
from unfooled.data.files.tables import DataTable, read_table
from unfooled.data.labels import label_text, match_labels
from unfooled.data.phrases import listed, place
from unfooled.data.rows import row_text
from unfooled.errors import BadInput, measuring
from unfooled.journal import JOURNAL, first_line, read
from unfooled.types import Texts

TEXTS = ("original", "text", "texts")
ADVERSARIES = ("adversary", "perturbed", "adversarial")
LABELS = ("label", "labels")


@dataclass(frozen=True)
class StoredAdversary:
    """A text and a version of it that means the same, and the label of both."""

    texts: Texts
    adversary: Texts
    label: int


@dataclass(frozen=True)
class AttackedText:
    """A text that was attacked, its label by name (or a set of them), and what fooled its model, None where nothing."""

    texts: Texts
    label: str | frozenset[str]
    adversary: Texts | None


def stored_adversaries(name: str | Path, labels: Sequence[str]) -> list[StoredAdversary]:
    """The adversaries that an attack left behind, or of a file, for a model with these labels."""
    path = Path(name).expanduser()
    if not path.is_dir():
        stored = read_adversaries(path, labels)
    else:
        _, attacked = attacked_texts(path)
        fooled = [(one, one.adversary) for one in attacked if one.adversary is not None]
        names = [one.label if isinstance(one.label, str) else " ".join(sorted(one.label)) for one, _ in fooled]
        numbers, _ = match_labels(names, (), labels, place(path)) if names else ([], None)
        stored = [StoredAdversary(one.texts, other, at) for (one, other), at in zip(fooled, numbers, strict=True)]
    if not stored:
        raise BadInput(
            f"{path} holds no adversary, so nothing can be transferred; name an attack that fooled its victim"
        )
    return stored


def attacked_texts(folder: Path) -> tuple[str, list[AttackedText]]:
    """The attack in a results folder, by name, and the texts it was made on, in their order."""
    path = attack_log(folder)
    log = read(path)
    if log is None or not log[1]:
        raise BadInput(f"the attack in {folder} has not finished one text; let it go on first")
    header, records = log
    by_index = {record["index"]: record for record in records}  # a log has them in the order in which attacks ended
    if len(by_index) < len(records):
        raise BadInput(f"{path} holds an example twice; delete the file and attack again")
    try:
        return str(header["trial"]), [attacked_text(header, by_index[index]) for index in sorted(by_index)]
    except (KeyError, TypeError, IndexError):
        raise BadInput(f"{path} holds something else than an attack's records; attack again") from None


def attack_log(folder: Path) -> Path:
    """The log of the one attack in a folder."""
    tried = [folder] if folder.is_file() else sorted([*folder.glob(JOURNAL), *folder.glob(f"*/*/{JOURNAL}")])
    attacks = [path for path in tried if "attack" in (first_line(path) or {}).get("settings", {})]
    if not attacks:
        raise BadInput(f"there is no attack in {folder}; run: {measuring('attack', folder)}")
    if len(attacks) > 1:
        names = listed(path.parent.relative_to(folder) for path in attacks)
        raise BadInput(f"{folder} holds several attacks; name the folder of one of them in it ({names})")
    return attacks[0]


def attacked_text(header: dict[str, Any], record: dict[str, Any]) -> AttackedText:
    """One record of an attack; classes of a callable may have no names but their numbers."""
    sets, names = record.get("sets"), header["labels"]
    label = str(names[record["label"]] if names else record["label"]) if sets is None else frozenset(sets["right"])
    other = record["adversary"] if record["outcome"] == "fooled" else None
    return AttackedText(tuple(record["texts"]), label, None if other is None else tuple(other))


def read_adversaries(path: Path, labels: Sequence[str]) -> list[StoredAdversary]:
    """The rows of a table; a pair's texts are a list of two in JSON."""
    table = read_table(path)
    columns = [column(table, known) for known in (TEXTS, ADVERSARIES, LABELS)]
    numbers, _ = match_labels(
        [label_text(plain(table, index, columns[2])) for index in range(len(table.rows))], (), labels, place(path)
    )
    adversaries = []
    for index, number in enumerate(numbers):
        one, other = (texts(table, index, name) for name in columns[:2])
        if len(one) != len(other):
            raise BadInput(
                f"{table.at(index)}: the text and its adversary are not both single texts or both pairs; mend it"
            )
        adversaries.append(StoredAdversary(one, other, number))
    return adversaries


def column(table: DataTable, known: Sequence[str]) -> str:
    """The first column of one of these names."""
    name = usual_column(table.columns, known)
    if name is None:
        raise BadInput(
            f"{place(table.path)}: no column called {known[0]}; stored adversaries need original, adversary and label "
            f"(columns: {listed(table.columns)})"
        )
    return name


def texts(table: DataTable, index: int, name: str) -> Texts:
    """One text, or the two of a pair."""
    value = table.rows[index].get(name)
    parts = value if isinstance(value, list) else [value]
    several = tuple(row_text(table, index, name, part) for part in parts)
    if not 1 <= len(several) <= 2 or not all(map(str.strip, several)):
        raise BadInput(f"{table.at(index, name)}: is empty, or neither one text nor two; mend or delete the row")
    return several


def plain(table: DataTable, index: int, name: str) -> str | int | float | None:
    """A label's value."""
    value = table.rows[index].get(name)
    if value is None or isinstance(value, str | int | float):
        return value
    raise BadInput(f"{table.at(index, name)}: is no label; write its name or number")
