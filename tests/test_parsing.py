import gzip
import json
import os
import struct
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from unfooled.errors import BadInput
from unfooled.limits import VARIABLE
from unfooled.parsing import (
    check_archive,
    content,
    gunzipped,
    json_file,
    json_value,
    object_in,
    opened,
    recipe_in,
    toml_value,
    whole_lines,
)


def test_json_and_toml_are_read_as_they_stand(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes('\ufeff{"é": [1, null, {"b": 0.5}]}'.encode())
    assert json_file(tmp_path / "a.json") == {"é": [1, None, {"b": 0.5}]}
    (tmp_path / "a.toml").write_text('[plan]\nepochs = 2\nwords = [["a"], ["b.c"]]\n')
    assert recipe_in(tmp_path / "a.toml") == {"plan": {"epochs": 2, "words": [["a"], ["b.c"]]}}


@pytest.mark.parametrize(
    "text",
    [
        "[" * 5000 + "]" * 5000,
        "[" * 900 + "]" * 900,
        '{"a":' * 65 + "0" + "}" * 65,
        "[" * 200_000,
        '{"a": NaN}',
        '{"a": -Infinity}',
        "9" * 5000,
        "{",
        "",
    ],
)
def test_what_is_deep_endless_or_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        json_value(text)


def test_so_deep_is_allowed_and_a_pair_of_halves_is_a_letter() -> None:
    assert json_value("[" * 64 + "]" * 64)
    assert json_value('"\\ud83d\\ude00"') == "😀"
    assert json_value("[NaN]", finite=False)
    assert len(json_value(json.dumps([{"a": [1]}] * 500))) == 500


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 5000 + "]" * 5000, ".".join("a" * 60_000) + " = 1", "a = " + "{b = " * 70 + "1" + "}" * 70]
)
def test_toml_inside_toml_without_end_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="inside each other"):
        toml_value(text)


def test_a_file_larger_than_is_taken_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a terabyte on paper, nothing on the disk
    with pytest.raises(BadInput, match="a.json has more than 8,388,608 bytes.*UNFOOLED_LIMITS=document="):
        content(path)
    monkeypatch.setenv(VARIABLE, "values=3")
    with pytest.raises(BadInput, match="too many values"):
        json_value("[1,2,3,4]")


def test_what_is_no_ordinary_file_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, kind in ((tmp_path / "pipe", "a pipe"), (Path("/dev/zero"), "a device"), (tmp_path, "a folder")):
        with pytest.raises(BadInput, match=f"is {kind}, where a file is wanted"):
            content(path)
    (tmp_path / "link").symlink_to("/dev/zero")
    with pytest.raises(BadInput, match="is a device"):
        opened(tmp_path / "link")


def test_a_small_packed_file_does_not_become_a_large_one() -> None:
    assert gunzipped(gzip.compress(b"text\n"), "a.gz") == b"text\n"
    with pytest.raises(BadInput, match="a.gz unpacks to far more"):
        gunzipped(gzip.compress(bytes(10**7)), "a.gz")
    with pytest.raises(OSError):
        gunzipped(gzip.compress(b"text\n")[:-4], "a.gz")


def packed_folder(parts: dict[str, bytes]) -> BytesIO:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, part in parts.items():
            packed.writestr(name, part)
    return out


def test_a_small_packed_folder_does_not_become_a_large_one(monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = packed_folder({"a": b"x" * 200_000}), packed_folder({"a": b"x" * 200_000, "b": b"x" * 200_000})
    check_archive(small, "a.zip")
    assert small.tell() == 0
    with pytest.raises(BadInput, match=r"^a.zip unpacks to \d\d\d times its size, more than the 50 that are taken"):
        check_archive(large, "a.zip")
    monkeypatch.setenv("UNFOOLED_LIMITS", "ratio=2000")
    check_archive(large, "a.zip")


def test_a_part_that_becomes_large_is_not_hidden_by_ballast() -> None:
    ballast = np.random.default_rng(0).bytes(100_000)
    with pytest.raises(BadInput, match=r"^a part of a.zip unpacks to \d[\d,]+ times its size"):
        check_archive(packed_folder({"ballast": ballast, "bomb": bytes(2_000_000)}), "a.zip")


def test_a_list_of_parts_that_is_only_said_to_be_short_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    content = packed_folder({"a": b"x"}).getvalue()
    end = content[-22:]
    told = b"PK\6\7" + bytes(16)  # a pointer to a record with larger numbers
    remark = end[:20] + b"\1\0" + b"!"  # something behind the end, which a reader passes over
    many = struct.pack("<4s8xII2x", b"PK\5\6", 2**30, 0)
    monkeypatch.setattr(zipfile, "ZipFile", lambda file: pytest.fail("it was listed"))
    for hostile in (
        content[:-22] + told + end,
        content[:-22] + told + remark,
        content[:-22] + end[:20] + b"\x16\0" + many,
    ):
        with pytest.raises(BadInput, match="a.zip has more parts than any file of its kind"):
            check_archive(BytesIO(hostile), "a.zip")


def test_a_folder_of_too_many_parts_is_refused_before_they_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    many = packed_folder({f"a long name of a part {n}": b"" for n in range(16_000)})
    monkeypatch.setattr(zipfile, "ZipFile", lambda file: pytest.fail("it was listed"))
    with pytest.raises(BadInput, match="a.zip has more parts than any file of its kind"):
        check_archive(many, "a.zip")


EMPTY = b"PK\5\6" + b"\0" * 18  # a folder without parts


@pytest.mark.parametrize("content", [b"", b"no archive", EMPTY[:-8], EMPTY.replace(b"\0" * 12, b"\1\0" * 6)])
def test_what_is_no_packed_folder_is_one_error(content: bytes) -> None:
    with pytest.raises(zipfile.BadZipFile):
        check_archive(BytesIO(content), "a.zip")


def test_messages_never_quote_the_file(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("root:x:0:0:secret")
    with pytest.raises(BadInput, match=r"not valid JSON .*; mend it") as caught:
        object_in(tmp_path / "a.json", "mend it")
    assert "secret" not in str(caught.value)
    (tmp_path / "b.json").write_text("[1]")
    with pytest.raises(BadInput, match="no object of JSON; mend it"):
        object_in(tmp_path / "b.json", "mend it")


def test_lines_end_where_the_last_end_of_line_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"one\ntwo\nthr")
    with opened(tmp_path / "a.jsonl") as file:
        assert [*whole_lines(file, "a.jsonl")] == [b"one\n", b"two\n"]
    monkeypatch.setenv(VARIABLE, "line=3")
    with opened(tmp_path / "a.jsonl") as file, pytest.raises(BadInput, match="a line of more than 3 bytes"):
        [*whole_lines(file, "a.jsonl")]
