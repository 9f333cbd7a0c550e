"""``unfooled compare``: methods and seeds become models, results and one report."""

import shlex
from typing import Annotated

import typer

from unfooled.cli.options import (
    Contrast,
    Data,
    Device,
    Filled,
    Json,
    Label,
    Methods,
    Model,
    Quiet,
    Ray,
    Subset,
    Suite,
    Text,
    TrainingSettings,
    Trials,
    Wait,
    Workers,
    given,
    names_in,
    print_json,
    training_settings,
)
from unfooled.stopping import goes_on
from unfooled.terminal import say


def compare(
    data: Data,
    methods: Methods,
    out: Filled,
    model: Model = "minilm",
    seeds: Annotated[int, typer.Option(help="How often each method is trained.")] = 3,
    test: Annotated[
        str | None, typer.Option(help="A file to measure on; needed where the data has no test split of its own.")
    ] = None,
    text: Text = None,
    label: Label = None,
    subset: Subset = None,
    suite: Suite = "quick",
    trials: Trials = None,
    contrast: Contrast = None,
    limit: Annotated[int | None, typer.Option(help="Measure on at most so many examples.")] = None,
    set_: TrainingSettings = None,
    wait: Wait = False,
    workers: Workers = None,
    ray: Ray = None,
    device: Device = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Train every method with several seeds, measure all, and write one report of what the differences are worth."""
    from unfooled.cli.printed.tables import print_results
    from unfooled.commands.compare import compare as train_and_measure
    from unfooled.commands.report import report
    from unfooled.results.folder import read_summary

    source = {"source": data, "test": test, "text": text, "label": label, "subset": subset}
    settings, names = training_settings(set_ or []), names_in(methods)
    chosen = None if trials is None else names_in(trials)
    with goes_on():
        results = train_and_measure(
            {**given(source), **settings.get("data", {})},
            names,
            out,
            {"name": model, **settings.get("model", {})},
            seeds,
            settings.get("plan"),
            {name: settings.get("method", {}) for name in names} if "method" in settings else None,
            trials=chosen,
            suite=suite,
            contrast=contrast,
            limit=limit,
            wait=wait,
            workers=workers,
            ray=ray,
        )
    page = report(out, out / "report.html", wait)
    if json:
        print_json(read_summary(out / "results"))
        return
    print_results(results)
    say("", f"report: {page}   models: {out / 'runs'}   records: {out / 'results'}")
    say(f'guard:  unfooled gate {shlex.quote(str(out))} --require "accuracy.clean >= 0.5"')
