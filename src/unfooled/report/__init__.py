"""Pages and pictures from numbers; no torch."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from unfooled.table import at


class CallableRoom(ModuleType):
    """The room, which can be called too: ``unfooled.report`` is also what a person calls, whoever imports it first."""

    def __call__(self, folders: Any, out: str | Path = "report.html") -> Path:
        """Write the page of one or more folders of results."""
        path: Path = at("unfooled.commands.report:report")(folders, out)
        return path


sys.modules[__name__].__class__ = CallableRoom
