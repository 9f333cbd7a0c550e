"""Rows become texts and labels exactly; what is missing is counted."""

from pathlib import Path

import pytest

from unfooled.data.columns import Columns
from unfooled.data.files.tables import DataTable
from unfooled.data.rows import read_classes
from unfooled.errors import BadInput

COLUMNS = Columns(("text",), "label")


def table(*rows, columns=("text", "label")):
    return DataTable(Path("a.csv"), columns, [dict(zip(columns, row, strict=False)) for row in rows], 2)


def test_texts_are_kept_and_numbers_become_texts():
    texts = ["  👩‍👩‍👧 e\u0301 ", "שלום\u200f", "x" * 100_000, 17, 2.5, True]
    found = read_classes(table(*[(text, "a") for text in texts]), COLUMNS)
    assert found.texts == [(str(text),) for text in texts]
    assert found.note("train") is None


@pytest.mark.parametrize("value, expected", [(1, "1"), (1.0, "1"), ("1.0", "1"), (True, "true"), (" a ", "a")])
def test_labels_of_every_kind(value, expected):
    assert read_classes(table(("x", value)), COLUMNS).labels == [expected]


def test_rows_that_lack_something_are_counted_once():
    nan = float("nan")
    empty = [("", 1), (" \t\u00a0", 1), (None, 1), (nan, 1), (None, None), ()]
    unlabelled = [("x", ""), ("x", " "), ("x", None), ("x", nan)]
    masked = [("x", -1), ("x", "-1"), ("x", -100), ("x", "-100"), ("x", -1.0)]
    found = read_classes(table(*empty, *unlabelled, *masked, ("x", 1)), COLUMNS)
    assert found.labels == ["1"]
    assert found.note("train") == (
        "left out 15 rows of train: 6 with empty text, 4 without a label, 5 labelled -1 or -100 (no label)"
    )
    assert not found.lack_labels
    assert read_classes(table(*masked), COLUMNS).lack_labels
    assert read_classes(table(("", 1)), COLUMNS).note("test") == "left out 1 row of test: 1 with empty text"


def test_both_texts_of_a_pair_are_needed():
    names = ("a", "b", "label")
    pairs = table(("one", "two", 1), ("one", "", 1), (None, "two", 1), columns=names)
    found = read_classes(pairs, Columns(("a", "b"), "label"))
    assert found.texts == [("one", "two")]


@pytest.mark.parametrize("row, words", [
    (("x", ["a", "b"]), ["a.csv, row 3, column label", "list", "label="]),
    (({"en": "x"}, 1), ["a.csv, row 3, column text", "dict", "text="]),
    ((b"x", 1), ["a.csv, row 3, column text", "bytes"]),
    (("half \ud83d", 1), ["a.csv, row 3, column text", "letter 6", "U+D83D", "mend"]),
])  # fmt: skip
def test_values_that_are_no_text_name_their_row(row, words):
    with pytest.raises(BadInput) as caught:
        read_classes(table(("fine", 0), row), COLUMNS)
    assert [word for word in words if word not in str(caught.value)] == [], str(caught.value)


def test_a_split_without_the_columns_of_train():
    with pytest.raises(BadInput, match=r"a.csv: no column label, .* \(text, stars\)"):
        read_classes(table(("x", 1), columns=("text", "stars")), COLUMNS)
