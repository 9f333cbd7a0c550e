"""Corpora as streams: every kind of file, rows by number, memory bounded, and one sentence for what is wrong."""

import gzip
import hashlib
import json
import tracemalloc
from pathlib import Path

import pytest

from unfooled.data.corpus import corpus_file
from unfooled.data.files.texts import TextFile
from unfooled.errors import BadInput

TEXTS = ["One text.", "", "Zwei\u2028Texte, 😀", "a\x85b\x0bc", "  spaces  "]


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def refused(path: Path, column: str | None = None) -> str:
    with pytest.raises(BadInput) as caught:
        list(TextFile(corpus_file(path), column))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("end", ["", ".gz"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_all_kinds_of_file_give_the_same_rows(tmp_path: Path, end: str, line_end: str):
    contents = {
        ".txt": "".join(text + line_end for text in TEXTS),
        ".jsonl": "".join((json.dumps({"id": 1, "text": text}) if text else "") + line_end for text in TEXTS),
        ".csv": "id,text" + line_end + "".join(f'1,"{text}"' + line_end for text in TEXTS),
    }
    for kind, content in contents.items():
        path = write(tmp_path / f"corpus{kind}{end}", content.encode())
        corpus = TextFile(corpus_file(path))
        assert list(corpus) == list(enumerate(TEXTS)) == list(corpus)  # and once more
        assert corpus.digest == hashlib.sha256(content.encode()).hexdigest()
        assert corpus.size == path.stat().st_size


def test_the_digest_is_of_the_rows_given(tmp_path: Path):
    corpus = TextFile(write(tmp_path / "a.txt", b"one\ntwo\nthree"))
    rows = iter(corpus)
    next(rows), next(rows)
    assert corpus.digest == hashlib.sha256(b"one\ntwo\n").hexdigest() and corpus.done > 0
    assert next(rows) == (2, "three")


def test_a_byte_order_mark_is_no_text(tmp_path: Path):
    assert list(TextFile(write(tmp_path / "a.txt", "\ufeffGood".encode()))) == [(0, "Good")]


def test_a_row_without_a_text_is_an_empty_one(tmp_path: Path):
    corpus = TextFile(write(tmp_path / "a.jsonl", b'{"text": "Good"}\n{"text": null}\n{"words": "b"}\n'))
    assert list(corpus) == [(0, "Good"), (1, ""), (2, "")]


def test_a_line_without_an_end_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    longest = 2**20
    monkeypatch.setenv("UNFOOLED_LIMITS", f"line={longest},ratio=2000")
    path = tmp_path / "huge.txt"
    with path.open("wb") as file:
        file.write(b"short\n")
        file.truncate(1 << 30)  # a gigabyte on paper, nothing on the disk
    tracemalloc.start()
    said = refused(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "row 2: longer than 1 MB without a line end" in said and peak < 8 * longest
    assert "row 1: longer than 1 MB" in refused(write(tmp_path / "a.txt.gz", b"x" * (longest + 1)))
    assert len(list(TextFile(write(tmp_path / "b.txt", b"x" * (longest - 1) + b"\nshort")))) == 2


def test_what_is_no_text_is_refused_with_its_place(tmp_path: Path):
    cases = {
        "junk.txt": (b"fin\xc3\xa9\nf\xffne\n", "row 2: byte 7 of the file is not UTF-8"),
        "null.txt": (b"fine\nab\0c\n", "row 2: byte 7 of the file is NUL"),
        "broken.txt.gz": (None, "broken gzip"),
        "bad.jsonl": (b'{"text": "a"}\n{"text": \n', "bad.jsonl, row 2: not JSON"),
        "list.jsonl": (b'["a"]\n', "row 1: a JSON list, not an object"),
        "number.jsonl": (b'{"text": "a"}\n{"text": 3}\n', "row 2, column text: 3 is no text"),
        "which.jsonl": (b'{"a": "x", "b": "y"}\n', "which column is the text is not clear (a, b)"),
        "wide.csv": (b"text,id\na,1\nb,2,3\n", "row 3: too many fields"),
        "twice.csv": (b"text,text\na,b\n", "column text appears twice"),
    }
    for name, (content, sentence) in cases.items():
        path = tmp_path / name
        path.write_bytes(b"no gzip at all") if content is None else write(path, content)
        assert sentence in refused(path), name
    path = write(tmp_path / "cut.txt.gz", b"line\n" * 5000)
    path.write_bytes(path.read_bytes()[:-20])
    assert "broken gzip" in refused(path)


def test_columns_are_named_or_found(tmp_path: Path):
    path = write(tmp_path / "a.csv", b"review,title\nlong,short\n")
    assert list(TextFile(path)) == [(0, "long")] and list(TextFile(path, "title")) == [(0, "short")]
    assert "a.csv, row 2: no column titel for text=; did you mean title?" in refused(path, "titel")
    assert list(TextFile(write(tmp_path / "b.jsonl", b'{"id": 3, "said": "so"}\n'))) == [(0, "so")]
    with pytest.raises(BadInput, match="one text a row, not the columns a,b"):
        TextFile(path, "a,b")
