"""How translators are trained is told in tests/training/jobs/test_translation.py."""

from pathlib import Path

from unfooled.data.sources import DataSettings
from unfooled.tasks.glimpse import Glimpse
from unfooled.tasks.translation import TASK


def test_the_same_lines_in_two_languages_are_pairs(tmp_path: Path) -> None:
    settings = DataSettings(source=str(tmp_path), text="en", label="de")
    for split in ("train", "validation"):
        (tmp_path / f"{split}.en.txt").write_text("a line\nanother\n")
    assert TASK.guess(Glimpse(settings)) is None
    for split in ("train", "validation"):
        (tmp_path / f"{split}.de.txt").write_text("eine Zeile\nnoch eine\n")
    assert TASK.guess(Glimpse(settings)) == "it has the same lines in de, en"
    assert TASK.reads(settings, 0).splits["train"][0] == ("a line", "eine Zeile")
