"""``unfooled report``: results become one page."""

from pathlib import Path
from typing import Annotated

import typer

from unfooled.cli.options import Wait
from unfooled.terminal import say


def report(
    folders: Annotated[list[Path], typer.Argument(help="Folders of results; or .jsonl of measurements.")],
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
    require: Annotated[list[str] | None, typer.Option(help="What must hold, as gate has it; the page answers.")] = None,
    wait: Wait = False,
) -> None:
    """Write results as one page that opens in any browser and loads nothing."""
    from unfooled.commands.report import report as write_report

    say(f"wrote {write_report(folders, out, wait, require or ())}; open it in any browser, it loads nothing")
