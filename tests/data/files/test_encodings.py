"""Encodings: told by the first bytes, or by where UTF-8 fails; said, and refused where neither fits."""

import gzip
from pathlib import Path

import pytest

from unfooled.data.files.encodings import wide_encoding
from unfooled.data.files.lines import opened
from unfooled.data.files.tables import read_table
from unfooled.errors import BadInput

TABLE = "text,label\nÜber den Fluß – 20 €,gut\n大きい,bad\n"
WESTERN = "text,label\nÜber den Fluß – 20 €,gut\nnaïve café,bad\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz"])
def test_a_table_is_the_same_in_every_encoding(encoding: str, name: str, tmp_path: Path) -> None:
    content = TABLE.encode(encoding)
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    table = read_table(tmp_path / name)
    assert table.rows[0] == {"text": "Über den Fluß – 20 €", "label": "gut"} and table.rows[1]["text"] == "大きい"
    assert table.notes == (() if encoding == "utf-8-sig" else (f"{name}: read as UTF-16",))


def test_windows_letters_are_read_and_said_once(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(WESTERN.encode("cp1252"))
    table = read_table(tmp_path / "a.csv")
    assert [row["text"] for row in table.rows] == ["Über den Fluß – 20 €", "naïve café"]
    assert table.notes == ("a.csv: read as Windows-1252, for it is not UTF-8",)


def test_json_in_utf_16_and_a_file_longer_than_a_buffer(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes('[{"text": "é"}]'.encode("utf-16"))
    assert read_table(tmp_path / "a.json").rows == [{"text": "é"}]
    lines = [f"line {number} é\n" for number in range(30_000)]
    (tmp_path / "a.txt").write_bytes("".join(lines).encode("utf-16-le"))
    with opened(tmp_path / "a.txt") as file:
        assert [*file] == lines and file.done > 0


BAD = {
    "half of it": ("é,x\n".encode() + "é,y\n".encode("cp1252"), "row 2: byte 5 of the file is not UTF-8"),
    "Russian": ("Хороший фильм, очень понравился\n".encode("cp1251") * 3, "not UTF-8"),
    "no letter of Windows": (b"a\x81b\n", "not UTF-8"),
    "cut in the middle": ("text\nabc\n".encode("utf-16")[:-1], "begins as UTF-16 and is not"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_in_no_encoding_is_refused(case: str, tmp_path: Path) -> None:
    content, said = BAD[case]
    (tmp_path / "a.txt").write_bytes(content)
    with pytest.raises(BadInput, match=said), opened(tmp_path / "a.txt") as file:
        for _ in file:
            file.row += 1


def test_ascii_and_other_binaries_are_not_taken_for_utf_16() -> None:
    assert wide_encoding(b"text,label\n") is None and wide_encoding(b"PK\x03\x04\x00\x00\x00\x00" * 9) is None
    assert wide_encoding("text".encode("utf-32")) is None and wide_encoding(b"") is None
