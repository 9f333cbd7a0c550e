"""The files of a corpus folder by split: one file each, or shards as the hub names them.

``train-00000-of-00002.txt`` (a hash may follow) and ``train_2.txt`` are shards of train. Where no file is called after
train, whatever is called after no split makes it up; what is called validation or test is never trained on, nor is what
may be (``test-clean.txt``).
"""

import re
from dataclasses import dataclass
from pathlib import Path

from unfooled.data.files.formats import ending
from unfooled.data.phrases import listed, place
from unfooled.data.sources import SPELLINGS, only_file, split_files
from unfooled.errors import BadInput

SHARD = re.compile(rf"({'|'.join(SPELLINGS)})(?:[-_](\d+)(?:-of-(\d+)(?:-[0-9a-f]+)?)?)?", re.IGNORECASE)
HELD_BACK = re.compile(rf"({'|'.join(name for name in SPELLINGS if SPELLINGS[name] != 'train')})[-_.]", re.IGNORECASE)
SPLITS = ("train", "validation", "test")
SHOWN = 3  # names of a split's files before the rest is a number


@dataclass(frozen=True)
class Shard:
    """A file that is a split or a part of it: the split as spelled, which part it is (0 for all), and of how many."""

    file: Path
    spelled: str
    number: int
    total: int | None

    @property
    def split(self) -> str:
        """The split by its one name."""
        return SPELLINGS[self.spelled]


def shard_of(file: Path) -> Shard | None:
    """What a file's name says of its split; None where it names none.

    >>> shard_of(Path("dev-00001-of-00003.txt.gz")).split, shard_of(Path("training.txt"))
    ('validation', None)
    """
    found = SHARD.fullmatch(file.name[: -len(ending(file))] if ending(file) else file.name)
    if found is None:
        return None
    spelled, number, total = found.groups()
    return Shard(file, spelled.lower(), int(number or 0), None if total is None else int(total))


def folder_splits(folder: Path) -> tuple[dict[str, list[Path]], list[str]]:
    """The files of each split of a corpus folder in order, and sentences on what was taken and what was left."""
    every = sorted(file for some in split_files(folder).values() for file in some)
    shards = [shard for file in every if (shard := shard_of(file)) is not None]
    others = [file for file in every if shard_of(file) is None]
    files = {split: in_order(split, [one for one in shards if one.split == split]) for split in SPLITS}
    files = {split: some for split, some in files.items() if some}
    notes = missing(shards)
    if "train" in files:
        notes += [f"left out, called after no split: {named(others)}"] if others else []
    elif others:
        refuse_held_back(folder, others)
        files = {"train": others, **files}
    else:
        raise BadInput(
            f"{place(folder)}: nothing to train on, for it holds {' and '.join(files)} alone "
            f"({named([shard.file for shard in shards])}); add files called train, or name a file"
        )
    if any(len(some) > 1 for some in files.values()) or others:
        notes.insert(0, "read: " + "; ".join(f"{split} from {named(some)}" for split, some in files.items()))
    return files, notes


def refuse_held_back(folder: Path, others: list[Path]) -> None:
    """Refuse to train on files that begin like a split which is kept for measuring, though they are no shards of it."""
    doubtful = [file for file in others if HELD_BACK.match(file.name)]
    if doubtful:
        raise BadInput(
            f"{place(folder)}: no file is called train, and {named(doubtful)} may be for measuring; call what is to be "
            "trained on train, or name a file"
        )


def in_order(split: str, shards: list[Shard]) -> list[Path]:
    """The files of a split, first part first; refused where they are no parts of one whole."""
    if not shards:
        return []
    folder, names = place(shards[0].file.parent), listed(shard.file.name for shard in shards)
    kinds = {ending(shard.file).removesuffix(".gz") for shard in shards}
    numbers = [shard.number for shard in shards]
    if len({shard.spelled for shard in shards}) > 1 or len(set(numbers)) < len(numbers):
        only_file(split, [shard.file for shard in shards])  # which says that any of them could be it
    if len(kinds) > 1:
        raise BadInput(
            f"{folder}: the parts of {split} are of different kinds ({listed(sorted(kinds))}): {names}; "
            "write them all as one kind"
        )
    if len({shard.total for shard in shards if shard.total is not None}) > 1:
        raise BadInput(f"{folder}: {names} are parts of different wholes; keep those of one")
    return [shard.file for shard in sorted(shards, key=lambda shard: shard.number)]


def missing(shards: list[Shard]) -> list[str]:
    """Sentences on splits of which not every part is there."""
    notes = []
    for split in dict.fromkeys(shard.split for shard in shards):
        parts = [shard for shard in shards if shard.split == split and shard.total is not None]
        if parts and len(parts) < (parts[0].total or 0):
            notes.append(f"{split}: only {len(parts):,} of {parts[0].total:,} shards are there")
    return notes


def named(files: list[Path]) -> str:
    """The names of files, of many the first and last.

    >>> named([Path(f"{letter}.txt") for letter in "abcde"])
    'a.txt … e.txt (5 files)'
    """
    if len(files) <= SHOWN:
        return listed(file.name for file in files)
    return f"{files[0].name} … {files[-1].name} ({len(files):,} files)"
