"""The commands and their options; what they do is imported when one is run, so that --help is quick."""

import os
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from unfooled import __version__
from unfooled.cli.judging import compare, gate, report, tune
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
    task: Annotated[str | None, typer.Option(help="What is learnt; guessed from the data without one.")] = None,
    epochs: Annotated[int | None, typer.Option(help="How often the data is gone through.")] = None,
    fraction: Annotated[float | None, typer.Option(help="A share of the training rows, as 0.1.")] = None,
    recipe: Annotated[
        str | None, typer.Option(help="A TOML file of settings, or a name (unfooled list recipes).")
    ] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="Any setting, as in --set plan.epochs=2.")] = None,
    seed: Seed = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in the folder.")] = False,
) -> None:
    """Train a model; the result is an ordinary Hugging Face model folder."""
    from unfooled.cli.train import run

    named = {
        "data": {
            "source": data,
            "validation": validation,
            "test": test,
            "text": text,
            "label": label,
            "subset": subset,
            "fraction": fraction,
        },
        "model": {"name": model},
        "method": {"name": method},
        "plan": {"epochs": epochs},
        "seed": seed,
        "task": task,
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
    suite: Annotated[str, typer.Option(help="What to measure: quick, or full.")] = "quick",
    trials: Annotated[
        str | None, typer.Option(help="Instead of a suite: trials, by comma (unfooled list trials).")
    ] = None,
    contrast: Annotated[str | None, typer.Option(help="A contrast set; the data itself where it is one.")] = None,
    adversaries: Annotated[str | None, typer.Option(help="Stored adversaries: an attack's folder, or a file.")] = None,
    eps: Annotated[str | None, typer.Option(help="Radii of k-PGD, by comma.")] = None,
    steps: Annotated[int | None, typer.Option(help="Ascent steps k of k-PGD.")] = None,
    restarts: Annotated[int | None, typer.Option(help="Starts of k-PGD; the worst counts.")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="Any setting, as in --set pwws.most=100.")] = None,
    batch_size: Annotated[int, typer.Option(help="Examples per pass.")] = 64,
    seed: Seed = None,
) -> None:
    """Measure models: clean, attacked, contrasted, tested; every number with its n and interval."""
    from unfooled.cli.evaluate import run

    source = {"source": data, "text": text, "label": label, "subset": subset}
    pgd = {"eps": eps, "steps": steps, "restarts": restarts}
    how = {"split": split, "limit": limit, "batch_size": batch_size, "seed": seed or 0, "suite": suite}
    run(models, source, out, trials, pgd, set_ or [], {**how, "contrast": contrast, "adversaries": adversaries})


@app.command()
def generate(
    out: Annotated[Path, typer.Option(help="The JSONL file to make; a summary is written beside it.")],
    corpus: Annotated[
        str | None, typer.Argument(help="A .txt, .jsonl or .csv file (or .gz) of any size, or a name.")
    ] = None,
    from_rar: Annotated[
        str | None,
        typer.Option("--from-rar", help="Instead of a corpus: the folder of a run trained with --method rar."),
    ] = None,
    data: Annotated[str | None, typer.Option(help="For --from-rar: a file, a folder, or a name.")] = None,
    text: Annotated[str | None, typer.Option(help="The text column.")] = None,
    label: Label = None,
    subset: Subset = None,
    split: Annotated[str | None, typer.Option(help="Which split; train of a corpus, else test.")] = None,
    limit: Annotated[int | None, typer.Option(help="The first so many rows; of --data, drawn by the seed.")] = None,
    policy: Annotated[str | None, typer.Option(help="How versions are made: paper (default) or released.")] = None,
    reinflect: Annotated[
        bool | None, typer.Option("--reinflect", help="Give new words the form of those they replace.")
    ] = None,
    other_languages: Annotated[
        str | None, typer.Option(help="refuse (default) a corpus that is mostly not English, or pass it through.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; as many as there are cores without it.")] = None,
    victim: Annotated[str | None, typer.Option(help="For --from-rar: the model to fool; the run's own else.")] = None,
    eps: Annotated[float | None, typer.Option(help="For --from-rar: the radius of k-PGD.")] = None,
    steps: Annotated[int | None, typer.Option(help="For --from-rar: ascent steps k of k-PGD.")] = None,
    batch_size: Annotated[int | None, typer.Option(help="For --from-rar: examples per pass.")] = None,
    seed: Seed = None,
) -> None:
    """Write synonym and antonym versions of a corpus; or texts that fool a model, off a reconstructor under attack."""
    from unfooled.cli.generate import run

    both = {"text": text, "split": split, "limit": limit, "seed": seed}
    versions = {"policy": policy, "reinflect": reinflect, "other_languages": other_languages, "workers": workers}
    source = {"data": data, "label": label, "subset": subset, "victim": victim}
    k_pgd = {"eps": eps, "steps": steps, "batch_size": batch_size}
    run(corpus, from_rar, out, {**both, **versions}, {**both, **source, **k_pgd})


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
    folder: Annotated[Path, typer.Argument(help="What attack, evaluate or compare has written.")],
    model: Annotated[str | None, typer.Option(help="Where the attacked model is now; as logged without one.")] = None,
) -> None:
    """Ask the model again about every adversary an attack claims; exit code 1 if one does not fool it."""
    from unfooled.cli.verify import run

    run(folder, model)


@app.command()
def translate(
    model: Annotated[str, typer.Argument(help="A translator's folder, or its run's.")],
    text: Annotated[str, typer.Argument(help="A text, a file of lines, or - for what comes in.")],
    beams: Annotated[int, typer.Option(help="Beams of the search; 1 is greedy.")] = 4,
    batch_size: Annotated[int, typer.Option(help="Lines that are translated together.")] = 16,
) -> None:
    """Translate a text, or lines as they come."""
    from unfooled.cli.translate import run

    run(model, text, beams, batch_size)


@app.command(name="list")
def list_(
    kind: Annotated[str, typer.Argument(help="methods, attacks, models, data, recipes or trials.")] = "all",
    json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """What there is to choose from."""
    from unfooled.cli.listing import run

    run(kind, json)


for command in (compare, tune, report, gate):
    app.command()(command)


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
