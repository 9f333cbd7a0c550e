"""How encoders are pre-trained is told in tests/training/jobs/test_pretraining.py."""

from pathlib import Path

from unfooled.data.sources import DataSettings
from unfooled.tasks.glimpse import Glimpse
from unfooled.tasks.pretraining import TASK


def test_running_text_is_read_and_never_guessed_at(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("one line\n\nanother\n")
    (tmp_path / "validation.txt").write_text("a line\n")
    settings = DataSettings(source=str(tmp_path))
    assert TASK.guess(Glimpse(settings)) is None
    text = TASK.reads(settings, 0)
    assert {split: list(text.paragraphs(split)) for split in text.files} == {
        "train": ["one line", "another"],
        "validation": ["a line"],
    }
