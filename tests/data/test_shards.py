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
    _, notes = folder_splits(folder(tmp_path / "wiki", "wiki-00000-of-00003.txt", "wiki-00002-of-00003.txt", "a.txt"))
    assert "wiki: only 2 of 3 shards are there" in notes


def test_shards_may_be_counted_from_one(tmp_path: Path) -> None:
    files, notes = folder_splits(folder(tmp_path / "one", "train-00001-of-00002.txt", "train-00002-of-00002.txt"))
    assert len(files["train"]) == 2 and not any("only" in note for note in notes)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["test-00000-of-00002.txt", "test-00001-of-00002.txt"], "nothing to train on, for it holds test alone"),
        (["validation.txt", "test.txt"], "nothing to train on, for it holds validation and test alone"),
        (["train-00000-of-00002.txt", "train-00001-of-00002.jsonl"], r"different kinds \(.jsonl, .txt\)"),
        (["train-00000-of-00002.txt", "train-00001-of-00003.txt"], "parts of different wholes"),
        (["train-00000-of-00002.txt", "train-00002-of-00002.txt"], "parts of different wholes"),
        (["train-00005-of-00002.txt"], "parts of different wholes"),
        (["wiki-00000-of-00002.txt", "wiki-00001-of-00002.jsonl"], r"wiki are of different kinds \(.jsonl, .txt\)"),
        (["wiki-00000-of-00002.txt", "wiki-00002-of-00002.txt", "a.txt"], "parts of different wholes"),
        (["wiki-00000-of-00002.txt", "wiki-00000-of-00002.txt.gz"], "parts of different wholes"),
        (["train.txt", "wiki.valid-0-of-2.txt", "wiki.valid-1-of-3.txt"], "parts of different wholes"),
        (["train.txt", "dev-00000-of-00001.txt", "valid-00000-of-00001.txt"], "could each be the validation split"),
        (["train_1.txt", "train-00001-of-00002.txt"], "could each be the train split"),
        (["a.txt", "test-clean.txt"], "no file is called train, and test-clean.txt may be for measuring"),
        (["a.txt", "dev.de.txt"], "no file is called train, and dev.de.txt may be for measuring"),
    ],
)
def test_what_is_no_corpus_is_refused(tmp_path: Path, names: list[str], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        load_corpus(DataSettings(source=str(folder(tmp_path / "bad", *names))))


SAID_ON_THE_WAY = [
    (["ptb.train.txt"], ["ptb.valid.txt"], ["ptb.test.txt"]),
    (["wiki.train.txt"], ["wiki.valid.txt"], ["wiki.test.txt"]),
    (["wiki-train-00000-of-00001.txt"], [], ["wiki-test-00000-of-00001.txt"]),
    (["corpus_train.txt"], [], ["corpus_test.txt"]),
    (["train.txt"], [], ["corpus_test.txt"]),
    (["training.txt"], ["held-out.txt"], ["test2016.txt", "testing.txt"]),
    (["train-clean.txt", "train-other.txt"], ["dev-clean.txt"], ["test-clean.txt"]),
    (["train.de.txt", "train.en.txt"], ["dev.de.txt", "dev.en.txt"], ["devtest.de.txt"]),
    (["wikiTrain.txt"], ["wikiEval.txt"], ["wikiTestset.txt"]),
    (
        ["c4-train.00000-of-01024.txt.gz"],
        [f"c4-validation.0000{number}-of-00008.txt.gz" for number in range(8)],
        [],
    ),
]


@pytest.mark.parametrize("names", SAID_ON_THE_WAY, ids=lambda names: names[0][0])
def test_a_split_that_a_name_says_on_the_way_is_kept_out_of_train_and_named(tmp_path: Path, names) -> None:
    train, validation, test = names
    files, notes = folder_splits(folder(tmp_path / "said", *train, *validation, *test))
    expected = {"train": train, "validation": validation, "test": test}
    assert {split: [file.name for file in some] for split, some in files.items()} == {
        split: some for split, some in expected.items() if some
    }
    (held,) = (note for note in notes if note.startswith("not trained on, called after validation or test: "))
    assert all(name in held for name in (*validation, *test)) and not any(name in held for name in train)
    assert notes[0].startswith("read: train from ")


@pytest.mark.parametrize(
    "names",
    [
        ["corpus.txt", "corpus_test.txt"],
        ["a.txt", "test2016.txt", "testing.txt"],
        ["a.txt", "b-held_out.txt"],
        ["a.txt", "wiki.eval.txt"],
        ["wiki-00000-of-00001.txt", "wiki-test-00000-of-00001.txt"],
    ],
    ids=lambda names: names[-1],
)
def test_what_may_be_for_measuring_is_refused_where_no_file_says_train(tmp_path: Path, names: list[str]) -> None:
    with pytest.raises(BadInput, match="no file is called train, and .* may be for measuring") as refused:
        folder_splits(folder(tmp_path / "doubtful", *names))
    assert all(name in str(refused.value) for name in names[1:])


def test_a_file_called_after_a_split_goes_before_one_that_says_it_on_the_way(tmp_path: Path) -> None:
    files, notes = folder_splits(folder(tmp_path / "both", "train.txt", "train.de.txt", "valid.txt", "wiki.valid.txt"))
    assert {split: [file.name for file in some] for split, some in files.items()} == {
        "train": ["train.txt"],
        "validation": ["valid.txt"],
    }
    assert "not trained on, called after validation or test: wiki.valid.txt" in notes
    assert "left out, called after no split: train.de.txt" in notes


def test_words_that_only_hold_the_name_of_a_split_say_none(tmp_path: Path) -> None:
    names = ["a_train_to_pakistan.txt", "contest.txt", "device.txt", "latest_2016.txt", "medieval.txt"]
    files, notes = folder_splits(folder(tmp_path / "books", *names))
    assert [file.name for file in files["train"]] == names and len(notes) == 1


def test_names_that_only_begin_like_a_split_are_none() -> None:
    assert [shard_of(Path(name)) for name in ("training.txt", "test2016.txt", "train.de.txt", "trains-1.txt")] == [
        None
    ] * 4


def test_a_folder_of_shards_is_guessed_to_be_running_text(tmp_path: Path) -> None:
    assert guess(DataSettings(source=str(folder(tmp_path / "hub", *HUB))))[0] == "lm"
