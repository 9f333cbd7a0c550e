"""Data folders whose files are links to somewhere else: whoever made the folder is shown nothing of what lies there."""

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from unfooled.data.phrases import place
from unfooled.errors import BadInput


class Named(Protocol):
    """Settings that name what is read."""

    @property
    def source(self) -> Any:
        """A path, a name below UNFOOLED_DATA, or something else."""


Given = TypeVar("Given", bound=Named)
Rest = ParamSpec("Rest")
Loaded = TypeVar("Loaded")


def discreet(load: Callable[Concatenate[Given, Rest], Loaded]) -> Callable[Concatenate[Given, Rest], Loaded]:
    """A loader whose refusals quote no file that a link in a data folder leads to: a table is quoted to be mended."""

    @wraps(load)
    def loaded(settings: Given, /, *given: Rest.args, **told: Rest.kwargs) -> Loaded:
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
    if not isinstance(source, str) or not source.strip() or "\0" in source:
        return None
    for folder in (Path(source).expanduser(), Path(os.environ.get("UNFOOLED_DATA") or os.devnull) / source):
        for file in sorted(folder.iterdir()) if os.path.isdir(folder) else ():
            if file.is_symlink() and not file.resolve().is_relative_to(folder.resolve()):
                return file
    return None
