"""How language models are trained is told in tests/training/jobs/test_lm.py."""

from pathlib import Path

from unfooled.data.sources import DataSettings
from unfooled.scores.perplexity import count_words
from unfooled.tasks.glimpse import Glimpse
from unfooled.tasks.lm import TASK, definition


def test_words_are_counted_with_one_end_a_line() -> None:
    assert count_words(["a b", "", "c"]) == 6 and "of the test split" in definition("test")


def test_plain_text_is_read_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text("one line\n\nanother\n")
    (tmp_path / "validation.txt").write_text("a line\n")
    settings = DataSettings(source=str(tmp_path))
    assert TASK.guess(Glimpse(settings)) == "train.txt is plain text"
    assert TASK.reads(settings, 0).splits == {"train": ["one line", "", "another"], "validation": ["a line"]}
