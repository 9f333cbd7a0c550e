"""The commands and their options; what they do is imported when one is run, so that --help is quick."""

import os
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from unfooled import __version__
from unfooled.errors import BadInput, Stopped

app = typer.Typer(
    name="unfooled",
    help="Train, attack and measure text models that small changes cannot fool.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Data = Annotated[str, typer.Option(help="A CSV, TSV, JSONL or Parquet file, a folder, or a name (unfooled list data).")]
Text = Annotated[str | None, typer.Option(help="The text column; two, as in premise,hypothesis, for pairs.")]
Label = Annotated[str | None, typer.Option(help="The label column.")]
Subset = Annotated[str | None, typer.Option(help="A part of the data that has a name, as hub data often has.")]
Seed = Annotated[int | None, typer.Option(help="All randomness is a function of it.")]


def version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def top(
    _: Annotated[bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Train, attack and measure text models that small changes cannot fool."""


@app.command()
def demo(
    out: Annotated[Path, typer.Option(help="Where everything is written.")] = Path("demo"),
) -> None:
    """Train a plain and a robust model on embedded reviews, attack both, compare. Five to ten minutes."""
    from unfooled.cli.demo import run

    run(out)


@app.command()
def train(
    out: Annotated[Path, typer.Option(help="The run folder to make.")],
    data: Annotated[str | None, typer.Option(help="A file, a folder, or a name (unfooled list data).")] = None,
    validation: Annotated[str | None, typer.Option(help="A file to choose by; cut off the data otherwise.")] = None,
    test: Annotated[str | None, typer.Option(help="A file to measure on, once, at the end.")] = None,
    text: Text = None,
    label: Label = None,
    subset: Subset = None,
    model: Annotated[str | None, typer.Option(help="A Hugging Face encoder, minilm, or textcnn.")] = None,
    method: Annotated[str | None, typer.Option(help="How to train (unfooled list methods).")] = None,
    epochs: Annotated[int | None, typer.Option(help="How often the data is gone through.")] = None,
    recipe: Annotated[
        str | None, typer.Option(help="A TOML file of settings, or a name (unfooled list recipes).")
    ] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="Any setting, as in --set plan.epochs=2.")] = None,
    seed: Seed = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
) -> None:
    """Train a classifier; the result is an ordinary Hugging Face model folder."""
    from unfooled.cli.train import run

    named = {
        "data": {
            "source": data,
            "validation": validation,
            "test": test,
            "text": text,
            "label": label,
            "subset": subset,
        },
        "model": {"name": model},
        "method": {"name": method},
        "plan": {"epochs": epochs},
        "seed": seed,
    }
    run(named, recipe, set_ or [], out, resume)


@app.command()
def evaluate(
    models: Annotated[list[str], typer.Argument(help="Model folders, run folders or hub names.")],
    data: Data,
    out: Annotated[Path, typer.Option(help="The results folder; a second call with it resumes.")],
    text: Text = None,
    label: Label = None,
    subset: Subset = None,
    split: Annotated[str | None, typer.Option(help="Which split; test where there is one.")] = None,
    limit: Annotated[int | None, typer.Option(help="At most so many examples, drawn by the seed.")] = None,
    trials: Annotated[str, typer.Option(help="What to measure, by comma.")] = "clean,pgd",
    eps: Annotated[str | None, typer.Option(help="Radii of k-PGD, by comma.")] = None,
    steps: Annotated[int | None, typer.Option(help="Ascent steps k of k-PGD.")] = None,
    restarts: Annotated[int | None, typer.Option(help="Starts of k-PGD; the worst counts.")] = None,
    batch_size: Annotated[int, typer.Option(help="Examples per pass.")] = 64,
    seed: Seed = None,
) -> None:
    """Measure models clean and under attack; every number with its n and interval."""
    from unfooled.cli.evaluate import run

    source = {"source": data, "text": text, "label": label, "subset": subset}
    pgd = {"eps": eps, "steps": steps, "restarts": restarts}
    run(models, source, out, split, limit, trials.split(","), pgd, batch_size, seed or 0)


@app.command()
def generate(
    from_rar: Annotated[str, typer.Option("--from-rar", help="The folder of a run trained with --method rar.")],
    data: Data,
    out: Annotated[Path, typer.Option(help="The JSONL file to make; a summary is written beside it.")],
    text: Text = None,
    label: Label = None,
    subset: Subset = None,
    split: Annotated[str | None, typer.Option(help="Which split; test where there is one.")] = None,
    limit: Annotated[int | None, typer.Option(help="At most so many examples, drawn by the seed.")] = None,
    victim: Annotated[str | None, typer.Option(help="The model to fool; the run's own without one.")] = None,
    eps: Annotated[float, typer.Option(help="The radius of k-PGD.")] = 0.1,
    steps: Annotated[int, typer.Option(help="Ascent steps k of k-PGD.")] = 3,
    batch_size: Annotated[int, typer.Option(help="Examples per pass.")] = 32,
    seed: Seed = None,
) -> None:
    """Write texts that fool a model, read off a reconstructor under attack."""
    from unfooled.cli.generate import run

    source = {"source": data, "text": text, "label": label, "subset": subset}
    how = {"eps": eps, "steps": steps, "split": split, "limit": limit, "batch_size": batch_size, "seed": seed}
    run(from_rar, source, out, victim, how)


@app.command()
def attack(
    model: Annotated[str, typer.Argument(help="A model folder, run folder, hub name or ONNX file.")],
    data: Annotated[str | None, typer.Option(help="A file, a folder, or a name (unfooled list data).")] = None,
    out: Annotated[Path | None, typer.Option(help="The attack's folder; a second call with it goes on.")] = None,
    attack: Annotated[str, typer.Option(help="How to attack (unfooled list attacks).")] = "pwws",
    text: Annotated[str | None, typer.Option(help="One text to attack; with --data, the text column.")] = None,
    label: Annotated[str | None, typer.Option(help="Its label; with --data, the label column.")] = None,
    subset: Subset = None,
    split: Annotated[str | None, typer.Option(help="Which split; test where there is one.")] = None,
    limit: Annotated[int | None, typer.Option(help="At most so many examples, drawn by the seed.")] = None,
    column: Annotated[int | None, typer.Option(help="Which text of a pair, 0 or 1; the last unless told.")] = None,
    target: Annotated[str | None, typer.Option(help="The label to be fooled into; any other without one.")] = None,
    similarity: Annotated[str, typer.Option(help="The encoder that judges adversaries, or none.")] = "minilm",
    set_: Annotated[list[str] | None, typer.Option("--set", help="Any setting, as in --set attack.pos=any.")] = None,
    allow_no_candidates: Annotated[
        bool, typer.Option("--allow-no-candidates", help="Succeed though many texts have nothing to replace.")
    ] = False,
    seed: Seed = None,
) -> None:
    """Fool a model by changing words; every example's outcome is kept."""
    from unfooled.cli.attack import run, run_text

    how = {"column": column, "target": target, "similarity": similarity, "seed": seed or 0}
    if data is None:
        run_text(model, text, label, attack, set_ or [], how)
        return
    source = {"source": data, "text": text, "label": label, "subset": subset}
    run(model, source, attack, out, set_ or [], {**how, "split": split, "limit": limit}, allow_no_candidates)


@app.command()
def verify(
    folder: Annotated[Path, typer.Argument(help="An attack's folder.")],
    model: Annotated[str | None, typer.Option(help="Where the attacked model is now; as logged without one.")] = None,
) -> None:
    """Ask the model again about every adversary an attack claims; exit code 1 if one does not fool it."""
    from unfooled.cli.verify import run

    run(folder, model)


@app.command(name="list")
def list_(
    kind: Annotated[str, typer.Argument(help="methods, attacks, models, data, recipes or trials.")] = "all",
    json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """What there is to choose from."""
    from unfooled.cli.listing import run

    run(kind, json)


def main() -> None:
    """Run a command; what a person can mend is one sentence and exit code 2."""
    signal.signal(signal.SIGINT, interrupted)
    try:
        app()
    except BadInput as error:
        leave(str(error), 2)
    except OSError as error:
        reason = error.strerror or error
        leave(f"{error.filename or 'a file'} cannot be read or written ({reason}); what was finished is kept", 2)
    except Stopped as error:
        leave(str(error), 130)


def interrupted(number: int, frame: object) -> None:
    """Ctrl-C outside the training loop, which has its own answer to it."""
    raise Stopped("stopped; the same command goes on from what was finished (train: with --resume)")


def leave(message: str, code: int) -> None:
    """Say one sentence, once however many processes there are, and end."""
    if os.environ.get("RANK", "0") == "0":
        print(f"unfooled: {message}", file=sys.stderr)
    sys.exit(code)
