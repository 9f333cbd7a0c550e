"""What was compared is written down whole and read back."""

from pathlib import Path

import pytest

from unfooled.commands.comparison import FILE, Comparison, Cost, Entry, keep, read_comparison
from unfooled.errors import BadInput

FOUND = Comparison(("finetune", "freelb"), (0,), (Entry("finetune", 0, "runs/finetune-0/model", Cost(3.5, None)),))


def test_a_comparison_comes_back_as_it_was(tmp_path: Path) -> None:
    assert read_comparison(tmp_path) is None
    keep(tmp_path, FOUND)
    assert read_comparison(tmp_path) == FOUND


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"schema": 7}', "schema version 7"),
        ("{half", "is damaged"),
        ("[]", "is damaged"),
        ('{"schema": 1, "methods": 3}', "is damaged"),
    ],
)
def test_another_version_or_a_damaged_file_is_refused(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(BadInput, match=words):
        read_comparison(tmp_path)
