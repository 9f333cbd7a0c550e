"""The commands that compare, tune, report and gate, with their options; main.py lists them with the others."""

from pathlib import Path
from typing import Annotated

import typer

Data = Annotated[str, typer.Option(help="A CSV, TSV, JSONL or Parquet file, a folder, or a name (unfooled list data).")]
Text = Annotated[str | None, typer.Option(help="The text column; two, as in premise,hypothesis, for pairs.")]
Label = Annotated[str | None, typer.Option(help="The label column.")]
Subset = Annotated[str | None, typer.Option(help="A part of the data that has a name, as hub data often has.")]
Test = Annotated[str | None, typer.Option(help="A file to measure on; the data's own test split without one.")]
Methods = Annotated[str, typer.Option(help="Ways of training, by comma (unfooled list methods); the first is the bar.")]
Model = Annotated[str, typer.Option(help="A Hugging Face encoder, minilm, or textcnn.")]
Set = Annotated[list[str] | None, typer.Option("--set", help="Any setting of training, as in --set plan.epochs=2.")]


def compare(
    data: Data,
    methods: Methods,
    out: Annotated[Path, typer.Option(help="The folder to fill; a second call with it goes on.")],
    model: Model = "minilm",
    seeds: Annotated[int, typer.Option(help="How often each method is trained.")] = 3,
    test: Test = None,
    text: Text = None,
    label: Label = None,
    subset: Subset = None,
    suite: Annotated[str, typer.Option(help="What to measure: quick, or full.")] = "quick",
    trials: Annotated[str | None, typer.Option(help="Instead of a suite: trials, by comma.")] = None,
    contrast: Annotated[str | None, typer.Option(help="A contrast set; the data itself where it is one.")] = None,
    limit: Annotated[int | None, typer.Option(help="Measure on at most so many examples.")] = None,
    set_: Set = None,
) -> None:
    """Train every method with several seeds, measure all, and write one report of what the differences are worth."""
    from unfooled.cli.compare import run

    source = {"source": data, "test": test, "text": text, "label": label, "subset": subset}
    chosen = [trial.strip() for trial in trials.split(",")] if trials is not None else None
    how = {"trials": chosen, "suite": suite, "contrast": contrast, "limit": limit}
    run(source, methods.split(","), out, model, seeds, set_ or [], how)


def tune(
    data: Data,
    methods: Methods,
    bounds: Annotated[str, typer.Option(help="A TOML file of bounds, or a name: carl-table8.")],
    out: Annotated[Path, typer.Option(help="The folder to fill; a second call with it goes on.")],
    model: Model = "minilm",
    trials: Annotated[int, typer.Option(help="Trainings for every method.")] = 10,
    text: Text = None,
    label: Label = None,
    subset: Subset = None,
    seed: Annotated[int, typer.Option(help="All randomness is a function of it.")] = 0,
    set_: Set = None,
) -> None:
    """Search for settings by the validation split, with the same number of trainings for every method."""
    from unfooled.cli.tune import run

    source = {"source": data, "text": text, "label": label, "subset": subset}
    run(source, methods.split(","), bounds, out, model, trials, seed, set_ or [])


def report(
    folders: Annotated[list[Path], typer.Argument(help="Results of evaluate, attack or compare.")],
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
) -> None:
    """Write results as one page that opens in any browser and loads nothing."""
    from unfooled.cli.report import run

    run(folders, out)


def gate(
    folder: Annotated[Path, typer.Argument(help="Results of evaluate, attack or compare.")],
    require: Annotated[list[str] | None, typer.Option(help='As in "accuracy_under_attack.pwws >= 0.4".')] = None,
    model: Annotated[str | None, typer.Option(help="One model of the folder; all without it.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Where JUnit XML goes; gate.xml in the folder else.")] = None,
) -> None:
    """Hold results to requirements by their confidence bounds; exit code 1 if one does not hold."""
    from unfooled.cli.gate import run

    run(folder, require or [], model, junit)
