"""What a guess sees; what it makes of it is told in test_guess."""

from pathlib import Path

import pytest
from task_ground import numbers

from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput
from unfooled.tasks.glimpse import Glimpse, is_plain, most


def test_a_table_is_seen_by_its_first_rows_and_its_label_column(tmp_path: Path) -> None:
    seen = Glimpse(DataSettings(source=numbers(tmp_path / "numbers.jsonl", 12)))
    assert seen.label == "label" and len(seen.rows) == len(seen.column("label")) == 12
    assert seen.column("nowhere") == [] and seen.plain_files == []


def test_what_cannot_be_read_is_refused_every_time_and_tried_once(tmp_path: Path) -> None:
    (tmp_path / "broken.jsonl").write_text("{")
    seen = Glimpse(DataSettings(source=str(tmp_path / "broken.jsonl")))
    for _ in range(2):
        with pytest.raises(BadInput, match="cannot be read as a table"):
            _ = seen.table
    assert seen.readable is None


def test_plain_text_is_known_by_its_name(tmp_path: Path) -> None:
    for name in ("train.txt", "train.de.txt.gz", "test.txt", "train.csv"):
        (tmp_path / name).write_bytes(b"")
    assert Glimpse(DataSettings(source=str(tmp_path))).plain_files == ["train.de.txt.gz", "train.txt"]
    assert is_plain(Path("A.TXT")) and not is_plain(Path("a.csv"))


def test_half_is_not_most() -> None:
    assert most([True, True, False]) and not most([True, False]) and not most([])
