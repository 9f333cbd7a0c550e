"""A table is read before a model is loaded, so that a slip in it is told at once; it is remembered for its reader."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def first_look(data: Mapping[str, Any], split: str | None) -> None:
    """Refuse a table that is not there or cannot be read; what is no table by its name is left to who reads it."""
    from unfooled.data.examples import wanted_splits
    from unfooled.data.files.formats import ending, is_plain
    from unfooled.data.sources import DataSettings, source_of
    from unfooled.settings import settings_from

    settings = settings_from(DataSettings, data, "data.")
    file = Path(settings.source)
    if ending(file) and not is_plain(file):
        source = source_of(settings)
        source.splits[wanted_splits(source, split)[0]]()
