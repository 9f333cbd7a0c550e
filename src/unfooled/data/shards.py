"""The files of a corpus folder by split: one file each, or shards as the hub names them.

``train-00000-of-00002.txt`` (a hash may follow) and ``train_2.txt`` are shards of train. A name may also say its split
on the way (``ptb.valid.txt``, ``wiki-test-00000-of-00001.txt``): it is read as that where another file says train.
Where no file is called after train, whatever is called after no split makes up the corpus, as long as nothing beside
it may be for measuring: what is called after validation or test is never trained on.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from unfooled.data.files.formats import ending
from unfooled.data.phrases import listed, place
from unfooled.data.sources import SPELLINGS, only_file, split_files
from unfooled.errors import BadInput

NUMBERED = re.compile(r"(.*?)(?:[-_.](\d+)(?:-of-(\d+)(?:-[0-9a-f]+)?)?)?", re.IGNORECASE | re.DOTALL)
# Words that say a split anywhere in a name, longer ones first; a name that says several is of the last of these.
SAYS = {
    "train": "training|train",
    "validation": "validation|validate|valid|val|development|devel|dev|evaluation|eval|heldout",
    "test": "devtest|testing|test|holdout",
}
WORDS = {split: re.compile(rf"(?:{words})(?:set|data|split)?s?", re.IGNORECASE) for split, words in SAYS.items()}
TWO_WORDS = re.compile(r"(held|hold)[\W_]out(?![a-z])", re.IGNORECASE)
BETWEEN_WORDS = re.compile(r"[\W\d_]+|(?<=[a-z])(?=[A-Z])")  # wiki.test, test2016, wikiTest
SPLITS = ("train", "validation", "test")
SHOWN = 3  # names of a split's files before the rest is a number


@dataclass(frozen=True)
class Shard:
    """What a file's name says: its stem without a number, which part of a whole it is (0 for all), and of how many."""

    file: Path
    stem: str
    number: int
    total: int | None

    @property
    def exact(self) -> bool:
        """Whether it is called after a split, and nothing else."""
        return self.stem in SPELLINGS

    @cached_property
    def split(self) -> str | None:
        """The split its name says, by its one name; None where it says none."""
        return SPELLINGS.get(self.stem) or split_said(self.file.name[: -len(ending(self.file)) or None])

    @property
    def doubtful(self) -> bool:
        """Whether it may be for measuring, by a word on the way of its name."""
        return not self.exact and self.split in SPLITS[1:]


def split_said(stem: str) -> str | None:
    """The split that a word of a name says; what says several is kept for measuring.

    >>> split_said("ptb.train"), split_said("wikiTest2016"), split_said("train-dev"), split_said("the latest")
    ('train', 'test', 'validation', None)
    """
    words = [word for word in BETWEEN_WORDS.split(TWO_WORDS.sub(r"\1out", stem)) if word]
    said = [split for split in SPLITS if any(map(WORDS[split].fullmatch, words))]
    return said[-1] if said else None


def read_name(file: Path) -> Shard:
    """What the name of any file says."""
    found = NUMBERED.fullmatch(file.name[: -len(ending(file)) or None])
    stem, number, total = found.groups() if found else (file.name, None, None)
    return Shard(file, stem.lower(), int(number or 0), None if total is None else int(total))


def shard_of(file: Path) -> Shard | None:
    """What a file's name says of its split; None where it is not called after one alone.

    >>> shard_of(Path("dev-00001-of-00003.txt.gz")).split, shard_of(Path("training.txt"))
    ('validation', None)
    """
    shard = read_name(file)
    return shard if shard.exact else None


def folder_splits(folder: Path, given: Mapping[str, Path] | None = None) -> tuple[dict[str, list[Path]], list[str]]:
    """The files of each split of a corpus folder in order, and sentences on what was taken and what was left.

    Splits that are ``given`` apart are not looked for; their files, where they lie in the folder, are no part of it.
    """
    given = given or {}
    every = [read_name(file) for file in sorted(file for some in split_files(folder).values() for file in some)]
    away = {file.resolve(): split for split, file in given.items()}
    shards = [shard for shard in every if shard.file.resolve() not in away]
    chosen = by_split(folder, shards)
    files = {split: in_order(split, chosen[split]) for split in SPLITS if chosen[split] and split not in given}
    notes = [
        f"{away[shard.file.resolve()]}: {shard.file.name} lies in the folder of the corpus and is not trained on"
        for shard in every
        if shard.file.resolve() in away
    ]
    return files, [*told(files, shards), *missing(every), *notes]


