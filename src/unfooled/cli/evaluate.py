"""``unfooled evaluate``: models, data and trials become a table and a results folder."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from unfooled.cli.first_look import first_look, look_at_models
from unfooled.cli.options import (
    Contrast,
    Data,
    Device,
    Json,
    Label,
    Labels,
    Limit,
    Quiet,
    Ray,
    Seed,
    Shard,
    Split,
    Subset,
    Suite,
    Text,
    Trials,
    Wait,
    Workers,
    given,
    names_in,
    print_json,
    renamed,
    tell_shard,
)
from unfooled.errors import BadInput
from unfooled.files import SUMMARY
from unfooled.terminal import say

if TYPE_CHECKING:
    from unfooled.results.folder import Results


def evaluate(
    models: Annotated[list[str], typer.Argument(help="Model folders, run folders or hub names.")],
    data: Data,
    out: Annotated[Path, typer.Option(help="The results folder; a second call with it resumes.")],
    text: Text = None,
    label: Label = None,
    subset: Subset = None,
    split: Split = None,
    limit: Limit = None,
    suite: Suite = "quick",
    trials: Trials = None,
    labels: Labels = None,
    contrast: Contrast = None,
    adversaries: Annotated[str | None, typer.Option(help="Stored adversaries: an attack's folder, or a file.")] = None,
    eps: Annotated[str | None, typer.Option(help="Radii of k-PGD, by comma.")] = None,
    steps: Annotated[int | None, typer.Option(help="Ascent steps k of k-PGD.")] = None,
    restarts: Annotated[int | None, typer.Option(help="Starts of k-PGD; the worst counts.")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="Any setting, as in --set pwws.most=100.")] = None,
    batch_size: Annotated[int, typer.Option(help="Examples per pass.")] = 64,
    seed: Seed = None,
    wait: Wait = False,
    workers: Workers = None,
    ray: Ray = None,
    shard: Shard = None,
    device: Device = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Measure models: clean, attacked, contrasted, tested; every number with its n and interval."""
    from unfooled.settings import assignments

    pgd = {"eps": None if eps is None else radii(eps), "steps": steps, "restarts": restarts}
    source = given({"source": data, "text": text, "label": label, "subset": subset})
    names = None if trials is None else names_in(trials)
    settings = assignments(set_ or [])
    odd = next((name for name, value in settings.items() if not isinstance(value, dict)), None)
    if odd is not None:
        raise BadInput(f"--set {odd}=… names no trial; write it as in --set pwws.most=100")
    first_look(source, split)
    look_at_models(models)

    from unfooled.commands.evaluate import evaluate as measure
    from unfooled.results.folder import read_summary

    results = measure(
        models, source, out, names, given(pgd), settings=settings, split=split, limit=limit, batch_size=batch_size,
        seed=seed or 0, suite=suite, contrast=contrast, adversaries=adversaries, labels=renamed(labels), wait=wait,
        workers=workers, ray=ray, shard=shard,
    )  # fmt: skip
    if shard is not None:
        tell_shard(shard, out, json)
    elif json:
        print_json(read_summary(out))
    else:
        tell(results, out)


def tell(results: "Results", out: Path) -> None:
    """What the models came to, where everything is, and what may come next."""
    from unfooled.cli.printed.tables import print_results
    from unfooled.cli.printed.texts import print_texts

    print_results(results)
    print_texts(results)
    say("", f"records: {out}   every number with its definition: {out / SUMMARY}")
    page = f"{str(out).rstrip('/')}.html"
    say(f"next:    unfooled report {shlex.quote(str(out))} --out {shlex.quote(page)}")


def radii(text: str) -> tuple[float, ...]:
    """The numbers of "0,.02,.1"."""
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise BadInput(f"--eps {text} is not a list of numbers such as 0,.02,.1") from None
