"""Tables and model folders are looked at before torch is there, so that what is wrong with them is told at once."""

from collections.abc import Iterable, Mapping
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


def look_at_models(names: Iterable[object]) -> None:
    """Refuse model folders on this machine that are not whole, or that ask for code; other names are left alone."""
    from unfooled.models.locate import checked, on_disk

    for name in names:
        if isinstance(name, str) and Path(name).is_dir() and (folder := on_disk(name)) is not None:
            checked(folder)