def by_split(folder: Path, shards: list[Shard]) -> dict[str, list[Shard]]:
    """The shards of each split, refused where there is none of train or no telling what is."""
    found = {split: [one for one in shards if one.split == split] for split in SPLITS}
    found = {split: [one for one in some if one.exact] or some for split, some in found.items()}
    doubtful = [one for one in shards if one.doubtful]
    others = [one for one in shards if not one.exact and not one.doubtful]
    if not doubtful and not any(one.exact for one in found["train"]):
        found["train"] = others  # a train on the way of a name says nothing where no other says validation or test
    if not found["train"] and others:
        raise BadInput(
            f"{place(folder)}: no file is called train, and {named(one.file for one in doubtful)} may be for "
            "measuring; call what is to be trained on train, or name a file"
        )
    if not found["train"]:
        held = " and ".join(split for split in SPLITS if found[split]) or "what is given for measuring"
        names = f" ({named(one.file for one in shards)})" if shards else ""
        raise BadInput(
            f"{place(folder)}: nothing to train on, for it holds {held} alone{names}; "
            "add files called train, or name a file"
        )
    return found


def told(files: Mapping[str, list[Path]], shards: list[Shard]) -> list[str]:
    """Sentences on what is read as which split, and what is not trained on though nobody said so file by file."""
    read = {file for some in files.values() for file in some}
    left = [shard for shard in shards if shard.file not in read]
    measuring = [one.file for one in shards if one.doubtful or (one in left and one.exact)]
    others = [one.file for one in left if one.file not in measuring]
    notes = []
    if any(len(some) > 1 for some in files.values()) or measuring or not all(read_name(one).exact for one in read):
        notes.append("read: " + "; ".join(f"{split} from {named(some)}" for split, some in files.items()))
    if measuring:
        notes.append(f"not trained on, called after validation or test: {listed(file.name for file in measuring)}")
    if others:
        notes.append(f"left out, called after no split: {named(others)}")
    return notes


def in_order(split: str, shards: list[Shard]) -> list[Path]:
    """The files of a split, first part first; refused where they are no parts of one whole."""
    exact = [shard for shard in shards if shard.exact]
    numbers = [shard.number for shard in exact]
    if len({shard.stem for shard in exact}) > 1 or len(set(numbers)) < len(numbers):
        only_file(split, [shard.file for shard in exact])  # which says that any of them could be it
    if exact:
        check_parts(split, exact)
        return [shard.file for shard in sorted(exact, key=lambda shard: shard.number)]
    for stem, some in wholes(shards).items():
        check_parts(stem, some)
    return [shard.file for shard in shards]


def check_parts(name: str, shards: list[Shard]) -> None:
    """Refuse shards that are no parts of one whole, by their kinds and numbers."""
    folder, names = place(shards[0].file.parent), listed(shard.file.name for shard in shards)
    kinds = {ending(shard.file).removesuffix(".gz") for shard in shards}
    totals = {shard.total for shard in shards if shard.total is not None}
    numbers = [shard.number for shard in shards if shard.total is not None]
    if len(kinds) > 1:
        raise BadInput(
            f"{folder}: the parts of {name} are of different kinds ({listed(sorted(kinds))}): {names}; "
            "write them all as one kind"
        )
    # Parts are counted from 0, or from 1; 0 and 2 of two are of different counts.
    beyond = bool(numbers) and max(numbers) - (min(numbers) > 0) >= max(totals)
    if len(totals) > 1 or beyond or len(set(numbers)) < len(numbers):
        raise BadInput(f"{folder}: {names} are parts of different wholes; keep those of one")


def wholes(shards: Iterable[Shard]) -> dict[str, list[Shard]]:
    """The shards that say of how many they are one, by what they are shards of."""
    found: dict[str, list[Shard]] = {}
    for shard in shards:
        if shard.total is not None:
            found.setdefault((shard.split or shard.stem) if shard.exact else shard.stem, []).append(shard)
    return found


def missing(shards: list[Shard]) -> list[str]:
    """Sentences on wholes of which not every part is there."""
    return [
        f"{name}: only {len(some):,} of {some[0].total:,} shards are there"
        for name, some in wholes(shards).items()
        if len(some) < (some[0].total or 0)
    ]


def named(files: Iterable[Path]) -> str:
    """The names of files, of many the first and last.

    >>> named([Path(f"{letter}.txt") for letter in "abcde"])
    'a.txt … e.txt (5 files)'
    """
    some = list(files)
    if len(some) <= SHOWN:
        return listed(file.name for file in some)
    return f"{some[0].name} … {some[-1].name} ({len(some):,} files)"
