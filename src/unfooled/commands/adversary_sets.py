"""Stored adversaries: the folder of an attack, or a file with a text, its adversary and the label in every row."""

from collections.abc import Sequence
from pathlib import Path

from unfooled.attacks.records import AttackRecord
from unfooled.data.columns import plain_name
from unfooled.data.labels import label_text, match_labels
from unfooled.data.phrases import listed, place
from unfooled.data.readers import Table, read_table
from unfooled.data.rows import row_text
from unfooled.errors import BadInput
from unfooled.evaluation.attack_log import LOG, AttackHeader, read_attack
from unfooled.evaluation.log import read
from unfooled.evaluation.material import Source, hash_units
from unfooled.evaluation.measures import measure_of
from unfooled.evaluation.transfer import Adversary
from unfooled.evaluation.trial_log import FORM, KIND, Header

TEXTS = ("original", "text", "texts")
ADVERSARIES = ("adversary", "perturbed", "adversarial")
LABELS = ("label", "labels")


def stored_adversaries(name: str | Path, labels: Sequence[str]) -> tuple[list[Adversary], Source]:
    """The adversaries of an attack's folder or of a file, for a model with these labels."""
    path = Path(name).expanduser()
    found = from_attack(path, labels) if path.is_dir() else from_file(path, labels)
    if not found:
        raise BadInput(
            f"{path} holds no adversary, so nothing can be transferred; name an attack that fooled its victim"
        )
    return found, Source(str(name), hash_units(found))


def from_attack(folder: Path, labels: Sequence[str]) -> list[Adversary]:
    """What fooled an attack's victim."""
    log = folder / LOG
    found = read_either(log) if log.is_file() else None
    if found is None:
        raise BadInput(f"{folder} holds no attack; run: unfooled attack MODEL --data D --out {folder}")
    header, records = found
    fooled = [record for record in records if record.outcome == "fooled" and record.adversary is not None]
    if not fooled:
        return []
    names = header.labels or tuple(labels)  # a callable's classes may have no names
    numbers, _ = match_labels([names[record.label] for record in fooled], (), labels, str(log))
    return [of_record(record, number) for record, number in zip(fooled, numbers, strict=True)]


def read_either(log: Path) -> tuple[AttackHeader | Header, list[AttackRecord]] | None:
    """The log of an attack, or of an attack as a trial of an evaluation."""
    with log.open("rb") as file:
        is_trial = f'"{KIND}"'.encode() in file.readline()
    if not is_trial:
        return read_attack(log)
    found = read(log, FORM)
    if found is not None and measure_of(found[0].trial, found[0].problem).record is not AttackRecord:
        raise BadInput(f"{log} is of the trial {found[0].trial}, which makes no adversaries; name one of an attack")
    return found


def of_record(record: AttackRecord, label: int) -> Adversary:
    """One fooled example."""
    return Adversary(record.texts, record.adversary or (), label)


def from_file(path: Path, labels: Sequence[str]) -> list[Adversary]:
    """The rows of a JSONL or CSV file; a pair's texts are a list of two in JSON."""
    table = read_table(path)
    columns = [column(table, known, path) for known in (TEXTS, ADVERSARIES, LABELS)]
    numbers, _ = match_labels(
        [label_text(plain(table, index, columns[2])) for index in range(len(table.rows))], (), labels, place(path)
    )
    found = []
    for index, number in enumerate(numbers):
        one, other = (texts(table, index, name) for name in columns[:2])
        if len(one) != len(other):
            raise BadInput(
                f"{table.at(index)}: the text and its adversary are not both single texts or both pairs; mend it"
            )
        found.append(Adversary(one, other, number))
    return found


def column(table: Table, known: Sequence[str], path: Path) -> str:
    """The first column of one of these names."""
    names = {plain_name(name): name for name in table.columns}
    for name in known:
        if name in names:
            return names[name]
    raise BadInput(
        f"{place(path)}: no column called {known[0]}; stored adversaries need original, adversary and label "
        f"(columns: {listed(table.columns)})"
    )


def texts(table: Table, index: int, name: str) -> tuple[str, ...]:
    """One text, or the two of a pair."""
    value = table.rows[index].get(name)
    parts = value if isinstance(value, list) else [value]
    found = tuple(row_text(table, index, name, part) for part in parts)
    if not 1 <= len(found) <= 2 or not all(map(str.strip, found)):
        raise BadInput(f"{table.at(index, name)}: is empty, or neither one text nor two; mend or delete the row")
    return found


def plain(table: Table, index: int, name: str) -> str | int | float | None:
    """A label's value."""
    value = table.rows[index].get(name)
    if value is None or isinstance(value, str | int | float):
        return value
    raise BadInput(f"{table.at(index, name)}: is no label; write its name or number")
