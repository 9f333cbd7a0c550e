"""Corpora: what is read, what is dropped, and what is refused."""

import gzip
import json
from pathlib import Path

import pytest

from unfooled.data.corpus import corpus_file, lines_hash, load_corpus, load_lines, paragraphs_hash, read_lines
from unfooled.data.sources import DataSettings
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
    with pytest.raises(BadInput, match="row 1: no column body for text="):
        load_corpus(DataSettings(source=str(tmp_path / "b.jsonl"), text="body"))


@pytest.mark.parametrize("load", [load_corpus, load_lines])
def test_shards_whose_texts_are_from_different_columns_are_told_of(tmp_path: Path, load) -> None:
    for number, column in enumerate(("text", "content", "text")):
        (tmp_path / f"train_{number}.jsonl").write_text(json.dumps({column: f"text {number}", "id": "7"}) + "\n")
    corpus = load(DataSettings(source=str(tmp_path), validation_fraction=0.3))
    said = "train: its files are joined though their texts are from different columns "
    assert f"{said}(text of train_0.jsonl, train_2.jsonl; content of train_1.jsonl)" in corpus.notes
    (tmp_path / "train_1.jsonl").unlink()
    assert not any("different columns" in note for note in load(DataSettings(source=str(tmp_path))).notes)


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
    monkeypatch.setenv("UNFOOLED_LIMITS", f"line={2**20}")
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
    same = paragraphs_hash({"train": ["a b", "c"], "test": ["d"]})
    assert same == paragraphs_hash({"test": ["d"], "train": ["a b", "c"]})
    others = [
        {"train": ["a", "b c"], "test": ["d"]},
        {"train": ["a b"], "test": ["c", "d"]},
        {"train": ["a\nb", "c"], "test": ["d"]},
        {"train": ["a", "b\nc"], "test": ["d"]},
    ]
    assert len({same, *map(paragraphs_hash, others)}) == 5


def test_what_is_no_corpus_is_refused_with_what_would_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wiki").mkdir()
    (tmp_path / "wiki" / "train.txt").write_text("a line\n")
    (tmp_path / "x.pdf").write_text("x")
    monkeypatch.setenv("UNFOOLED_DATA", str(tmp_path))
    with pytest.raises(BadInput, match=r"no corpus called wikki; .*did you mean wiki\?"):
        load_corpus(DataSettings(source="wikki"))
    with pytest.raises(BadInput, match=r"x\.pdf: unknown kind of file; the name must end in \.csv, .*\.txt"):
        load_corpus(DataSettings(source=str(tmp_path / "x.pdf")))


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
    with pytest.raises(BadInput, match=r"validation\.txt: no text in it"):
        load_lines(DataSettings(source=str(tmp_path)))


def test_the_hash_tells_lines_and_parts_apart():
    marks = [{"a": ["x", "y"]}, {"a": ["xy"]}, {"a": ["x"], "b": ["y"]}, {"b": ["x", "y"]}, {"a": ["x", "y", ""]}]
    assert len({lines_hash(mark) for mark in marks}) == 5


def test_files_of_any_name_are_read_as_lines_where_they_are_named(tmp_path):
    (tmp_path / "train.en").write_text("a\nb\n")
    assert [*read_lines(tmp_path / "train.en")] == ["a", "b"]
    (tmp_path / "train.de.gz").write_bytes(b"no gzip")
    with pytest.raises(BadInput, match=r"train\.de\.gz: broken gzip"):
        [*read_lines(tmp_path / "train.de.gz")]
    with pytest.raises(BadInput, match=r"train\.fr: no such file"):
        [*read_lines(tmp_path / "train.fr")]


def test_a_line_without_an_end_is_refused_whatever_the_file_is_called(tmp_path, monkeypatch):
    monkeypatch.setenv("UNFOOLED_LIMITS", f"line={2**20}")
    for name in ("train.en", "train.txt"):
        (tmp_path / name).write_bytes(b"short\n" + b"x " * 2**20)
        with pytest.raises(BadInput, match="row 2: longer than 1 MB without a line end"):
            [*read_lines(tmp_path / name)]


def test_a_corpus_is_a_path_or_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "wiki").mkdir()
    train, dev, other = (tmp_path / name for name in ("wiki/train.txt.gz", "wiki/dev.jsonl", "a.pdf"))
    for path in (train, dev, other):
        path.write_bytes(gzip.compress(b"a\n"))
    assert corpus_file(train) == train == corpus_file(tmp_path / "wiki")
    monkeypatch.setenv("UNFOOLED_DATA", str(tmp_path))
    assert corpus_file("wiki") == train and corpus_file("wiki", "dev") == dev == corpus_file("wiki", "validation")
    for name, sentence in {"nowhere.txt": "no corpus called", str(other): "unknown kind of file"}.items():
        with pytest.raises(BadInput, match=sentence):
            corpus_file(name)
    with pytest.raises(BadInput, match="has no test split"):
        corpus_file("wiki", "test")
    (tmp_path / "wiki" / "train.de.txt").write_text("c\n")
    assert corpus_file("wiki") == train
    (tmp_path / "wiki" / "train.jsonl").write_text("{}")
    with pytest.raises(BadInput, match=r"train.jsonl, train.txt.gz could each be the train split"):
        corpus_file("wiki")


@pytest.mark.parametrize("load", [load_corpus, load_lines])
def test_a_file_given_for_measuring_that_lies_in_the_folder_is_not_trained_on(tmp_path: Path, load) -> None:
    folder = tmp_path / "books"
    folder.mkdir()
    for name in ("a", "b", "c", "d"):
        (folder / f"{name}.txt").write_text(f"text of {name}\n")
    (tmp_path / "link.txt").symlink_to(folder / "c.txt")
    given = {"validation": str(folder / ".." / "books" / "b.txt"), "test": str(tmp_path / "link.txt")}
    corpus = load(DataSettings(source=str(folder), **given))
    assert corpus.splits == {
        "train": ["text of a", "text of d"],
        "validation": ["text of b"],
        "test": ["text of c"],
    }
    assert "validation: b.txt lies in the folder of the corpus and is not trained on" in corpus.notes
    assert "test: c.txt lies in the folder of the corpus and is not trained on" in corpus.notes


def test_a_split_that_is_given_takes_the_place_of_that_of_the_folder(tmp_path: Path) -> None:
    for name in ("train", "valid", "ours"):
        (tmp_path / f"{name}.txt").write_text(f"text of {name}\n")
    corpus = load_corpus(DataSettings(source=str(tmp_path), validation=str(tmp_path / "ours.txt")))
    assert corpus.splits == {"train": ["text of train"], "validation": ["text of ours"]}
    assert "not trained on, called after validation or test: valid.txt" in corpus.notes
    assert not any("validation from" in note for note in corpus.notes)
    (tmp_path / "ours.txt").rename(tmp_path / "wiki.test.txt")
    with pytest.raises(BadInput, match="nothing to train on, for it holds validation and test alone"):
        load_corpus(DataSettings(source=str(tmp_path), test=str(tmp_path / "train.txt")))


def test_a_file_that_is_trained_on_and_given_for_measuring_is_told_of(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one line\n")
    corpus = load_corpus(DataSettings(source=str(file), validation=str(file)))
    assert corpus.notes == ("validation: a.txt is also what is trained on",)
