"""Excel workbooks: read, numbered as Excel numbers rows, and refused where they are bombs or broken."""

import datetime
import sys
import zipfile
from contextlib import nullcontext
from pathlib import Path

import pytest
from openpyxl import Workbook

from unfooled.data.files import excel
from unfooled.data.files.tables import read_table
from unfooled.errors import BadInput


def saved(path: Path, *sheets: tuple[str, list[list[object]]]) -> Path:
    book = Workbook()
    book.remove(book.active)
    for title, rows in sheets:
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_the_first_sheet_with_rows_is_a_table(tmp_path: Path) -> None:
    rows: list[list[object]] = [["text", "label", None], ["good film", 1], [], [datetime.date(2026, 1, 2), 0.5]]
    table = read_table(saved(tmp_path / "a.xlsx", ("Notes", []), ("Reviews", rows), ("More", [["x"], ["y"]])))
    assert table.columns == ("text", "label") and table.first_row == 2
    assert [row.get("text") for row in table.rows] == ["good film", None, "2026-01-02T00:00:00"]
    assert table.at(0) == f"{tmp_path / 'a.xlsx'}, row 2"
    assert table.notes == ("a.xlsx: the sheet Reviews is read, Notes, More not",)


def repacked(path: Path, name: str, content: bytes) -> None:
    """A workbook with one of its parts exchanged."""
    with zipfile.ZipFile(path) as book:
        parts = {entry: book.read(entry) for entry in book.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for entry, own in {**parts, name: content}.items():
            book.writestr(entry, own)


def test_what_unpacks_to_too_much_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.xlsx", ("Reviews", [["text", "label"], ["a", 1]]))
    repacked(path, "xl/media/bomb.bin", b"\0" * (64 * 2**20))
    assert path.stat().st_size < 2**20
    with pytest.raises(BadInput, match=r"a part of .*a.xlsx unpacks to 1,0\d\d times its size.*UNFOOLED_LIMITS=ratio"):
        read_table(path)


def test_a_table_with_a_hole_without_end_is_refused_and_one_with_a_small_hole_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(excel, "MOST_BLANK", 5)
    for blank, refused in ((5, False), (6, True)):
        path = saved(tmp_path / f"{blank}.xlsx", ("Sheet", [["text"], ["a"], *[[None]] * blank, ["b"]]))
        with pytest.raises(BadInput, match="row 8: 5 rows before it are blank") if refused else nullcontext():
            assert read_table(path).rows[-1] == {"text": "b"}


def test_xml_that_defines_words_of_its_own_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path / "a.xlsx", ("Reviews", [["text", "label"], ["a", 1]]))
    remark = b"<!--" + bytes(range(97, 123)) * 5000 + b"-->"  # longer than what is looked at at a time
    monkeypatch.setattr(excel, "LOOKED_AT", 1000)
    laughs = b'<?xml version="1.0"?>%b<!DOCTYPE s [<!ENTITY a "ha">]><sst><si><t>&a;</t></si></sst>'
    for hostile in (laughs % b"", laughs % remark, (laughs % b"").decode().encode("utf-16")):
        repacked(path, "xl/sharedStrings.xml", hostile)
        with pytest.raises(BadInput, match="sharedStrings.xml in it defines words of its own"):
            read_table(path)


BAD = {
    "a name twice": ([["text", "text"], ["a", "b"]], "row 1: column text appears twice"),
    "a value beside": ([["text", "label"], ["a", 1, "stray"]], "row 2: a value stands under no name"),
    "nothing": ([], "no sheet holds rows"),
    "a header alone": ([["text", "label"]], "no rows"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_sheet_that_is_no_table_is_refused(case: str, tmp_path: Path) -> None:
    rows, said = BAD[case]
    with pytest.raises(BadInput, match=said):
        read_table(saved(tmp_path / "a.xlsx", ("Sheet", rows)))


def test_what_is_no_workbook_is_refused_and_so_is_one_without_openpyxl(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"text,label\na,1\n")
    with pytest.raises(BadInput, match="not an Excel workbook"):
        read_table(tmp_path / "a.xlsx")
    with zipfile.ZipFile(tmp_path / "b.xlsx", "w") as book:
        book.writestr("x.txt", "nothing")
    with pytest.raises(BadInput, match="not an Excel workbook"):
        read_table(tmp_path / "b.xlsx")
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(BadInput, match=r"pip install 'unfooled\[excel\]'"):
        read_table(tmp_path / "a.xlsx")
