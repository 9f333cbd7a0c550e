"""``unfooled tune``: bounds become the best settings within them, as recipes."""

import shlex
from typing import Annotated

import typer

from unfooled.cli.options import (
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
    Text,
    TrainingSettings,
    Wait,
    Workers,
    names_in,
    training_settings,
)
from unfooled.files import SUMMARY
from unfooled.stopping import goes_on
from unfooled.terminal import give, say


def tune(
    data: Data,
    methods: Methods,
    bounds: Annotated[str, typer.Option(help="A TOML file of bounds (docs/tune.md), or a name (list bounds).")],
    out: Filled,
    model: Model = "minilm",
    trials: Annotated[int, typer.Option(help="Trainings for every method.")] = 10,
    text: Text = None,
    label: Label = None,
    subset: Subset = None,
    seed: Annotated[int, typer.Option(help="All randomness is a function of it.")] = 0,
    set_: TrainingSettings = None,
    wait: Wait = False,
    workers: Workers = None,
    ray: Ray = None,
    device: Device = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Search for settings by the validation split, with the same number of trainings for every method."""
    from unfooled.commands.tune import tune as search
    from unfooled.commands.tuning.bounds import read_bounds
    from unfooled.recipe.file import overlaid

    source = {"source": data, "text": text, "label": label, "subset": subset}
    base = overlaid({"data": source, "model": {"name": model}}, training_settings(set_ or []))
    names = names_in(methods)
    with goes_on():
        best = search(base, names, read_bounds(bounds), out, trials, seed, wait, workers=workers, ray=ray)
    if json:
        give((out / SUMMARY).read_text(encoding="utf-8").rstrip())
        return
    for one in best:
        values = ", ".join(f"{name} = {value}" for name, value in one.settings.items())
        say(f"{one.method}: validation {one.score:.4f}, the best of {one.trials} trainings, with {values}")
    say("", "These scores chose the settings and are too good to be reported; train anew and measure on test:")
    for one in best:
        folder = f"{shlex.quote(str(out / one.method))}-final"
        say(f"  unfooled train --recipe {shlex.quote(str(one.recipe))} --out {folder}")
