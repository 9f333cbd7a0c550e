"""What a link in a data folder leads to is quoted to nobody."""

from pathlib import Path

import pytest

from unfooled.data.corpus import load_corpus
from unfooled.data.examples import load_examples, load_split
from unfooled.data.files.links import linked_away
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "secret.txt").write_text("root:x:0:0:hidden\ndaemon:x:1:1:hidden\n")
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.mark.parametrize("name", ["train.csv", "train.tsv", "train.jsonl"])
def test_a_table_elsewhere_is_refused_without_a_word_of_it(folder: Path, name: str) -> None:
    (folder / name).symlink_to("../secret.txt")
    source = DataSettings(source=str(folder))
    for load in (lambda: load_examples(source, 0), lambda: load_split(source, ("a", "b"))):
        with pytest.raises(BadInput, match=f"{name} is a link to a file outside of its folder") as refused:
            load()
        assert "hidden" not in str(refused.value) and "daemon" not in str(refused.value)


def test_what_is_named_itself_or_lies_within_is_quoted_as_ever(folder: Path) -> None:
    (folder / "there.csv").write_text("one,two\n1,2\n")
    (folder / "train.csv").symlink_to("there.csv")
    assert linked_away(str(folder)) is None and linked_away(str(folder / "train.csv")) is None
    with pytest.raises(BadInput, match="one, two"):
        load_examples(DataSettings(source=str(folder)), 0)


def test_links_that_can_be_read_are_read(folder: Path) -> None:
    (folder.parent / "reviews.csv").write_text("text,label\n" + "good,1\nbad,0\n" * 10)
    (folder / "train.csv").symlink_to("../reviews.csv")
    assert linked_away(str(folder)) == folder / "train.csv"
    assert len(load_examples(DataSettings(source=str(folder)), 0).train) > 0
    (folder.parent / "long.txt").write_text("A paragraph of some words.\n" * 40)
    (folder / "train.csv").unlink()
    (folder / "train.txt").symlink_to("../long.txt")
    assert load_corpus(DataSettings(source=str(folder))).splits["train"]
