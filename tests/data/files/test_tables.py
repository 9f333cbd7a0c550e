"""Every kind of file is read exactly; every broken file is one sentence with its name, row and a remedy."""

import csv
import gzip
import io
import json

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unfooled.data.files.tables import read_table
from unfooled.errors import BadInput

ROWS = [
    {"text": "great fun 👩‍👩‍👧 e\u0301", "label": "pos"},
    {"text": 'שלום, "quoted"\nsecond line\u2028third', "label": "neg"},
]


def as_csv(rows, delimiter=","):
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def as_jsonl(rows):
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def as_parquet(rows):
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), out)
    return out.getvalue()


WRITERS = {
    ".csv": as_csv,
    ".tsv": lambda rows: as_csv(rows, "\t"),
    ".jsonl": as_jsonl,
    ".json": as_jsonl,
    ".parquet": as_parquet,
}
FIRST_ROW = {".csv": 2, ".tsv": 2, ".jsonl": 1, ".json": 1, ".parquet": 1}


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("suffix", WRITERS)
def test_every_kind_of_file_gives_the_same_rows(tmp_path, suffix, zipped):
    content = WRITERS[suffix](ROWS)
    path = tmp_path / ("data" + suffix.upper() + (".gz" if zipped else ""))
    path.write_bytes(gzip.compress(content) if zipped else content)
    table = read_table(path)
    assert table.rows == ROWS
    assert table.columns == ("text", "label")
    assert table.first_row == FIRST_ROW[suffix]
    assert table.at(1, "label") == f"{path}, row {FIRST_ROW[suffix] + 1}, column label"


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
def test_a_byte_order_mark_is_not_part_of_the_first_column(tmp_path, suffix):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(b"\xef\xbb\xbf" + WRITERS[suffix](ROWS))
    assert read_table(path).rows == ROWS


