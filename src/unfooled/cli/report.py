"""``unfooled report``: results become one page."""

from collections.abc import Sequence
from pathlib import Path

from unfooled.commands.report import report


def run(folders: Sequence[Path], out: Path) -> None:
    """Write the page and say where it is."""
    print(f"wrote {report(folders, out)}; open it in any browser, it loads nothing")
