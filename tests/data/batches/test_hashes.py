"""Hashes of files: remembered as long as a file stays as it is, and never longer."""

import hashlib
import json
import os
import time
from pathlib import Path

import pytest

from unfooled.data.batches import hashes
from unfooled.data.batches.hashes import REMEMBERED, content_hashes, sampled_hash
from unfooled.errors import BadInput

LONG_AGO = 10**9 * 10**9  # nanoseconds


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of files that were read in full, in order."""
    names: list[str] = []
    whole = hashes.whole_hash

    def told(file: Path) -> str:
        names.append(file.name)
        return whole(file)

    monkeypatch.setattr(hashes, "whole_hash", told)
    return names


def written(path: Path, content: bytes, changed: int = LONG_AGO) -> Path:
    """A file that was last changed then."""
    path.write_bytes(content)
    os.utime(path, ns=(changed, changed))
    return path


def sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_a_file_that_stays_as_it_is_is_read_once(tmp_path: Path, read: list[str]) -> None:
    files = [written(tmp_path / name, name.encode()) for name in ("a", "b")]
    for _ in range(3):
        assert content_hashes(files, tmp_path / "kept") == {file: sha(file.name.encode()) for file in files}
    assert read == ["a", "b"]
    assert {Path(name).name for name in json.loads((tmp_path / "kept" / REMEMBERED).read_text())} == {"a", "b"}


@pytest.mark.parametrize("changed", [LONG_AGO + 1, LONG_AGO - 1, LONG_AGO], ids=["later", "earlier", "put back"])
def test_a_file_of_the_same_size_that_was_changed_is_read_again(tmp_path: Path, read: list[str], changed: int) -> None:
    file = written(tmp_path / "a", b"one")
    content_hashes([file], tmp_path)
    time.sleep(0.05)  # longer than a tick of the clock that stamps entries
    written(file, b"two", changed)
    assert content_hashes([file], tmp_path) == {file: sha(b"two")} and read == ["a", "a"]


def test_a_file_put_in_its_place_is_read_again(tmp_path: Path) -> None:
    file, other = written(tmp_path / "a", b"one"), written(tmp_path / "b", b"two")
    content_hashes([file], tmp_path)
    os.replace(other, file)
    assert content_hashes([file], tmp_path) == {file: sha(b"two")}


def test_what_was_written_a_moment_ago_may_change_within_the_same_moment(tmp_path: Path, read: list[str]) -> None:
    file, soon = tmp_path / "a", time.time_ns() + 10**9
    for content in (b"one", b"two"):
        written(file, content, soon)
        assert content_hashes([file], tmp_path) == {file: sha(content)}
    assert not (tmp_path / REMEMBERED).exists() and read == ["a", "a"]


def test_a_file_that_changes_while_it_is_read_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written(tmp_path / "a", b"one")
    monkeypatch.setattr(hashes, "whole_hash", lambda path: (written(path, b"two", LONG_AGO + 1), sha(b"one"))[1])
    content_hashes([file], tmp_path)
    assert not (tmp_path / REMEMBERED).exists()


@pytest.mark.parametrize("held", ["", "[]", "{", '{"a": 1}', '{"FILE": [1, 2, 3, 4, "short"]}', '{"FILE": []}', "77"])
def test_what_is_no_memory_is_forgotten(tmp_path: Path, held: str) -> None:
    file = written(tmp_path / "a", b"one")
    (tmp_path / REMEMBERED).write_text(held.replace("FILE", str(file)))
    for _ in range(2):
        assert content_hashes([file], tmp_path) == {file: sha(b"one")}
    assert list(json.loads((tmp_path / REMEMBERED).read_text())) == [str(file)]


def test_the_latest_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashes, "MOST", 2)
    for name in "abc":
        content_hashes([written(tmp_path / name, b"one")], tmp_path)
    assert [Path(name).name for name in json.loads((tmp_path / REMEMBERED).read_text())] == ["b", "c"]


def test_where_nothing_can_be_kept_files_are_read(tmp_path: Path) -> None:
    file = written(tmp_path / "a", b"one")
    assert content_hashes([file], file) == {file: sha(b"one")}
    with pytest.raises(BadInput, match="cannot be read"):
        content_hashes([tmp_path / "gone"], tmp_path)


def test_samples_meet_the_first_and_the_last_byte_and_gaps_of_more_than_a_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a"
    content = bytes(range(200))
    file.write_bytes(content)
    assert sampled_hash(file) == sha(content)
    monkeypatch.setattr(hashes, "SAMPLES", 5)
    monkeypatch.setattr(hashes, "SAMPLE", 8)
    mark = sampled_hash(file)
    for begin, end in ((0, 1), (199, 200), (100, 100 + 48)):
        file.write_bytes(content[:begin] + b"\xff" * (end - begin) + content[end:])
        assert sampled_hash(file) != mark
