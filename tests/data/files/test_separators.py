"""What stands between fields: as the name promises, or as the first rows show."""

from pathlib import Path

import pytest

from unfooled.data.files.separators import separator_of
from unfooled.data.files.tables import read_table

FILES = {  # content, the mark a .csv is read by, whether that is said
    "commas": ("text,label\na; b; c,1\nd;e,0\n", ",", False),
    "semicolons": ("text;label\na, b, c;1\n", ";", True),
    "tabs": ("text\tlabel\na, b\t1\n", "\t", True),
    "bars": ("text|label\na|1\n", "|", True),
    "one column": ("text\na; b\nc; d\n", ",", False),
    "quoted": ('"text, or so";label\n"a;b";1\n', ";", True),
    "declared": ("sep=;\ntext;label\na;1\n", ";", True),
    "declared as usual": ("SEP=,\ntext,label\na,1\n", ",", False),
    "declared tab": ("sep=\t\ntext\tlabel\na\t1\n", "\t", True),
    "a header alone": ("text;label\n", ";", True),
    "one mark in a title": ("text; all of it\nno such mark\n", ",", False),
    "empty": ("", ",", False),
}


@pytest.mark.parametrize("case", FILES)
def test_the_mark_is_what_the_first_rows_show(case: str, tmp_path: Path) -> None:
    content, mark, is_said = FILES[case]
    (tmp_path / "a.csv").write_text(content, encoding="utf-8", newline="")
    separator = separator_of(tmp_path / "a.csv", ",")
    assert (separator.mark, separator.said is not None) == (mark, is_said)


def test_an_excel_export_keeps_its_row_numbers_and_says_what_was_decided(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes('sep=;\r\ntext;label\r\n"a;\r\nb";1\r\nc;0\r\n'.encode("utf-8-sig"))
    table = read_table(path)
    assert table.rows == [{"text": "a;\r\nb", "label": "1"}, {"text": "c", "label": "0"}] and table.first_row == 3
    assert table.notes == ("a.csv: fields are separated by semicolons",)


def test_a_tsv_with_semicolons_and_a_csv_with_tabs_whose_quotation_marks_are_letters(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_text("text;label\na;1\n")
    assert read_table(tmp_path / "a.tsv").rows == [{"text": "a", "label": "1"}]
    (tmp_path / "b.csv").write_text('text\tlabel\n"Never" again\t1\n')
    assert read_table(tmp_path / "b.csv").rows[0]["text"] == '"Never" again'
