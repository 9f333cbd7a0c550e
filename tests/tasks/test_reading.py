from pathlib import Path

import pytest
from tiny import save_reviews

from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput
from unfooled.tasks.reading import read_data


def test_data_is_read_as_the_task_named_or_the_one_it_looks_made_for(tmp_path: Path) -> None:
    reviews = DataSettings(source=str(save_reviews(tmp_path / "reviews.csv", 20)))
    read = read_data(reviews, None, 0)
    assert (read.task, read.reason) == ("classification", "") and len(read.data.train) == 18
    (tmp_path / "lines.txt").write_text("one line\nanother\n" * 10)
    plain = read_data(DataSettings(source=str(tmp_path / "lines.txt")), None, 0)
    assert plain.task == "lm" and "plain text" in plain.reason
    with pytest.raises(BadInput, match="there is no task called clasification; did you mean classification"):
        read_data(reviews, "clasification", 0)
