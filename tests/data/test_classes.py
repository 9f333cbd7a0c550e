"""Classes: their names and order, and what no classifier can be trained on."""

import csv
import json

import pytest

from unfooled.data.examples import load_examples
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput


def write_csv(path, rows, header=("text", "label")):
    with path.open("w", newline="", encoding="utf-8") as handle:
        csv.writer(handle).writerows([header, *rows])
    return str(path)


def rows(count, classes=("neg", "pos"), word="text"):
    return [(f"{word} number {n}", classes[n % len(classes)]) for n in range(count)]


def pairs_of(split):
    return list(zip(split.texts, split.labels, strict=True))


@pytest.mark.parametrize("values, expected", [
    ([10, 9, 2], ("2", "9", "10")),
    ([1.0, 0.0], ("0", "1")),
    ([True, False], ("false", "true")),
    (["b", "B", 1], ("1", "B", "b")),
])  # fmt: skip
def test_label_names_are_kept_and_ordered(tmp_path, values, expected):
    path = tmp_path / "a.jsonl"
    lines = [json.dumps({"text": f"t{n}", "label": values[n % len(values)]}) + "\n" for n in range(30)]
    path.write_text("".join(lines))
    assert load_examples(DataSettings(source=str(path)), seed=0).labels == expected


def test_a_class_with_a_single_row_stays_in_train(tmp_path):
    path = write_csv(tmp_path / "a.csv", [*rows(40), ("only one", "rare")])
    data = load_examples(DataSettings(source=path, validation_fraction=0.5), seed=0)
    assert data.labels.index("rare") in data.train.labels
    assert "labels with a single row, which stays in train: rare" in data.notes


def test_meta_json_names_the_classes_in_its_order(folder):
    data = load_examples(DataSettings(source="films"), seed=0)
    assert data.name == "films" and data.labels == ("worse", "better")
    assert all(int(text.split()[1]) % 2 == label for (text,), label in pairs_of(data.train))
    assert data.test is not None and (len(data.train), len(data.validation), len(data.test)) == (36, 4, 10)


def test_meta_json_may_list_names_that_the_data_holds_or_counts(folder):
    (folder / "meta.json").write_text(json.dumps({"labels": ["worse", "better", "unused"]}))
    (folder / "test.jsonl").write_text('{"text": "a", "label": "better"}\n{"text": "b", "label": "WORSE"}\n')
    data = load_examples(DataSettings(source="films"), seed=0)
    assert data.labels == ("worse", "better", "unused") and "no row of train is labelled unused" in data.notes
    assert data.test is not None and data.test.labels == [1, 0]


def test_names_of_meta_json_are_for_its_own_label_column(folder):
    lines = [json.dumps({"text": f"t {n}", "label": 0, "fine": f"f{n % 3}"}) for n in range(40)]
    (folder / "train.jsonl").write_text("\n".join(lines))
    (folder / "test.jsonl").unlink()
    assert load_examples(DataSettings(source="films", label="fine"), seed=0).labels == ("f0", "f1", "f2")


def test_fewer_rows_than_classes(folder):
    (folder / "meta.json").write_text(json.dumps({"labels": [f"class {n}" for n in range(50)]}))
    with pytest.raises(BadInput, match="40 usable rows for 50 classes"):
        load_examples(DataSettings(source="films"), seed=0)
