"""Data from memory: whatever holds the rows, the same rows are the same data."""

from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas
import polars
import pyarrow
import pytest

from unfooled.data.examples import load_examples, load_split
from unfooled.data.memory import data_values, memory_name, tables_of
from unfooled.data.sources import DataSettings
from unfooled.errors import BadInput

ROWS = [{"review": f"film {number}", "stars": ("bad", "good")[number % 2]} for number in range(20)]
TEXTS, STARS = [row["review"] for row in ROWS], [row["stars"] for row in ROWS]
FRAME = pandas.DataFrame(ROWS)
KINDS: dict[str, Any] = {
    "list": ROWS,
    "columns": {"stars": STARS, "review": TEXTS},
    "columns of series": {"review": FRAME["review"], "stars": np.array(STARS)},
    "pandas": FRAME,
    "pandas categories": FRAME.astype({"stars": "category"}),
    "polars": polars.DataFrame(ROWS),
    "dataset": datasets.Dataset.from_list(ROWS),
    "arrow": pyarrow.Table.from_pylist(ROWS),
    "splits": {"train": ROWS},
    "settings": {"source": ROWS},
}


def settings(data: Any, **columns: str) -> DataSettings:
    return DataSettings(**data_values(data, **columns))


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_rows_are_the_same_data_in_whatever_they_come(kind: str, tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "reviews.csv", index=False)
    file = load_examples(settings(tmp_path / "reviews.csv"), 0)
    own = load_examples(settings(KINDS[kind]), 0)
    assert (own.fingerprint, own.train_fingerprint) == (file.fingerprint, file.train_fingerprint)
    assert own.train == file.train and own.labels == ("bad", "good")
    assert settings(KINDS[kind]).source == settings(ROWS).source


def test_texts_and_labels_that_stand_apart_and_pairs_of_texts() -> None:
    one = load_examples(settings((TEXTS, STARS)), 0)
    assert one.fingerprint == load_examples(settings(ROWS), 0).fingerprint
    pairs = load_examples(settings((list(zip(TEXTS, TEXTS[::-1], strict=True)), STARS)), 0)
    assert pairs.columns.text == ("text1", "text2") and len(pairs.train.texts[0]) == 2


def test_splits_names_of_numbers_and_what_is_missing() -> None:
    features = datasets.Features({"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["no", "yes"])})
    rows = [{"text": f"t{number}", "label": number % 2} for number in range(12)]
    whole = datasets.Dataset.from_list(rows, features=features)
    named = load_examples(settings(datasets.DatasetDict({"train": whole, "dev": whole.select(range(4))})), 0)
    assert named.labels == ("no", "yes") and len(named.validation) == 4
    holes = pandas.DataFrame({"text": ["a", "b", None, "d"], "label": pandas.array([1, None, 0, 0], dtype="Int64")})
    split, _, notes = load_split(settings(holes), ("0", "1"))
    assert split.texts == [("a",), ("d",)] and any("left out 2 rows" in note for note in notes)


def test_a_split_given_apart_and_a_path_beside_memory(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "test.csv", index=False)
    values = {"source": ROWS, "validation": (TEXTS[:4], STARS[:4]), "test": tmp_path / "test.csv", "label": "stars"}
    with pytest.raises(BadInput, match=r"\(texts, labels\): no column review, stars, which the other splits have"):
        load_examples(settings(values), 0)
    data = load_examples(settings({**values, "validation": ROWS[:4]}), 0)
    assert (len(data.train), len(data.validation), len(data.test or ())) == (20, 4, 20)


def test_a_column_called_source_is_a_column_beside_others_and_columns_can_be_named() -> None:
    table = tables_of({"text": TEXTS, "label": STARS, "source": ["web"] * 20})["train"]
    assert set(table.columns) == {"text", "label", "source"}
    [held] = settings({"text": TEXTS, "label": STARS, "source": ["web"] * 20}).held.values()
    assert "source" in held["train"].columns
    both = [{**row, "class": "x"} for row in ROWS]
    assert load_examples(settings(both, label="stars"), 0).labels == ("bad", "good")


def test_another_row_is_another_name_and_a_recipe_keeps_the_name_alone() -> None:
    other = [{**ROWS[0], "stars": "good"}, *ROWS[1:]]
    assert len({memory_name(tables_of(rows)) for rows in (ROWS, ROWS[1:], ROWS[::-1], other)}) == 4
    assert memory_name(tables_of([{"text": "a", "label": 1.0}])) == memory_name(tables_of([{"text": "a", "label": 1}]))
    kept = settings(ROWS).model_dump(mode="json")
    assert "held" not in kept and kept["source"].startswith("memory:")
    with pytest.raises(BadInput, match="was given from memory and is on no disk"):
        load_examples(DataSettings(**kept), 0)


class Stream:
    column_names = ("text",)


BAD: dict[str, tuple[Any, str]] = {
    "a number": (3, "int is no data that can be read; give a path, a list of dicts, a dict of columns"),
    "no label": (pandas.DataFrame({"review": TEXTS}), "the DataFrame: no column is known to be the label.*label="),
    "nested": (
        datasets.Dataset.from_list([{"text": {"en": "x"}, "label": number % 2} for number in range(4)]),
        r"the Dataset, row 0, column text: holds a dict .*choose another column with text= or label=",
    ),
    "texts alone": (TEXTS, r"row 0: is str .*given as \(texts, labels\)"),
    "unequal columns": ({"text": TEXTS, "label": STARS[1:]}, "different lengths.*text has 20, label has 19"),
    "unequal pair": ((TEXTS, STARS[1:]), "20 texts have 19 labels"),
    "a value for a column": ({"text": "a film", "label": STARS}, "text is str, no column"),
    "no rows": ([], "it is empty"),
    "one name twice": (pandas.DataFrame([["a", "b", "c"]], columns=["text", "text", "label"]), "text appears twice"),
    "a stream": (Stream(), "is a stream.*take"),
    "pairs and singles": (([("a", "b"), "c"], [0, 1]), "all be strings, or all pairs"),
    "one split twice": ({"dev": ROWS, "val": ROWS}, "dev, val are one"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_read_is_one_sentence_that_speaks_python(case: str) -> None:
    data, said = BAD[case]
    with pytest.raises(BadInput, match=said) as refused:
        load_examples(settings(data), 0)
    assert "--" not in str(refused.value)


def test_no_setting_can_put_tables_in() -> None:
    from unfooled.settings import settings_from

    for held in ({"x": {"train": 3}}, {"x": 1}, 3):
        with pytest.raises(BadInput, match="data from memory"):
            settings_from(DataSettings, {"source": "x", "held": held}, "data.")
