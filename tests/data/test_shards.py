"""Folders of shards: each split gets its own, what was taken is said, and nothing of test is trained on."""

import gzip
from pathlib import Path

import pytest

from unfooled.data.corpus import load_corpus, load_lines
from unfooled.data.shards import folder_splits, shard_of
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput
from unfooled.tasks.guess import guess


def folder(root: Path, *names: str) -> Path:
    """A folder of such files, each with its own name as its text."""
    root.mkdir(exist_ok=True)
    for name in names:
        text = f"of {name}\n"
        (root / name).write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return root


HUB = [
    *(f"train-0000{number}-of-00002.txt" for number in (1, 0)),
    "validation-00000-of-00001.txt",
    "test-00000-of-00001.txt.gz",
]


HASHED = [
    *(f"train-0000{number}-of-00002-6f3a9c1b2d4e5f60.txt" for number in (1, 0)),
    "validation-00000-of-00001-0a1b2c3d4e5f6071.txt",
    "test-00000-of-00001-ffeeddccbbaa9988.txt",
]


def test_a_hash_behind_the_number_changes_nothing(tmp_path: Path) -> None:
    files, _ = folder_splits(folder(tmp_path / "hashed", *HASHED))
    assert {split: len(some) for split, some in files.items()} == {"train": 2, "validation": 1, "test": 1}
    assert files["test"][0].name.startswith("test-")


@pytest.mark.parametrize("load", [load_corpus, load_lines])
def test_each_split_gets_its_own_shards_and_none_of_test_is_trained_on(tmp_path: Path, load) -> None:
    corpus = load(DataSettings(source=str(folder(tmp_path / "hub", *HUB))))
    assert corpus.splits == {
        "train": ["of train-00000-of-00002.txt", "of train-00001-of-00002.txt"],
        "validation": ["of validation-00000-of-00001.txt"],
        "test": ["of test-00000-of-00001.txt.gz"],
    }
    assert corpus.notes[0].startswith("read: train from train-00000-of-00002.txt, train-00001-of-00002.txt; validation")


def test_numbered_files_belong_to_their_split_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    names = ["train.txt", "train_2.txt", "train_10.txt.gz", "dev.txt", "notes.txt"]
    files, notes = folder_splits(folder(tmp_path / "numbered", *names))
    assert {split: [file.name for file in some] for split, some in files.items()} == {
        "train": ["train.txt", "train_2.txt", "train_10.txt.gz"],
        "validation": ["dev.txt"],
    }
    assert notes[1:] == ["left out, called after no split: notes.txt"] and "train_2.txt" in notes[0]


def test_files_of_no_split_are_train_and_those_of_a_split_stay_its_own(tmp_path: Path) -> None:
    files, _ = folder_splits(folder(tmp_path / "mixed", "a.txt", "b.jsonl", "test.txt"))
    assert {split: [file.name for file in some] for split, some in files.items()} == {
        "train": ["a.txt", "b.jsonl"],
        "test": ["test.txt"],
    }


def test_one_file_a_split_needs_no_word(tmp_path: Path) -> None:
    assert folder_splits(folder(tmp_path / "plain", "train.txt", "valid.txt", "test.txt"))[1] == []


def test_shards_that_are_not_there_are_told_of(tmp_path: Path) -> None:
    _, notes = folder_splits(folder(tmp_path / "part", "train-00000-of-00003.txt", "train-00002-of-00003.txt"))
    assert "train: only 2 of 3 shards are there" in notes


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["test-00000-of-00002.txt", "test-00001-of-00002.txt"], "nothing to train on, for it holds test alone"),
        (["validation.txt", "test.txt"], "nothing to train on, for it holds validation and test alone"),
        (["train-00000-of-00002.txt", "train-00001-of-00002.jsonl"], r"different kinds \(.jsonl, .txt\)"),
        (["train-00000-of-00002.txt", "train-00001-of-00003.txt"], "parts of different wholes"),
        (["train.txt", "dev-00000-of-00001.txt", "valid-00000-of-00001.txt"], "could each be the validation split"),
        (["train_1.txt", "train-00001-of-00002.txt"], "could each be the train split"),
        (["a.txt", "test-clean.txt"], "no file is called train, and test-clean.txt may be for measuring"),
        (["a.txt", "dev.de.txt"], "no file is called train, and dev.de.txt may be for measuring"),
    ],
)
def test_what_is_no_corpus_is_refused(tmp_path: Path, names: list[str], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        load_corpus(DataSettings(source=str(folder(tmp_path / "bad", *names))))


def test_names_that_only_begin_like_a_split_are_none() -> None:
    assert [shard_of(Path(name)) for name in ("training.txt", "test2016.txt", "train.de.txt", "trains-1.txt")] == [
        None
    ] * 4


def test_a_folder_of_shards_is_guessed_to_be_running_text(tmp_path: Path) -> None:
    assert guess(DataSettings(source=str(folder(tmp_path / "hub", *HUB))))[0] == "lm"