@pytest.mark.parametrize("name, content", [
    ("a.csv", "text,label\na,0\n\nb,1\n\n\n"),
    ("a.jsonl", '{"text": "a"}\n\n{"text": "b"}\n \n'),
])  # fmt: skip
def test_blank_lines_keep_the_numbers_of_later_rows(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    table = read_table(path)
    assert [row.get("text") for row in table.rows] == ["a", None, "b"]


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@given(texts=st.lists(WORDS, min_size=1, max_size=5))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl"])
def test_texts_survive_a_round_trip(tmp_path, suffix, texts):
    rows = [{"text": text, "label": "1"} for text in texts]
    path = tmp_path / f"a{suffix}"
    path.write_bytes(WRITERS[suffix](rows))
    assert read_table(path).rows == rows


BAD = {  # name: (file name, content, what the message must say: where, what, what to do)
    "missing file": ("gone.csv", None, ["gone.csv", "no such file", "check"]),
    "unknown suffix": ("a.docx", b"x", ["a.docx", "unknown kind", ".csv", ".parquet", ".gz"]),
    "empty": ("a.csv", b"", ["a.csv", "empty", "give"]),
    "empty json": ("a.jsonl", b" \n\n", ["a.jsonl", "empty"]),
    "empty parquet": ("a.parquet", b"", ["a.parquet", "empty"]),
    "header alone": ("a.csv", b"text,label\n", ["a.csv", "no rows", "give"]),
    "half of it latin-1 csv": (
        "a.csv",
        b'text,label\n\xc3\xb6k,1\n"two\nlines",1\ncaf\xe9,0\n',
        ["a.csv, row 4", "byte 34 ", "save", "UTF-8"],
    ),
    "latin-1 with mark": ("a.csv", b"\xef\xbb\xbfa\xe9,label\n", ["a.csv, row 1", "byte 4"]),
    "half of it latin-1 jsonl": (
        "a.jsonl",
        b'{"text": "\xc3\xb6"}\n{"text": "\xe9"}\n',
        ["a.jsonl, row 2", "byte 25", "UTF-8"],
    ),
    "cut utf-16": ("a.csv", "text,label\na,0\n".encode("utf-16")[:-1], ["a.csv", "UTF-16 and is not", "save"]),
    "too many": (
        "a.csv",
        b"text,label\na,0\nb, c,1\n",
        ["a.csv, row 3", "too many", "3", "header has 2", "quotation"],
    ),
    "too few": ("a.csv", b"text,label\na\n", ["a.csv, row 2", "too few", "header has 2", "mend"]),
    "too many after two lines": ("a.csv", b'text,label\n"a\nb",0\nc,d,1\n', ["a.csv, row 3", "too many"]),
    "too many tabs": ("a.tsv", b"text\tlabel\na\tb\t1\n", ["a.tsv, row 2", "too many", "tab"]),
    "open quote": ("a.csv", b'text,label\n"a,0\nb,1\n', ["a.csv, row 2", "never closed", "double it"]),
    "inner quote": ("a.csv", b'text,label\n"a "b" c",0\n', ["a.csv, row 2", "quotation mark", "double it"]),
    "old Mac line ends": ("a.csv", b"text,label\ra,0\r", ["a.csv, row 1", "carriage return", "save"]),
    "semicolons in the header": ("a.csv", b"text;label\na,0\n", ["a.csv, row 1", "semicolons", "separate all"]),
    "doubled header": (
        "a.csv",
        b"text,label,text\na,0,b\n",
        ["a.csv, row 1", "column text", "twice", "rename"],
    ),
    "not json": (
        "a.jsonl",
        b'{"text": "a"}\n{"text": \n',
        ["a.jsonl, row 2", "not JSON", "letter 9", "each line must be"],
    ),
    "not an object": (
        "a.jsonl",
        b'{"text": "a"}\n["b", 1]\n',
        ["a.jsonl, row 2", "JSON list", "write it like"],
    ),
    "array of numbers": ("a.json", b'[{"text": "a"}, 3]', ["a.json, row 2", "JSON int", "write it like"]),
    "long number": ("a.jsonl", b'{"label": ' + b"9" * 9999 + b"}", ["a.jsonl, row 1", "not JSON"]),
    "broken array": ("a.json", b'[{"text": "a"},\n {"text" 1}]', ["a.json, row 2", "not JSON"]),
    "deep json": ("a.jsonl", b"[" * 200_000 + b"\n", ["a.jsonl, row 1", "not JSON"]),
    "NUL": ("a.csv", b"text,label\na\0b,1\n", ["a.csv, row 2", "byte 12", "NUL", "save"]),
    "NUL json": ("a.jsonl", b'{"text": "\0"}\n', ["a.jsonl, row 1", "NUL"]),
    "not gzip": ("a.csv.gz", b"text,label\na,1\n", ["a.csv.gz", "broken gzip", "compress it again"]),
    "cut gzip": ("a.jsonl.gz", gzip.compress(as_jsonl(ROWS * 99))[:-20], ["a.jsonl.gz", "broken gzip"]),
    "spoilt gzip": (
        "a.csv.gz",
        gzip.compress(b"text,label\n")[:10] + b"\xff" * 40,
        ["a.csv.gz", "broken gzip"],
    ),
    "not parquet": ("a.parquet", b"PAR1 and so on", ["a.parquet", "not a Parquet file", "write it again"]),
}


@pytest.mark.parametrize("case", BAD)
def test_a_broken_file_is_one_sentence(tmp_path, case):
    name, content, words = BAD[case]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput) as caught:
        read_table(tmp_path / name)
    message = str(caught.value)
    assert [word for word in words if word not in message] == [], message
    assert message.isprintable() and len(message) < 500


def test_a_folder_where_a_file_is_wanted(tmp_path):
    with pytest.raises(BadInput, match="is a folder where a file is wanted; name a file"):
        read_table(tmp_path)
