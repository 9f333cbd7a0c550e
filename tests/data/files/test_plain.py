"""Running text: lines as they are, without their ends."""

from unfooled.data.files.lines import opened
from unfooled.data.files.plain import PLAIN


def test_a_line_is_a_row_and_its_number_is_right(tmp_path):
    (tmp_path / "a.txt").write_bytes(" a \r\n\nb\x0bc\u2028d".encode())
    with opened(tmp_path / "a.txt") as file:
        assert [(file.row, row["text"]) for row in PLAIN.rows(file)] == [(1, " a "), (2, ""), (3, "b\x0bc\u2028d")]
