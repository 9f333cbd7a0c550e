"""Files as decoded lines: packed or not, bounded, and refused in a sentence."""

import gzip
import hashlib
import random
from pathlib import Path

import pytest

from unfooled.data.files import lines
from unfooled.data.files.lines import opened, text_lines
from unfooled.errors import BadInput


def test_lines_are_the_same_packed_or_not(tmp_path: Path) -> None:
    content = "\ufeffone\r\n\nthrée\n".encode()
    (tmp_path / "a.txt").write_bytes(content)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(content))
    assert [*text_lines(tmp_path / "a.txt")] == [*text_lines(tmp_path / "a.txt.gz")] == ["one\r\n", "\n", "thrée\n"]


def test_a_file_says_how_far_it_was_read_and_what_of_it(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"one\ntwo\n")
    with opened(path) as file:
        assert next(iter(file)) == "one\n" and file.done >= 4
        assert file.digest == hashlib.sha256(b"one\n").hexdigest()


@pytest.mark.parametrize("name", ["a.bin", "a.bin.gz"])
def test_the_whole_content_can_be_gone_through_back_and_forth(tmp_path: Path, name: str) -> None:
    content = random.Random(0).randbytes(2_500_000)
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    with opened(tmp_path / name) as file:
        whole = file.whole()
        assert file.digest == hashlib.sha256(content).hexdigest()
        whole.seek(-3, 2)
        assert whole.read() == content[-3:] and whole.seek(0) == 0 and whole.read() == content


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.txt.gz", b"no gzip", "broken gzip"),
        ("b.txt.gz", gzip.compress(b"one\n" * 999, mtime=0)[:-9], "broken gzip"),
        ("c.txt", b"\xc3\xb6ne\n\xff\n", "byte 5 of the file is not UTF-8"),
        ("d.txt", b"one\na\0b\n", "byte 5 of the file is NUL"),
        ("e.txt", b"one\n" + b"x" * 2**21, "row 2: longer than 1 MB without a line end"),
        ("nothing/here.txt", None, "no such file; check the spelling"),
    ],
)
def test_what_is_no_text_is_refused_in_a_sentence(
    tmp_path: Path, name: str, content: bytes | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNFOOLED_LIMITS", f"line={2**20}")
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput, match=said):
        [*text_lines(tmp_path / name)]


def test_a_packed_file_that_grows_without_end_is_refused_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"text\n" * 3_000_000))
    read = 0
    with pytest.raises(BadInput, match="a.txt.gz: unpacks to .* times its size, .*UNFOOLED_LIMITS=ratio="):
        for line in text_lines(tmp_path / "a.txt.gz"):
            read += len(line)
    assert read < 2**20
    monkeypatch.setenv("UNFOOLED_LIMITS", "ratio=2000")
    assert sum(1 for _ in text_lines(tmp_path / "a.txt.gz")) == 3_000_000


def test_pieces_are_decoded_wherever_they_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BLOCK", 3)
    (tmp_path / "a.json").write_bytes("\ufeffé€😀 x".encode())
    with opened(tmp_path / "a.json") as file:
        assert "".join(file.pieces()) == "é€😀 x"
    (tmp_path / "b.json").write_bytes("é€".encode() + b"abc\xff")
    with opened(tmp_path / "b.json") as file, pytest.raises(BadInput, match="byte 8 of the file is not UTF-8"):
        [*file.pieces()]
