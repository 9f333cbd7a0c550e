"""``unfooled translate``: a text, a file or what comes in, line by line."""

import sys
from collections.abc import Iterator
from pathlib import Path

from unfooled.commands.translate import translate
from unfooled.data.corpora import text_lines
from unfooled.errors import BadInput


def run(model: str, text: str, beams: int, batch_size: int) -> None:
    """Print each translation as soon as it is there."""
    for line in translate(model, lines_of(text), beams, batch_size):
        print(line, flush=True)


def lines_of(text: str) -> Iterator[str]:
    """The lines of a file, of what comes in ("-"), or the text itself."""
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
