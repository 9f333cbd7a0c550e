"""Pages and pictures from numbers; no torch."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from unfooled.table import at


class CallableRoom(ModuleType):
    """The room, which can be called too: ``unfooled.report`` is also what a person calls, whoever imports it first."""

    def __call__(self, folders: Any, out: str | Path = "report.html", require: Sequence[str] = ()) -> Path:
        """Write the page of one or more folders of results; ``require`` is what must hold, as the gate has it."""
        path: Path = at("unfooled.commands.report:report")(folders, out, require=require)
        return path


sys.modules[__name__].__class__ = CallableRoom
