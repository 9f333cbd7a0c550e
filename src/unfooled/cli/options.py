"""Options that several commands share."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

Data = Annotated[str, typer.Option(help="A CSV, TSV, JSONL or Parquet file, a folder, or a name (unfooled list data).")]
DataOrNone = Annotated[str | None, typer.Option(help="A file, a folder, or a name (unfooled list data).")]
Text = Annotated[str | None, typer.Option(help="The text column; two, as in premise,hypothesis, for pairs.")]
Label = Annotated[str | None, typer.Option(help="The label column.")]
Subset = Annotated[str | None, typer.Option(help="A part of the data that has a name, as hub data often has.")]
Split = Annotated[str | None, typer.Option(help="Which split; test where there is one.")]
Limit = Annotated[int | None, typer.Option(help="At most so many examples, drawn by the seed.")]
Seed = Annotated[int | None, typer.Option(help="All randomness is a function of it.")]
Suite = Annotated[str, typer.Option(help="What to measure: quick, or full.")]
Contrast = Annotated[str | None, typer.Option(help="A contrast set; the data itself where it is one.")]
Methods = Annotated[str, typer.Option(help="Ways of training, by comma (unfooled list methods); the first is the bar.")]
Model = Annotated[str, typer.Option(help="A Hugging Face encoder, minilm, or textcnn.")]
TrainingSettings = Annotated[
    list[str] | None, typer.Option("--set", help="Any setting of training, as in --set plan.epochs=2.")
]
Wait = Annotated[
    bool, typer.Option("--wait", help="Wait for another process that writes to the same place, instead of refusing.")
]
Filled = Annotated[Path, typer.Option(help="The folder to fill; a second call with it goes on.")]


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given a value."""
    return {name: value for name, value in options.items() if value is not None}
