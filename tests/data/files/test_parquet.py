"""Parquet: rows in turn, and the extra is named where it is missing."""

import gzip
import sys

import pyarrow
import pyarrow.parquet
import pytest

from unfooled.data.files.tables import read_table
from unfooled.data.files.texts import TextFile
from unfooled.errors import BadInput


def save(path, rows, **how):
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path, **how)


def test_rows_of_many_groups_come_in_turn_packed_or_not(tmp_path):
    rows = [{"text": f"text {number}", "label": number} for number in range(500)]
    path = tmp_path / "a.parquet"
    save(path, rows, row_group_size=7)
    assert read_table(path).rows == rows
    (tmp_path / "a.parquet.gz").write_bytes(gzip.compress(path.read_bytes()))
    for file in (path, tmp_path / "a.parquet.gz"):
        assert list(TextFile(file)) == [(number, row["text"]) for number, row in enumerate(rows)]


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    save(tmp_path / "a.parquet", [{"text": "a"}])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(BadInput, match=r"pip install 'unfooled\[parquet\]'"):
        read_table(tmp_path / "a.parquet")
