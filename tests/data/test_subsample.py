"""A fraction of the training rows, drawn by seed, in proportion to the classes."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from unfooled.data.examples import load_examples
from unfooled.data.sources import DataSettings
from unfooled.data.splits import Split
from unfooled.data.subsample import fewer
from unfooled.errors import BadInput


def rows(count: int) -> Split[int]:
    return Split([(f"text {number}",) for number in range(count)], [int(number % 10 == 0) for number in range(count)])


def test_a_fraction_is_stratified_keyed_and_nested() -> None:
    split = rows(1000)
    tenth, notes = fewer(split, split.labels, 0.1, None, 3, "here")
    assert Counter(tenth.labels) == {0: 90, 1: 10}
    assert notes == ["train: 100 of 1,000 rows (fraction 0.1), drawn by seed 3"]
    hundredth, _ = fewer(split, split.labels, 0.01, None, 3, "here")
    assert Counter(hundredth.labels) == {0: 9, 1: 1} and set(hundredth.texts) < set(tenth.texts)
    again, other = (fewer(split, split.labels, 0.1, None, seed, "here")[0] for seed in (3, 4))
    assert again == tenth and other != tenth


def test_a_limit_is_taken_of_the_fraction() -> None:
    split = rows(1000)
    few, notes = fewer(split, split.labels, 0.1, 20, 0, "here")
    assert len(few) == 20 and notes[1] == "train: 20 of 100 rows, drawn by seed 0"
    assert set(few.texts) <= set(fewer(split, split.labels, 0.1, None, 0, "here")[0].texts)


def test_a_rare_class_keeps_a_row_and_too_small_a_fraction_is_refused() -> None:
    split = Split([(str(number),) for number in range(100)], [1] + [0] * 99)
    few, _ = fewer(split, split.labels, 0.02, None, 0, "here")
    assert sorted(few.labels) == [0, 1]
    with pytest.raises(BadInput, match="0.01 is 1 of 100 rows, which leaves some of 2 classes without a row"):
        fewer(split, split.labels, 0.01, None, 0, "here.csv")


def test_whole_data_is_left_as_it_is() -> None:
    split = rows(30)
    assert fewer(split, split.labels, 1.0, None, 0, "here") == (split, [])


def test_validation_stays_whole(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *((f"text {n}", n % 2) for n in range(200))])
    whole = load_examples(DataSettings(source=str(path)), seed=5)
    tenth = load_examples(DataSettings(source=str(path), fraction=0.1), seed=5)
    assert tenth.validation == whole.validation and len(tenth.train) == 18
    assert set(tenth.train.texts) < set(whole.train.texts)
    assert tenth.fingerprint == whole.fingerprint
