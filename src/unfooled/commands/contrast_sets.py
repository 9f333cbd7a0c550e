"""Contrast sets on disk: labelled texts with the group each belongs to and whether it is the group's original."""

from collections.abc import Sequence
from dataclasses import replace

from unfooled.data.columns import Columns, choose, plain_name
from unfooled.data.datasets import SPLITS, DataSettings, refuse_none, source_of
from unfooled.data.labels import match_labels
from unfooled.data.phrases import listed, place, shown
from unfooled.data.readers import Table
from unfooled.data.rows import Examples, read_examples
from unfooled.data.splits import Split, fingerprint
from unfooled.errors import BadInput
from unfooled.evaluation.contrast import Member, check_members
from unfooled.evaluation.material import Source
from unfooled.seeds import digest

GROUPS = ("pair", "group", "set", "pair_id", "group_id", "set_id", "pairid", "groupid")
VERSIONS = ("version", "kind", "variant", "role")
ORIGINALS = frozenset(["original", "orig", "ori", "0", "true"])


def has_groups(columns: Sequence[str]) -> bool:
    """Whether a table's columns are those of a contrast set."""
    plain = {plain_name(name) for name in columns}
    return bool(plain.intersection(GROUPS) and plain.intersection(VERSIONS))


def contrast_set(
    settings: DataSettings, labels: Sequence[str], split: str | None = None, limit: int | None = None, seed: int = 0
) -> tuple[list[Member], Source, tuple[str, ...]]:
    """The members of a contrast set for a model with these labels, its name and hash, and notes.

    Without a split's name it is test, else validation, else train or the file itself; ``limit`` is of groups, drawn by
    the seed.
    """
    source = source_of(settings)
    order = list(reversed(SPLITS)) if split is None else [split]
    name = next((one for one in order if one in source.splits), None)
    if name is None:
        raise BadInput(f"{source.name} has no {split or 'test'} split; name one of {listed(source.splits)}")
    table = source.splits[name]()
    where = place(table.path)
    columns, guess = choose(table.columns, settings.text, settings.label, where, table.rows[:200])
    group, version = group_columns(table, where)
    kept, examples = usable(table, columns)
    refuse_none(examples, columns, where)
    names = source.names if settings.label is None else ()
    numbers, how = match_labels(examples.labels, names, labels, where)
    rows = zip(kept, examples.texts, numbers, strict=True)
    members = [member(table, index, group, version, texts, label) for index, texts, label in rows]
    check_members(members)
    mark = fingerprint({name: Split([one.texts for one in members], numbers)}, labels)
    notes = [note for note in (guess, examples.note(name), how) if note]
    return taken(members, limit, seed), Source(settings.source, mark), tuple(notes)


def group_columns(table: Table, where: str) -> tuple[str, str]:
    """The columns that say which group a text belongs to, and which version it is."""
    found = []
    for known, what in ((GROUPS, "which texts belong together"), (VERSIONS, "which of them is the original")):
        names = [name for name in table.columns if plain_name(name) in known]
        if not names:
            raise BadInput(
                f"{where}: no column says {what}, so it is no contrast set; add one called {known[0]} "
                f"(columns: {listed(table.columns)})"
            )
        found.append(min(names, key=lambda name: known.index(plain_name(name))))
    return found[0], found[1]


def usable(table: Table, columns: Columns) -> tuple[list[int], Examples[str]]:
    """The rows that have text and label, by number, and what is in them."""
    kept: list[int] = []
    for index, row in enumerate(table.rows):
        one = read_examples(replace(table, rows=[row], first_row=table.first_row + index), columns)
        kept += [index] if one.texts else []
    return kept, read_examples(table, columns)


def member(table: Table, index: int, group: str, version: str, texts: tuple[str, ...], label: int) -> Member:
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
