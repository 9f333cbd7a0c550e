"""CSV and TSV: two habits of quotation marks, and one limit of a field."""

import csv

import pytest

from unfooled.data.files.tables import read_table
from unfooled.errors import BadInput


def test_tsv_with_quotation_marks_as_ordinary_letters(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text('text\tlabel\n"Never" again\t0\n"open\t1\nfine\t0\n', encoding="utf-8")
    assert [row["text"] for row in read_table(path).rows] == ['"Never" again', '"open', "fine"]


def test_a_tsv_error_is_told_by_the_habit_the_file_follows(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text('text\tlabel\n"Never" again\t0\nfine\t0\nbroken\t1\t2\n', encoding="utf-8")
    with pytest.raises(BadInput, match="row 4: too many fields"):
        read_table(path)


def test_a_tsv_whose_quotation_marks_swallow_line_ends_keeps_its_rows(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text('text\n"one\ntwo\nthree"\n', encoding="utf-8")
    assert [row["text"] for row in read_table(path).rows] == ['"one', "two", 'three"']


@pytest.mark.parametrize("length", [100_000, 10_000_000])
def test_very_long_texts_and_the_csv_limit_is_put_back(tmp_path, length):
    csv.field_size_limit(131_072)
    path = tmp_path / "a.csv"
    path.write_text(f"text,label\n{'x' * length},0\n")
    assert len(read_table(path).rows[0]["text"]) == length
    assert csv.field_size_limit() == 131_072


def test_a_quotation_mark_that_is_never_closed_does_not_swallow_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv("UNFOOLED_LIMITS", f"line={2**20}")
    (tmp_path / "a.csv").write_bytes(b'text\nfine\n"open\n' + (b"line " * 99 + b"\n") * 2**12)
    with pytest.raises(BadInput, match="a.csv, row 3: a field is longer than 1 MB, .*never closed"):
        read_table(tmp_path / "a.csv")


def test_columns_without_end_are_refused(tmp_path):
    (tmp_path / "a.csv").write_text(",".join(map(str, range(10_001))) + "\n")
    with pytest.raises(BadInput, match="row 1: 10,001 columns, more than the 10,000 .*UNFOOLED_LIMITS=columns="):
        read_table(tmp_path / "a.csv")
