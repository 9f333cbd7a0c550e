"""Numbers, sets and spans go the way of classes: a split for a model is that of the whole data."""

import json
from pathlib import Path

import pytest
from task_ground import numbers, questions, sets, written

from unfooled.data.examples import load_examples, load_split
from unfooled.data.label_sets import SETS
from unfooled.data.numbers import NUMBERS
from unfooled.data.questions import SPANS
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput


def folder(tmp_path: Path, make, **names: int) -> DataSettings:
    for split, count in names.items():
        make(tmp_path / f"{split}.jsonl", count, seed=count)
    return DataSettings(source=str(tmp_path))


@pytest.mark.parametrize(("make", "reading"), [(numbers, NUMBERS), (sets, SETS), (questions, SPANS)])
def test_a_split_is_that_of_the_whole_data(tmp_path: Path, make, reading) -> None:
    settings = folder(tmp_path, make, train=30, test=20)
    known = load_examples(settings, 0, reading)
    labels = known.labels or ("score",)
    test, mark, _ = load_split(settings, labels, reading=reading)
    assert (test.texts, test.labels) == (known.test.texts, known.test.labels)
    train, train_mark, _ = load_split(settings, labels, "train", reading=reading)
    assert train_mark == known.train_fingerprint != mark and len(train) == 30
    few, same, notes = load_split(settings, labels, limit=7, seed=3, reading=reading)
    assert len(few) == 7 and same == mark and "test: 7 of 20 rows, drawn by seed 3" in notes
    assert all(text in test.texts for text in few.texts)


def test_sets_are_numbers_of_the_models_own_labels(tmp_path: Path) -> None:
    rows = [{"text": "a film", "label": ["good", "Bad"]}, {"text": "a plot", "label": []}]
    settings = DataSettings(source=written(tmp_path / "rows.jsonl", rows))
    found, _, _ = load_split(settings, ("dull", "good", "bad"), reading=SETS)
    assert found.labels == [(1, 2), ()]
    with pytest.raises(BadInput, match=r"its labels \(Bad, good\) are not those of the model \(good, warm\)"):
        load_split(settings, ("good", "warm"), reading=SETS)


def test_a_split_with_hidden_labels_sends_on_to_the_next(tmp_path: Path) -> None:
    settings = folder(tmp_path, numbers, train=20, validation=12)
    (tmp_path / "test.jsonl").write_text((json.dumps({"text": "a film", "label": -1}) + "\n") * 3)
    found, _, notes = load_split(settings, ("score",), reading=NUMBERS)
    assert len(found) == 12 and "test has no labels, so another split is used" in notes
    with pytest.raises(BadInput, match="no usable row"):
        load_split(settings, ("score",), "test", reading=NUMBERS)
    with pytest.raises(BadInput, match="has no dev split; name one of"):
        load_split(settings, ("score",), "dev", reading=NUMBERS)


@pytest.mark.parametrize(
    ("reading", "sentence"),
    [
        (NUMBERS, "holds positive, not a number"),
        (SETS, "holds positive, not a list of labels"),
        (SPANS, "no column is known to be the question, context, answers"),
    ],
)
def test_data_for_another_head_is_one_sentence(tmp_path: Path, reading, sentence: str) -> None:
    data = written(tmp_path / "rows.jsonl", [{"text": "a film", "label": "positive"}])
    with pytest.raises(BadInput, match=sentence):
        load_split(DataSettings(source=data), ("score",), reading=reading)
