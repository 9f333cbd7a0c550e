"""Running text: every line is there, and what is wrong is one sentence."""

import gzip

import pytest

from unfooled.data import corpora
from unfooled.data.datasets import DataSettings
from unfooled.data.lines import lines_hash, load_lines, read_lines
from unfooled.errors import BadInput


def test_every_line_is_kept_as_it_is(tmp_path):
    (tmp_path / "train.txt").write_text(" = Heading = \n\n a b \n", encoding="utf-8")
    with gzip.open(tmp_path / "valid.txt.gz", "wt", encoding="utf-8") as file:
        file.write("ü\r\nz")
    text = load_lines(DataSettings(source=str(tmp_path)))
    assert text.splits == {"train": [" = Heading = ", "", " a b "], "validation": ["ü", "z"]}


def test_without_a_validation_file_it_is_the_end_of_train(tmp_path):
    file = tmp_path / "book.txt"
    file.write_text("".join(f"line {number}\n" for number in range(20)))
    text = load_lines(DataSettings(source=str(file), limit=5))
    assert text.splits["validation"] == ["line 18", "line 19"]
    assert text.splits["train"] == [f"line {number}" for number in range(5)]
    assert any("last 2 of 20" in note for note in text.notes)
    assert text.fingerprint == load_lines(DataSettings(source=str(file))).fingerprint


def test_a_text_without_words_is_refused(tmp_path):
    (tmp_path / "train.txt").write_text("a b\n")
    (tmp_path / "validation.txt").write_text(" \n\n")
    with pytest.raises(BadInput, match=r"validation\.txt: no words"):
        load_lines(DataSettings(source=str(tmp_path)))


def test_the_hash_tells_lines_and_parts_apart():
    marks = [{"a": ["x", "y"]}, {"a": ["xy"]}, {"a": ["x"], "b": ["y"]}, {"b": ["x", "y"]}, {"a": ["x", "y", ""]}]
    assert len({lines_hash(mark) for mark in marks}) == 5


def test_files_of_any_name_are_read_as_lines_where_they_are_named(tmp_path):
    (tmp_path / "train.en").write_text("a\nb\n")
    assert read_lines(tmp_path / "train.en") == ["a", "b"]
    (tmp_path / "train.de.gz").write_bytes(b"no gzip")
    with pytest.raises(BadInput, match=r"train\.de\.gz: broken gzip"):
        read_lines(tmp_path / "train.de.gz")
    with pytest.raises(BadInput, match=r"train\.fr: no such file"):
        read_lines(tmp_path / "train.fr")


def test_a_line_without_an_end_is_refused_whatever_the_file_is_called(tmp_path, monkeypatch):
    monkeypatch.setattr(corpora, "LONGEST_LINE", 2**20)
    for name in ("train.en", "train.txt"):
        (tmp_path / name).write_bytes(b"short\n" + b"x " * 2**20)
        with pytest.raises(BadInput, match="row 2: longer than 1 MB without a line end"):
            read_lines(tmp_path / name)
