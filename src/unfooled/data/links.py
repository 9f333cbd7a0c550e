"""Data folders whose files are links to somewhere else: whoever made the folder is shown nothing of what lies there."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from unfooled.data.phrases import place
from unfooled.data.sources import DataSettings, places
from unfooled.errors import BadInput

Rest = ParamSpec("Rest")
Loaded = TypeVar("Loaded")


def discreet(
    load: Callable[Concatenate[DataSettings, Rest], Loaded],
) -> Callable[Concatenate[DataSettings, Rest], Loaded]:
    """A loader whose refusals quote no file that a link in a data folder leads to: a table is quoted to be mended."""

    @wraps(load)
    def loaded(settings: DataSettings, /, *given: Rest.args, **told: Rest.kwargs) -> Loaded:
        try:
            return load(settings, *given, **told)
        except BadInput:
            away = linked_away(settings.source)
            if away is None:
                raise
            raise BadInput(
                f"{place(away)} is a link to a file outside of its folder and cannot be used as it is; "
                "name that file itself to see why"
            ) from None

    return loaded


def linked_away(source: Any) -> Path | None:
    """The first file in the folder of a source that is a link to somewhere outside of it."""
    folders = [path for path in places(source) if path.is_dir()] if isinstance(source, str) else []
    for folder in folders:
        inside = folder.resolve()
        for file in sorted(folder.iterdir()):
            if file.is_symlink() and not file.resolve().is_relative_to(inside):
                return file
    return None
