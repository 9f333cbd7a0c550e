import os
from pathlib import Path

import pytest

from unfooled import __version__
from unfooled.files import versions, write_whole


def test_a_text_is_replaced_whole(tmp_path: Path) -> None:
    write_whole(tmp_path / "a.json", "first")
    write_whole(tmp_path / "a.json", "second é")
    assert (tmp_path / "a.json").read_text(encoding="utf-8") == "second é"
    assert [path.name for path in tmp_path.iterdir()] == ["a.json"]


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_whole(tmp_path / "a.json", "first")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "a.json", "second")
    assert (tmp_path / "a.json").read_text() == "first"


def test_the_versions_that_matter_are_named() -> None:
    assert versions()["unfooled"] == __version__
    assert {"python", "torch", "transformers", "tokenizers"} <= set(versions())
