"""``unfooled translate``: a text, a file or what comes in, line by line."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from unfooled.cli.first_look import look_at_models
from unfooled.cli.options import Device
from unfooled.errors import BadInput
from unfooled.terminal import give


def translate(
    model: Annotated[str, typer.Argument(help="A translator's folder, or its run's.")],
    text: Annotated[str, typer.Argument(help="A text, a file of lines, or - for what comes in.")],
    beams: Annotated[int, typer.Option(help="Beams of the search; 1 is greedy.")] = 4,
    batch_size: Annotated[int, typer.Option(help="Lines that are translated together.")] = 16,
    device: Device = None,
) -> None:
    """Translate a text, or lines as they come."""
    look_at_models([model])

    from unfooled.commands.translate import translate as translated

    for line in translated(model, lines_of(text), beams, batch_size):
        give(line)


def lines_of(text: str) -> Iterator[str]:
    """The lines of a file, of what comes in ("-"), or the text itself."""
    from unfooled.data.files.lines import text_lines

    if text == "-":
        return (line.rstrip("\r\n") for line in sys.stdin)
    if is_file(text):
        return (line.rstrip("\r\n") for line in text_lines(Path(text)))
    if not text.strip():
        raise BadInput("there is nothing to translate; give a text in quotation marks, a file, or - for what comes in")
    return iter([text])


def is_file(text: str) -> bool:
    """Whether a text is the name of a file."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False
