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


def test_a_few_bytes_that_stand_for_gigabytes_are_refused(tmp_path):
    rows = pyarrow.array([0] * 300_000, pyarrow.int8())
    for text, name in (("a film", "short"), ("x" * 2**20, "long")):
        column = pyarrow.DictionaryArray.from_arrays(rows, pyarrow.array([text]))
        pyarrow.parquet.write_table(pyarrow.table({"text": column}), tmp_path / f"{name}.parquet")
        with pytest.raises(BadInput, match="unpacks to .* times its size.*UNFOOLED_LIMITS=ratio="):
            read_table(tmp_path / f"{name}.parquet")
    pyarrow.parquet.write_table(pyarrow.table({"text": ["0" * 2**27]}), tmp_path / "zeros.parquet", compression="zstd")
    with pytest.raises(BadInput, match="unpacks to"):
        read_table(tmp_path / "zeros.parquet")


def test_texts_that_repeat_and_lists_come_out_as_they_were(tmp_path):
    rows = [{"text": f"text {number % 3}", "list": ["a", None], "bytes": b"x", "none": None} for number in range(9000)]
    save(tmp_path / "a.parquet", rows, row_group_size=5000)
    assert read_table(tmp_path / "a.parquet").rows == rows
