"""The table of near words: counter-fitted where there is one, else a sentence encoder's own, made once."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from unfooled.models.encoders.near_words import near_words
from unfooled.models.encoders.similarity import Similarity
from unfooled.progress import Display
from unfooled.text.english.lexicon import lexicon
from unfooled.text.english.neighbours import counter_fitted

COUNTER_FITTED = "counterfitted_neighbors"  # the folder below $UNFOOLED_DATA

NearTable = Mapping[str, tuple[str, ...]]


def counter_fitted_table() -> NearTable | None:
    """The table of counter-fitted neighbours below $UNFOOLED_DATA, where there is one."""
    folder = Path(os.environ.get("UNFOOLED_DATA", os.devnull)) / COUNTER_FITTED
    return counter_fitted(folder) if folder.is_dir() else None


def near_list() -> str:
    """Which list of near words there is here: the counter-fitted one, by its digest, or the default encoder's own."""
    table = counter_fitted_table()
    return "near words of the default encoder" if table is None else f"counter-fitted {table_hash(table)}"


def table_hash(table: NearTable) -> str:
    """The SHA-256 of a table's words and their neighbours, whatever order its rows stand in."""
    return hashlib.sha256(json.dumps(sorted(table.items())).encode()).hexdigest()


def neighbour_table(encoder: Similarity, most: int, least: float) -> tuple[NearTable, str]:
    """Near words and where they come from: counter-fitted where there are such, else the encoder's own."""
    table = counter_fitted_table()
    if table is not None:
        return table, "counter-fitted"
    known = lexicon()
    words = [word for word in encoder.whole_words() if word in known]
    with Display("near words, once", len(words)) as display:
        return near_words(words, encoder, most, least, display.at), f"near words of {encoder.name}"
