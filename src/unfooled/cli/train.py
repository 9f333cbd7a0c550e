"""``unfooled train``: a recipe, overlaid by options, becomes a run folder."""

import os
import shlex
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from unfooled.cli.first_look import look_at_models
from unfooled.cli.options import DataOrNone, Device, Json, Label, Quiet, Seed, Subset, Text, Wait, methods_of
from unfooled.hub import only_typed
from unfooled.terminal import give, say

if TYPE_CHECKING:
    from unfooled.commands.train import Trained
    from unfooled.data.sources import DataSettings
    from unfooled.tasks.reading import ReadData


def train(
    out: Annotated[Path, typer.Option(help="The run folder to make.")],
    data: DataOrNone = None,
    validation: Annotated[str | None, typer.Option(help="A file to choose by; cut off the data otherwise.")] = None,
    test: Annotated[str | None, typer.Option(help="A file to measure on, once, at the end.")] = None,
    text: Text = None,
    label: Label = None,
    subset: Subset = None,
    model: Annotated[str | None, typer.Option(help="A Hugging Face encoder, minilm, or textcnn.")] = None,
    method: Annotated[
        str | None, typer.Option(autocompletion=methods_of, help="How to train (unfooled list methods).")
    ] = None,
    task: Annotated[str | None, typer.Option(help="What is learnt; guessed from the data without one.")] = None,
    epochs: Annotated[int | None, typer.Option(help="How often the data is gone through.")] = None,
    engine: Annotated[
        str | None, typer.Option(help="Of several processes: replicas, or fsdp, which shares the network out.")
    ] = None,
    fraction: Annotated[float | None, typer.Option(help="A share of the training rows, as 0.1.")] = None,
    recipe: Annotated[
        str | None, typer.Option(help="A TOML file of settings, or a name (unfooled list recipes).")
    ] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="Any setting, as in --set plan.epochs=2.")] = None,
    seed: Seed = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
    track: Annotated[
        str | None, typer.Option(help="Who is told the log's numbers too: tensorboard, wandb, mlflow, trackio.")
    ] = None,
    wait: Wait = False,
    device: Device = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Train a model; the result is an ordinary Hugging Face model folder."""
    from unfooled.recipe.file import comes_along, find_recipe, overlaid, read_recipe
    from unfooled.settings import assignments

    trackers = asked_trackers(track)
    files = {"source": data, "validation": validation, "test": test}
    named = {
        "data": {**files, "text": text, "label": label, "subset": subset, "fraction": fraction},
        "model": {"name": model},
        "method": {"name": method},
        "plan": {"epochs": epochs, "engine": engine},
        "seed": seed,
        "task": task,
    }
    from unfooled.files import RECIPE

    left_behind = out / RECIPE
    if resume and recipe is None and left_behind.is_file():
        recipe = str(left_behind)
    base = {} if recipe is None else read_recipe(find_recipe(recipe))
    typed = overlaid(named, assignments(set_ or []))
    values = overlaid(base, typed)
    if resume and not left_behind.is_file():
        say(f"nothing to resume in {out}; starting", error=True)
    with nullcontext() if recipe is None or comes_along(recipe) else only_typed(*texts_in(typed)):
        trained, settings = trained_as(values, out, resume, wait, trackers)
    if os.environ.get("RANK", "0") == "0":
        tell(trained, settings, out, json)


def texts_in(values: Mapping[str, Any]) -> list[str]:
    """Every text among values: names that a person gave."""
    inner = [texts_in(value) for value in values.values() if isinstance(value, Mapping)]
    return [*(value for value in values.values() if isinstance(value, str)), *(name for some in inner for name in some)]


def asked_trackers(track: str | None) -> tuple[str, ...]:
    """The trackers asked for, refused before anything else is done; whoever asks for none waits for nothing."""
    if track is None:
        return ()
    from unfooled.training.trackers import trackers_named

    return trackers_named(track)


def trained_as(
    values: Mapping[str, Any], out: Path, resume: bool, wait: bool, track: tuple[str, ...] = ()
) -> tuple["Trained", "DataSettings"]:
    """Train as plain values say, whose data is read before the rest of them is looked at."""
    look_at_models(values.get("model", {}).get(part) for part in ("name", "tokenizer"))
    read = data_of(values)

    from unfooled.commands.train import train_recipe
    from unfooled.recipe.config import recipe_from

    settings = recipe_from(values)
    return train_recipe(settings, out, resume, read, wait, track), settings.data


def tell(trained: "Trained", data: "DataSettings", out: Path, json: bool = False) -> None:
    """What a run came to, where its model is, and what may come next."""
    from unfooled.files import SUMMARY

    if json:
        give((out / SUMMARY).read_text(encoding="utf-8").rstrip())
        return
    from unfooled.cli.printed.tables import print_scores, print_warning
    from unfooled.tasks import TASKS

    print_scores(f"{out}", trained.scores)
    if trained.warning:
        print_warning(trained.warning)
    say("", f"model: {trained.model}")
    say(f"open:  {trained.opens}")
    if TASKS[trained.task].is_measured:
        say(f"next:  {next_command(data, trained.model, out)}")


def data_of(values: Mapping[str, Any]) -> "ReadData":
    """The data of a recipe, read before the rest of it is looked at: that takes torch, and seconds."""
    from unfooled.methods.table import METHODS, PRETRAINING_METHODS
    from unfooled.recipe.data_part import data_part
    from unfooled.tasks.reading import read_data

    method = str(values.get("method", {}).get("name", "finetune"))
    METHODS.check(method)
    part = data_part(values)
    return read_data(part.data, part.task or ("pretraining" if method in PRETRAINING_METHODS else None), part.seed)


def next_command(data: "DataSettings", model: str, out: Path) -> str:
    """How to measure the model on texts it has not seen."""
    chosen = {"text": data.text, "label": data.label, "subset": None if data.test else data.subset}
    options = "".join(f" --{name} {shlex.quote(value)}" for name, value in chosen.items() if value is not None)
    alone = data.test is None and Path(data.source).is_file()
    source = "FILE-IT-HAS-NOT-SEEN" if alone else shlex.quote(data.test or data.source)
    return f"unfooled evaluate {shlex.quote(model)} --data {source}{options} --out {shlex.quote(str(out))}-results"
