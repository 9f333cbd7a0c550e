"""Data as a guess sees it: the names of its files, and the first rows of its training table, read once."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from unfooled.data.columns import choose
from unfooled.data.examples import train_table
from unfooled.data.files.formats import is_plain
from unfooled.data.files.tables import DataTable
from unfooled.data.phrases import place
from unfooled.data.questions import flattened
from unfooled.data.shards import shard_of
from unfooled.data.sources import DataSettings, places, source_of
from unfooled.errors import BadInput

SAMPLE = 2000  # rows that are looked at


@dataclass(frozen=True)
class Glimpse:
    """What data looks like; what cannot be read is refused, and whoever reads it next says what is wrong with it."""

    settings: DataSettings

    @cached_property
    def plain_files(self) -> list[str]:
        """The names of plain text files to train on: the file itself, or those of a folder."""
        for path in places(self.settings.source):
            if path.is_file() and is_plain(path):
                return [path.name]
            files = sorted(path.iterdir()) if path.is_dir() else []
            if files:
                return [file.name for file in files if is_plain(file) and is_train(file)]
        return []

    @cached_property
    def readable(self) -> DataTable | None:
        """The training table, where there is one."""
        try:
            source = source_of(self.settings)
            return train_table(source) if "train" in source.splits else None
        except BadInput:
            return None

    @property
    def table(self) -> DataTable:
        """The training table as it is."""
        if self.readable is None:
            raise BadInput(f"{self.settings.source} cannot be read as a table")
        return self.readable

    @cached_property
    def rows(self) -> list[dict[str, object]]:
        """The first rows of the table, one per example."""
        return list(flattened(self.table).rows[:SAMPLE])

    def column(self, name: str) -> list[object]:
        """The values of a column, without the missing ones."""
        return [row[name] for row in self.rows if row.get(name) not in (None, "")]

    @cached_property
    def label(self) -> str:
        """The label column, given or by its usual name."""
        settings, table = self.settings, self.table
        return choose(table.columns, settings.text, settings.label, place(table.path), self.rows[:200])[0].label


def is_train(file: Path) -> bool:
    """Whether a file is the training split, or a shard or one language of it, by its name."""
    shard = shard_of(file)
    return file.name.split(".")[0] == "train" or (shard is not None and shard.split == "train")


def most(truths: Iterable[bool]) -> bool:
    """Whether more than half are true."""
    answers = list(truths)
    return sum(answers) * 2 > len(answers)
