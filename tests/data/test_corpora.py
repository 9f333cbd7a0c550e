"""Corpora: what is read, what is dropped, and what is refused."""

import gzip
import json
from pathlib import Path

import pytest

from unfooled.data import corpora
from unfooled.data.corpora import fingerprint, load_corpus
from unfooled.data.datasets import DataSettings
from unfooled.errors import BadInput

LINES = [" = Title = ", "", " The first paragraph . ", "word", " = = Part = = ", "Ein Satz.", "= no heading"]
KEPT = ["The first paragraph .", "word", "Ein Satz.", "= no heading"]


def test_headings_and_empty_lines_are_left_out_and_said_so(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("\n".join(LINES), encoding="utf-8")
    with gzip.open(tmp_path / "valid.txt.gz", "wt", encoding="utf-8") as file:
        file.write("held out\n")
    (tmp_path / "meta.json").write_text("{}")
    corpus = load_corpus(DataSettings(source=str(tmp_path)))
    assert corpus.splits == {"train": KEPT, "validation": ["held out"]}
    assert corpus.notes == ("train: 3 of 7 lines are empty or headings and left out",)


def test_validation_is_the_end_of_train_where_there_is_none(tmp_path: Path) -> None:
    file = tmp_path / "corpus.txt"
    file.write_text("\n".join(f"line {number}" for number in range(20)))
    corpus = load_corpus(DataSettings(source=str(file)))
    assert corpus.splits["train"] == [f"line {number}" for number in range(18)]
    assert corpus.splits["validation"] == ["line 18", "line 19"]
    assert corpus.fingerprint == load_corpus(DataSettings(source=str(file), validation_fraction=0.5)).fingerprint


def test_a_folder_of_any_files_is_one_corpus_and_json_lines_have_a_text(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in ("three", "four")))
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    corpus = load_corpus(DataSettings(source=str(tmp_path), validation_fraction=0.25))
    assert corpus.splits == {"train": ["one", "two", "three"], "validation": ["four"]}
    with pytest.raises(BadInput, match="no column called body"):
        load_corpus(DataSettings(source=str(tmp_path / "b.jsonl"), text="body"))


def test_a_name_below_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tales").mkdir()
    (tmp_path / "tales" / "train.txt").write_text("once\nupon\na time")
    monkeypatch.setenv("UNFOOLED_DATA", str(tmp_path))
    assert load_corpus(DataSettings(source="tales")).name == "tales"
    with pytest.raises(BadInput, match="no corpus called takes"):
        load_corpus(DataSettings(source="takes"))


def refused(path: Path, content: bytes, reason: str) -> None:
    path.write_bytes(content)
    with pytest.raises(BadInput, match=reason):
        load_corpus(DataSettings(source=str(path)))


def test_what_is_no_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refused(tmp_path / "a.txt", b"fine\n\xff\xfe\x00junk", "row 2: byte 5 .*not UTF-8")
    refused(tmp_path / "b.txt", b"fine\nnot \x00 so fine", "NUL")
    refused(tmp_path / "c.txt", b"\n \n = Heading = \n", "no text in it")
    refused(tmp_path / "d.txt", b"only one line", "too few lines")
    refused(tmp_path / "e.txt.gz", b"not gzip at all", "broken gzip")
    refused(tmp_path / "f.jsonl", b'{"text": 7}\n', "7 is no text")
    monkeypatch.setattr(corpora, "LONGEST_LINE", 2**20)
    refused(tmp_path / "g.txt", b"short\n" + b"x " * 2**20, "row 2: longer than 1 MB without a line end")
    (tmp_path / "twice").mkdir()
    for name in ("dev.txt", "valid.txt", "train.txt"):
        (tmp_path / "twice" / name).write_text("some text\n")
    with pytest.raises(BadInput, match=r"dev.txt, valid.txt could each be the validation split"):
        load_corpus(DataSettings(source=str(tmp_path / "twice")))
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="it holds nothing"):
        load_corpus(DataSettings(source=str(tmp_path / "empty")))


def test_the_fingerprint_knows_where_a_paragraph_ends_and_which_split_has_it() -> None:
    same = fingerprint({"train": ["a b", "c"], "test": ["d"]})
    assert same == fingerprint({"test": ["d"], "train": ["a b", "c"]})
    others = [
        {"train": ["a", "b c"], "test": ["d"]},
        {"train": ["a b"], "test": ["c", "d"]},
        {"train": ["a\nb", "c"], "test": ["d"]},
        {"train": ["a", "b\nc"], "test": ["d"]},
    ]
    assert len({same, *map(fingerprint, others)}) == 5


def test_what_is_no_corpus_is_refused_with_what_would_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki" / "train.txt").write_text("a line\n")
    (tmp_path / "x.pdf").write_text("x")
    monkeypatch.setenv("UNFOOLED_DATA", str(tmp_path))
    with pytest.raises(BadInput, match=r"no corpus called wikki; .*did you mean wiki\?"):
        load_corpus(DataSettings(source="wikki"))
    with pytest.raises(BadInput, match=r"x\.pdf: unknown kind of corpus; the name must end in \.txt, \.csv"):
        load_corpus(DataSettings(source=str(tmp_path / "x.pdf")))
