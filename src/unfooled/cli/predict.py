"""``unfooled predict``: texts become labels with probabilities, a line of JSON each."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from unfooled.cli.options import Device, Labels, Quiet, Text, renamed
from unfooled.cli.translate import is_file
from unfooled.errors import BadInput
from unfooled.terminal import give, say


def predict(
    model: Annotated[str, typer.Argument(help="A model folder, run folder, hub name or ONNX file.")],
    texts: Annotated[list[str] | None, typer.Argument(help="Texts, a file of them, or - for what comes in.")] = None,
    text: Text = None,
    labels: Labels = None,
    batch_size: Annotated[int, typer.Option(help="Texts that are asked together.")] = 64,
    device: Device = None,
    quiet: Quiet = False,
) -> None:
    """Say what a model makes of texts: a line of JSON for each, in their order."""
    coming = texts_of(texts or [], text)

    from unfooled.commands.predict import Predictor

    predictor = Predictor(model, renamed(labels), batch_size)
    if predictor.note is not None and not quiet:
        say(f"note: {predictor.note}", error=True)
    for prediction in predictor(coming):
        give(json.dumps(prediction.plain(), ensure_ascii=False))


def texts_of(given: list[str], column: str | None) -> Iterator[tuple[str, ...]]:
    """The texts themselves, those of a file, or the lines that come in; a blank line has none."""
    if given == ["-"] or (not given and not sys.stdin.isatty()):
        return ((line.rstrip("\r\n"),) for line in sys.stdin if line.strip())
    if len(given) == 1 and is_file(given[0]):
        return in_file(Path(given[0]), column)
    if not any(map(str.strip, given)):
        raise BadInput("there is nothing to predict; give a text in quotation marks, a file, or - for what comes in")
    return iter([(text,) for text in given])


def in_file(path: Path, column: str | None) -> Iterator[tuple[str, ...]]:
    """The texts of a file of any size, or the pairs of a table where two columns are named."""
    from unfooled.data.files.formats import ending
    from unfooled.data.files.lines import text_lines
    from unfooled.data.files.tables import read_table
    from unfooled.data.files.texts import TextFile
    from unfooled.data.rows import row_text

    if column is not None and "," in column:
        names = [name.strip() for name in column.split(",")]
        table = read_table(path)
        missing = [name for name in names if name not in table.columns]
        if missing:
            raise BadInput(f"{path}: no column {missing[0]} for --text; it has {', '.join(table.columns)}")
        for index, row in enumerate(table.rows):
            yield tuple(row_text(table, index, name, row.get(name)) for name in names)
        return
    lines = (line.rstrip("\r\n") for line in text_lines(path))
    for line in (text for _, text in TextFile(path, column)) if ending(path) else lines:
        if line.strip():
            yield (line,)
