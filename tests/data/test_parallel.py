"""Pairs of lines: what belongs together; what is wrong is one sentence."""

import gzip

import pytest

from sequences import save_pairs
from unfooled.data.parallel import load_parallel
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput


def settings(folder, **other):
    return DataSettings(**{"source": str(folder), "text": "en", "label": "de", **other})


def write(folder, **files):
    folder.mkdir(exist_ok=True)
    for name, lines in files.items():
        (folder / f"{name.replace('_', '.')}.txt").write_text("".join(f"{line}\n" for line in lines))
    return folder


def test_lines_of_two_files_belong_together(tmp_path):
    write(tmp_path, train_en=["a dog", "two"], train_de=["ein Hund", "zwei"], dev_en=["x y"], dev_de=["u v"])
    with gzip.open(tmp_path / "test2016.en.gz", "wt") as first, gzip.open(tmp_path / "test2016.de.gz", "wt") as second:
        first.write("one\n")
        second.write("eins\n")
    (tmp_path / "test2017.en.txt").write_text("no partner\n")
    data = load_parallel(settings(tmp_path))
    assert data.splits == {
        "train": [("a dog", "ein Hund"), ("two", "zwei")],
        "validation": [("x y", "u v")],
        "test2016": [("one", "eins")],
    }
    turned = load_parallel(settings(tmp_path, text="de", label="en"))
    assert turned.splits["train"][0] == ("ein Hund", "a dog") and turned.fingerprint != data.fingerprint


def test_a_split_to_be_measured_on_can_be_named(tmp_path):
    save_pairs(tmp_path)
    for language in ("en", "de"):
        (tmp_path / f"other.{language}.txt").write_text(f"{language}\n")
    assert "other" in load_parallel(settings(tmp_path, test="other")).splits
    with pytest.raises(BadInput, match="no split called nothing in both languages; there are"):
        load_parallel(settings(tmp_path, test="nothing"))


def test_without_validation_it_is_the_end_of_train(tmp_path):
    lines = [f"s{number}" for number in range(20)]
    data = load_parallel(settings(write(tmp_path, train_en=lines, train_de=lines), limit=4))
    assert [pair[0] for pair in data.splits["validation"]] == ["s18", "s19"]
    assert len(data.splits["train"]) == 4


def test_files_of_different_lengths_are_refused_where_they_part(tmp_path):
    write(tmp_path, train_en=["a", "b", "and then some"], train_de=["x", "y"])
    with pytest.raises(BadInput, match=r"train\.en\.txt, row 3: 'and then some' has no partner.*3 lines against 2"):
        load_parallel(settings(tmp_path))
    write(tmp_path, train_en=["a"], train_de=["x", "y"])
    with pytest.raises(
        BadInput, match=r"train\.de\.txt, row 2: 'y' has no partner, since .*train\.en\.txt ends at row 1"
    ):
        load_parallel(settings(tmp_path))


def test_an_empty_side_is_refused(tmp_path):
    write(tmp_path, train_en=["a", "b"], train_de=["x", "  "])
    with pytest.raises(BadInput, match=r"train\.de\.txt, row 2: an empty side of a pair"):
        load_parallel(settings(tmp_path))


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({"text": None}, 'name them, as in text="en" label="de"'),
        ({"label": "en"}, "both en"),
        ({"label": "fr"}, r"no train\.en\.txt and train\.fr\.txt .* splits in both languages: none"),
        ({"source": "nowhere-at-all"}, "no folder called nowhere-at-all"),
    ],
)
def test_what_is_not_there_is_said(tmp_path, other, sentence):
    save_pairs(tmp_path / "pairs")
    with pytest.raises(BadInput, match=sentence):
        load_parallel(settings(tmp_path / "pairs", **other))
