"""Files as decoded lines: packed or not, bounded, and refused in a sentence."""

import gzip
from pathlib import Path

import pytest

from unfooled.data.raw import Lines, bounded, opened
from unfooled.errors import BadInput


def read(path: Path, longest: int = 2**20) -> list[str]:
    with opened(path) as handle:
        return list(Lines(path, bounded(path, handle, longest)))


def test_lines_are_the_same_packed_or_not(tmp_path: Path) -> None:
    content = "\ufeffone\r\n\nthrée\n".encode()
    (tmp_path / "a.txt").write_bytes(content)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(content))
    assert read(tmp_path / "a.txt") == read(tmp_path / "a.txt.gz") == ["one\r\n", "\n", "thrée\n"]


def test_a_file_that_was_opened_says_how_far_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\ntwo\n")
    raw = path.open("rb")
    with opened(path, raw) as handle:
        assert handle.readline() == b"one\n" and raw.tell() == 4
    assert raw.closed


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.txt.gz", b"no gzip", "broken gzip"),
        ("b.txt.gz", gzip.compress(b"one\n" * 999)[:-9], "broken gzip"),
        ("c.txt", b"one\n\xff\n", "byte 4 of the file is not UTF-8"),
        ("d.txt", b"one\na\0b\n", "byte 5 of the file is NUL"),
        ("e.txt", b"one\n" + b"x" * 2**21, "row 2: longer than 1 MB without a line end"),
        ("nothing/here.txt", None, "cannot be read"),
    ],
)
def test_what_is_no_text_is_refused_in_a_sentence(tmp_path: Path, name: str, content: bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput, match=said):
        read(tmp_path / name)
