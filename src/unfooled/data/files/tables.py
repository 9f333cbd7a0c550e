"""A whole file as a table, for data that is held in memory."""

from dataclasses import dataclass
from pathlib import Path

from unfooled.data.files.formats import Row, format_of, tables
from unfooled.data.files.lines import opened
from unfooled.data.phrases import place
from unfooled.errors import BadInput
from unfooled.limits import beyond, limits


@dataclass(frozen=True)
class DataTable:
    """The rows of one file; ``first_row`` is the number of ``rows[0]`` as a person counts in the file."""

    path: Path
    columns: tuple[str, ...]
    rows: list[Row]
    first_row: int
    notes: tuple[str, ...] = ()  # what was decided while it was read

    def at(self, index: int, column: str | None = None) -> str:
        """Where ``rows[index]`` stands, for a message."""
        return place(self.path, self.first_row + index, column)


def read_table(path: Path) -> DataTable:
    """The rows of a file with columns, which are all that occur."""
    kind = format_of(path, tables())
    columns: dict[str, None] = {}
    rows: list[Row] = []
    first_row, most = 1, limits()
    with opened(path) as file:
        for row in kind.rows(file):
            if not rows:
                first_row = file.row
            if not row.keys() <= columns.keys():
                columns.update(dict.fromkeys(row))
            rows.append(row)
            if len(columns) > most.columns:
                raise beyond(f"{file.here}: {len(columns):,} columns", "columns", "keep the columns that are needed")
            if len(rows) > most.rows:
                raise beyond(f"{file.here}: {len(rows):,} rows", "rows", "split the file")
        notes = file.notes
    while rows and not rows[-1]:
        rows.pop()
    if not rows:
        raise BadInput(f"{place(path)}: the file is empty (no rows); give a file with at least two rows")
    return DataTable(path, tuple(columns), rows, first_row, notes)
