import json
from pathlib import Path

import pytest

from unfooled.data.examples import load_examples
from unfooled.data.numbers import NUMBERS, by_size
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput


def written(path: Path, labels: list[object]) -> str:
    rows = [{"sentence1": f"one {n}", "sentence2": f"two {n}", "label": label} for n, label in enumerate(labels)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def test_pairs_with_numbers(tmp_path: Path) -> None:
    data = load_examples(DataSettings(source=written(tmp_path / "a.jsonl", [n / 10 for n in range(100)])), 1, NUMBERS)
    assert data.labels == () and (len(data.train), len(data.validation)) == (90, 10)
    assert sorted(data.train.labels + data.validation.labels) == [n / 10 for n in range(100)]
    pairs = zip(data.train.texts, data.train.labels, strict=True)
    assert all(label == int(texts[0].split()[1]) / 10 for texts, label in pairs)
    assert sorted(int(label) for label in data.validation.labels) == list(range(10))  # along the whole range
    assert len(data.fingerprint) == 64


def test_a_minus_one_is_a_number_but_nothing_else_is_hidden(tmp_path: Path) -> None:
    train = written(tmp_path / "a.jsonl", [-1, 0.5, "2.25", None, 1] * 6)
    hidden = written(tmp_path / "b.jsonl", [-1, -1, -1])
    data = load_examples(DataSettings(source=train, test=hidden), 0, NUMBERS)
    assert set(data.train.labels) == {-1.0, 0.5, 2.25, 1.0} and data.test is None
    assert "test has no labels, so it is not used" in data.notes
    assert "left out 6 rows of train: 6 without a label" in data.notes


@pytest.mark.parametrize("bad", ["high", True, "inf", "1,5"])
def test_a_label_that_is_no_number_is_named_with_its_row(tmp_path: Path, bad: object) -> None:
    path = written(tmp_path / "a.jsonl", [0.5, 1.5, bad, 2.5])
    with pytest.raises(BadInput, match=r"a.jsonl, row 3, column label: holds .*, not a number; mend the row"):
        load_examples(DataSettings(source=path), 0, NUMBERS)


def test_numbers_that_do_not_differ_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="every training row is labelled 0.5"):
        load_examples(DataSettings(source=written(tmp_path / "a.jsonl", [0.5] * 20)), 0, NUMBERS)


def test_groups_are_of_similar_numbers_and_size() -> None:
    groups = by_size([float(n) for n in range(100)])
    assert groups == [n // 10 for n in range(100)]
    assert len(set(by_size([3.0] * 50))) == 1
