"""Contrast sets on disk: labelled texts with the group each belongs to and whether it is the group's original."""

from collections.abc import Sequence
from dataclasses import dataclass

from unfooled.data.columns import plain_name, usual_column
from unfooled.data.examples import label_names, refuse_none, wanted_splits
from unfooled.data.files.tables import DataTable
from unfooled.data.labels import match_labels
from unfooled.data.phrases import listed, place, shown
from unfooled.data.rows import chosen_columns, read_classes
from unfooled.data.sources import DataSettings, source_of
from unfooled.data.splits import Split, fingerprint
from unfooled.errors import BadInput
from unfooled.seeds import digest
from unfooled.types import Texts

GROUPS = ("pair", "group", "set", "pair_id", "group_id", "set_id", "pairid", "groupid")
VERSIONS = ("version", "kind", "variant", "role")
ORIGINALS = frozenset(["original", "orig", "ori", "0", "true"])


@dataclass(frozen=True)
class Member:
    """One text of a contrast set: its group, whether it is the group's original, and its label."""

    group: str
    original: bool
    texts: Texts
    label: int


def check_members(members: Sequence[Member]) -> None:
    """Refuse groups without an original, or with two, and sets without revisions."""
    known: set[str] = set()
    for member in members:
        if member.original and member.group in known:
            raise BadInput(f"group {member.group} of the contrast set has two originals; give each group one")
        known |= {member.group} if member.original else set()
    lost = next((member.group for member in members if member.group not in known), None)
    if lost is not None:
        raise BadInput(f"group {lost} of the contrast set has no original; mark one of its texts as the original")
    if len(known) == len(members):
        raise BadInput("the contrast set holds originals alone; give it their revisions too")


def is_contrast_set(settings: DataSettings, split: str | None = None) -> bool:
    """Whether data has the columns of a contrast set."""
    source = source_of(settings)
    plain = {plain_name(name) for name in source.splits[wanted_splits(source, split)[0]]().columns}
    return bool(plain.intersection(GROUPS) and plain.intersection(VERSIONS))


def contrast_set(
    settings: DataSettings, labels: Sequence[str], split: str | None = None, limit: int | None = None, seed: int = 0
) -> tuple[list[Member], str, tuple[str, ...]]:
    """The members of a contrast set for a model with these labels, its fingerprint, and notes.

    Without a split's name it is test, else validation, else train or the file itself; ``limit`` is of groups, drawn by
    the seed.
    """
    source = source_of(settings)
    name = wanted_splits(source, split)[0]
    table = source.splits[name]()
    where = place(table.path)
    columns, guess = chosen_columns(table, settings)
    group, version = group_columns(table, where)
    examples = read_classes(table, columns)
    refuse_none(examples, columns, where)
    numbers, how = match_labels(examples.labels, label_names(source, settings, columns), labels, where)
    rows = zip(examples.rows, examples.texts, numbers, strict=True)
    members = [member_of(table, index, group, version, texts, label) for index, texts, label in rows]
    check_members(members)
    mark = fingerprint({name: Split(examples.texts, [labels[number] for number in numbers])})
    notes = tuple(note for note in (*table.notes, guess, examples.note(name), how) if note)
    return taken(members, limit, seed), mark, notes


def group_columns(table: DataTable, where: str) -> tuple[str, str]:
    """The columns that say which group a text belongs to, and which version it is."""
    chosen = []
    for known, what in ((GROUPS, "which texts belong together"), (VERSIONS, "which of them is the original")):
        name = usual_column(table.columns, known)
        if name is None:
            raise BadInput(
                f"{where}: no column says {what}, so it is no contrast set; add one called {known[0]} "
                f"(columns: {listed(table.columns)})"
            )
        chosen.append(name)
    return chosen[0], chosen[1]


def member_of(table: DataTable, index: int, group: str, version: str, texts: Texts, label: int) -> Member:
    """One row as a member of its group."""
    values = {name: table.rows[index].get(name) for name in (group, version)}
    for name, value in values.items():
        if value is None or not str(value).strip():
            raise BadInput(f"{table.at(index, name)}: is empty, so the text belongs to no contrast; fill it in")
    original = str(values[version]).strip().casefold() in ORIGINALS
    return Member(shown(values[group]), original, texts, label)


def taken(members: Sequence[Member], limit: int | None, seed: int) -> list[Member]:
    """The members of at most so many groups."""
    groups = list(dict.fromkeys(member.group for member in members))
    if limit is None or limit >= len(groups):
        return list(members)
    drawn = set(sorted(groups, key=lambda group: digest(seed, "contrast", group))[:limit])
    return [member for member in members if member.group in drawn]
